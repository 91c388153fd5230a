//! How a viewer sees an entry: its visibility, its state, and the status derived from the state.

crate::named_enum! {
    /// How much of an entry a viewer sees.
    pub enum Visibility: i64 {
        /// Nothing; a pattern still finds it.
        Archived = 0 => "archived",
        /// Its path, its attributes and a short form of its body.
        Summarized = 1 => "summarized",
        /// Its whole body.
        Visible = 2 => "visible",
    }
}

crate::named_enum! {
    /// Where an entry is in its life. Independent of its visibility.
    pub enum EntryState: i64 {
        /// It waits for the user's decision.
        Proposed = 0 => "proposed",
        /// Its body still grows.
        Streaming = 1 => "streaming",
        /// It is complete.
        Resolved = 2 => "resolved",
        /// The last operation on it failed.
        Failed = 3 => "failed",
        /// It was given up.
        Cancelled = 4 => "cancelled",
    }
}

/// The status of a state and its outcome, as an HTTP code. It is never stored.
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
