//! How a viewer sees an entry: its visibility, its state, and the status derived from the state.

/// How much of an entry a viewer sees.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Visibility {
    /// Nothing; a pattern still finds it.
    Archived,
    /// Its path, its attributes and a short form of its body.
    Summarized,
    /// Its whole body.
    Visible,
}

impl Visibility {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 3] = [Self::Archived, Self::Summarized, Self::Visible];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Summarized => "summarized",
            Self::Visible => "visible",
        }
    }

    /// The visibility with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The number in the store. Its meaning never changes.
    pub const fn code(self) -> i64 {
        match self {
            Self::Archived => 0,
            Self::Summarized => 1,
            Self::Visible => 2,
        }
    }

    /// The visibility with this stored number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }
}

/// Where an entry is in its life. Independent of its visibility.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum EntryState {
    /// It waits for the user's decision.
    Proposed,
    /// Its body still grows.
    Streaming,
    /// It is complete.
    Resolved,
    /// The last operation on it failed.
    Failed,
    /// It was given up.
    Cancelled,
}

impl EntryState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Proposed, Self::Streaming, Self::Resolved, Self::Failed, Self::Cancelled];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Streaming => "streaming",
            Self::Resolved => "resolved",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The number in the store. Its meaning never changes.
    pub const fn code(self) -> i64 {
        match self {
            Self::Proposed => 0,
            Self::Streaming => 1,
            Self::Resolved => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
        }
    }

    /// The state with this stored number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }
}

/// The status of a state and its outcome, in the numbers of HTTP. It is never stored.
///
/// An outcome may end in its number, as in `permission:403`; the words the verbs use have one.
pub fn status_of(state: EntryState, outcome: Option<&str>) -> u16 {
    match state {
        EntryState::Resolved => 200,
        EntryState::Proposed => 202,
        EntryState::Streaming => 102,
        EntryState::Cancelled => 499,
        EntryState::Failed => failed_status(outcome.unwrap_or_default()),
    }
}

fn failed_status(outcome: &str) -> u16 {
    let (word, number) = outcome.rsplit_once(':').unwrap_or((outcome, ""));
    match word {
        "invalid" => 400,
        "permission" => 403,
        "not_found" => 404,
        "conflict" => 409,
        "overflow" => 413,
        "aborted" => 499,
        _ => number.parse().ok().filter(|status| (400..600).contains(status)).unwrap_or(500),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for one in Visibility::ALL {
            assert_eq!(Visibility::from_name(one.name()), Some(one));
            assert_eq!(Visibility::from_code(one.code()), Some(one));
        }
        for one in EntryState::ALL {
            assert_eq!(EntryState::from_name(one.name()), Some(one));
            assert_eq!(EntryState::from_code(one.code()), Some(one));
        }
    }

    #[test]
    fn the_status_follows_from_state_and_outcome() {
        let failed = |outcome| status_of(EntryState::Failed, Some(outcome));
        assert_eq!(status_of(EntryState::Resolved, None), 200);
        assert_eq!(status_of(EntryState::Proposed, None), 202);
        assert_eq!(status_of(EntryState::Streaming, Some("not_found")), 102);
        assert_eq!(status_of(EntryState::Cancelled, None), 499);
        assert_eq!(failed("permission:403"), 403);
        assert_eq!(failed("overflow:550"), 413);
        assert_eq!(failed("provider:429"), 429);
        assert_eq!(failed("not_found"), 404);
        assert_eq!(failed("exit:2"), 500);
        assert_eq!(status_of(EntryState::Failed, None), 500);
    }
}
