//! The one command that the overview suggests.

use serde::Serialize;

use super::Overview;
use crate::pages::words::count;

/// A command and the reason to run it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Next {
    pub(super) command: &'static str,
    pub(super) why: String,
}

impl Next {
    /// The most urgent step comes first: an unreadable memory, then a memory that captures nothing.
    pub(super) fn of(overview: &Overview) -> Self {
        let remembered = &overview.remembered;
        let next = |command, why: &str| Self { command, why: why.to_owned() };
        if overview.problem.is_some() {
            return next("nudge doctor", "the memory cannot be read");
        }
        if overview.agents.is_empty() {
            return next("nudge install", "set up your coding agents");
        }
        if overview.pauses > 0 {
            return next("nudge unpause", "capture is paused");
        }
        if overview.capture_off.is_some() {
            return next("nudge status", "nothing is captured here");
        }
        if remembered.proposals > 0 {
            let proposals = count(i64::try_from(remembered.proposals).unwrap_or(i64::MAX), "proposal");
            return Self { command: "nudge review", why: format!("decide on {proposals}") };
        }
        if remembered.last_session.is_none() {
            return next("nudge doctor", "no session was captured here yet; check that capture works");
        }
        if remembered.statements == 0 {
            return next("nudge remember TEXT", "save a fact or rule for your agents");
        }
        next("nudge trace", "show what the last session did")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Remembered;
    use super::*;

    fn overview() -> Overview {
        Overview {
            project: "shop".to_owned(),
            directory: "/code/shop".to_owned(),
            remembered: Remembered::default(),
            capture_off: None,
            pauses: 0,
            agents: vec!["claude".to_owned()],
            problem: None,
        }
    }

    #[test]
    fn the_suggestion_follows_the_state() {
        let command = |overview: &Overview| Next::of(overview).command;
        let mut state = overview();
        assert_eq!(command(&state), "nudge doctor");
        state.remembered.proposals = 2;
        assert_eq!(Next::of(&state).why, "decide on 2 proposals");
        assert_eq!(command(&state), "nudge review");
        state.capture_off = Some("capture is false".to_owned());
        assert_eq!(command(&state), "nudge status");
        state.pauses = 1;
        assert_eq!(command(&state), "nudge unpause");
        state.agents.clear();
        assert_eq!(command(&state), "nudge install");
        state.problem = Some("damaged".to_owned());
        assert_eq!(command(&state), "nudge doctor");
    }
}
