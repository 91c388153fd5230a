//! Runs, loops and turns: their states, and which state may follow which.
//!
//! A run is one piece of work with a model, under an alias. It has loops, one for each prompt, and
//! a loop has turns, one for each request to the model. State and outcome are stored; the status,
//! an HTTP code, follows from them.

crate::named_enum! {
    /// What a loop may do.
    pub enum Mode {
        /// It reads and answers. Nothing is executed, and no file changes.
        Ask => "ask",
        /// It may propose changes and commands.
        Act => "act",
    }
}

crate::named_enum! {
    /// Where a run or a loop is in its life.
    pub enum RunState: i64 {
        /// It waits for its first turn.
        Queued = 0 => "queued",
        /// It takes turns.
        Running = 1 => "running",
        /// It waits for the user's answer.
        Proposed = 2 => "proposed",
        /// It has ended with an answer.
        Completed = 3 => "completed",
        /// It has ended because something failed.
        Failed = 4 => "failed",
        /// It was stopped, or gave up.
        Aborted = 5 => "aborted",
    }
}

impl RunState {
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

/// The status of a run or a loop, as an HTTP code. It is never stored.
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

crate::named_enum! {
    /// Where a turn is in its life. A turn goes forward only, so it is never sent twice.
    pub enum TurnState: i64 {
        /// The request was sent.
        Sent = 0 => "sent",
        /// The answer is stored and its calls are recorded.
        Answered = 1 => "answered",
        /// All its calls are carried out.
        Ended = 2 => "ended",
        /// The request failed.
        Failed = 3 => "failed",
        /// The server ended before the answer came. The request is not repeated.
        Lost = 4 => "lost",
    }
}

impl TurnState {
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
