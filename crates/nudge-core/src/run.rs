//! Runs, loops and turns: their states, and which state may follow which.
//!
//! A run is one piece of work with a model, under an alias. It has loops, one for each prompt, and
//! a loop has turns, one for each request to the model. State and outcome are stored; the status in
//! the numbers of HTTP follows from them.

/// What a loop may do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It reads and answers. Nothing is executed, and no file changes.
    Ask,
    /// It may propose changes and commands.
    Act,
}

impl Mode {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Act => "act",
        }
    }

    /// The mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ask, Self::Act].into_iter().find(|one| one.name() == name)
    }
}

/// Where a run or a loop is in its life.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunState {
    /// It waits for its first turn.
    Queued,
    /// It takes turns.
    Running,
    /// It waits for the user's answer.
    Proposed,
    /// It has ended with an answer.
    Completed,
    /// It has ended because something failed.
    Failed,
    /// It was stopped, or gave up.
    Aborted,
}

impl RunState {
    /// All states, in the order of their codes.
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Proposed, Self::Completed, Self::Failed, Self::Aborted];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Proposed => "proposed",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
        }
    }

    /// The number in the store. Its meaning never changes.
    pub const fn code(self) -> i64 {
        match self {
            Self::Queued => 0,
            Self::Running => 1,
            Self::Proposed => 2,
            Self::Completed => 3,
            Self::Failed => 4,
            Self::Aborted => 5,
        }
    }

    /// The state with this stored number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }

    /// Whether it takes no more turns by itself.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Aborted)
    }

    /// Whether a run in this state may enter another. The store rejects every other change.
    pub const fn may_become(self, next: Self) -> bool {
        use RunState::{Aborted, Completed, Failed, Proposed, Queued, Running};
        matches!(
            (self, next),
            (Queued, Running | Aborted)
                | (Running, Completed | Proposed | Failed | Aborted)
                | (Proposed, Running | Completed | Aborted)
                | (Completed | Failed, Running | Aborted)
                | (Aborted, Running)
        )
    }
}

/// The status of a run or a loop, in the numbers of HTTP. It is never stored.
///
/// The outcome of an ended one may be a number of its own: 204 and 422 end a run with an answer.
pub fn run_status(state: RunState, outcome: Option<&str>) -> u16 {
    let own = outcome.and_then(|outcome| outcome.rsplit(':').next()).and_then(|last| last.parse().ok());
    match state {
        RunState::Queued => 100,
        RunState::Running => 102,
        RunState::Proposed => 202,
        RunState::Completed => own.filter(|status| matches!(status, 204 | 422)).unwrap_or(200),
        RunState::Failed => own.unwrap_or(500),
        RunState::Aborted => 499,
    }
}

/// Where a turn is in its life. A turn goes forward only, so it is never sent twice.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TurnState {
    /// The request was sent.
    Sent,
    /// The answer is stored and its calls are recorded.
    Answered,
    /// All its calls are carried out.
    Ended,
    /// The request failed.
    Failed,
    /// The server ended before the answer came. The request is not repeated.
    Lost,
}

impl TurnState {
    /// All states, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Sent, Self::Answered, Self::Ended, Self::Failed, Self::Lost];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Answered => "answered",
            Self::Ended => "ended",
            Self::Failed => "failed",
            Self::Lost => "lost",
        }
    }

    /// The number in the store. Its meaning never changes.
    pub const fn code(self) -> i64 {
        match self {
            Self::Sent => 0,
            Self::Answered => 1,
            Self::Ended => 2,
            Self::Failed => 3,
            Self::Lost => 4,
        }
    }

    /// The state with this stored number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }

    /// Whether a turn in this state may enter another.
    pub const fn may_become(self, next: Self) -> bool {
        use TurnState::{Answered, Ended, Failed, Lost, Sent};
        matches!((self, next), (Sent, Answered | Failed | Lost) | (Answered, Ended | Failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_one_to_one() {
        for state in RunState::ALL {
            assert_eq!(RunState::from_code(state.code()), Some(state));
        }
        for state in TurnState::ALL {
            assert_eq!(TurnState::from_code(state.code()), Some(state));
        }
        assert_eq!((Mode::from_name("ask"), Mode::from_name("do")), (Some(Mode::Ask), None));
    }

    #[test]
    fn the_table_of_run_states() {
        let table: Vec<String> = RunState::ALL
            .into_iter()
            .map(|from| {
                let next: Vec<&str> =
                    RunState::ALL.into_iter().filter(|to| from.may_become(*to)).map(RunState::name).collect();
                format!("{} {} -> {}", run_status(from, None), from.name(), next.join(", "))
            })
            .collect();
        assert_eq!(
            table,
            [
                "100 queued -> running, aborted",
                "102 running -> proposed, completed, failed, aborted",
                "202 proposed -> running, completed, aborted",
                "200 completed -> running, aborted",
                "500 failed -> running, aborted",
                "499 aborted -> running",
            ]
        );
    }

    #[test]
    fn a_turn_only_goes_forward() {
        for from in TurnState::ALL {
            for to in TurnState::ALL {
                assert!(!from.may_become(to) || to > from, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn an_outcome_may_say_the_status() {
        assert_eq!(run_status(RunState::Completed, Some("204")), 204);
        assert_eq!(run_status(RunState::Completed, Some("422")), 422);
        assert_eq!(run_status(RunState::Completed, Some("999")), 200);
        assert_eq!(run_status(RunState::Failed, Some("overflow:413")), 413);
        assert_eq!(run_status(RunState::Aborted, Some("strikes")), 499);
    }
}
