//! One time that something was said.

use nudge_core::{EntryId, Timestamp};
use serde::{Deserialize, Serialize};

/// How many are kept, the newest of each session.
const KEPT: usize = 20;

/// One time that something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saying {
    /// The agent's session, if it was said in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When, in milliseconds since the epoch.
    pub at: i64,
    /// How: `prompt`, `refusal`, `answer`, `while working` or `remember`.
    pub how: String,
    /// The prompt that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<i64>,
}

impl Saying {
    /// Something said to an agent.
    pub fn to_agent(session: &str, at: Timestamp, how: &str, prompt: Option<EntryId>) -> Self {
        let session = nudge_secrets::redact(session).into_owned();
        Self {
            session: Some(session),
            at: at.as_millis(),
            how: how.to_owned(),
            prompt: prompt.map(|id| id.0),
        }
    }

    /// Something stated by a command or a tool.
    pub(crate) fn by_command(session: Option<String>, at: Timestamp, how: &str) -> Self {
        Self { session, at: at.as_millis(), how: how.to_owned(), prompt: None }
    }
}

/// Adds one, newest first; true if it is the first of its session.
pub(super) fn add(said: &mut Vec<Saying>, one: Saying) -> bool {
    let is_new = !said.iter().any(|known| known.session == one.session);
    let newest = said.iter().filter(|known| known.session == one.session).map(|known| known.at).max();
    if newest.is_none_or(|at| at <= one.at) {
        said.retain(|known| known.session != one.session);
        said.push(one);
        said.sort_by_key(|known| std::cmp::Reverse(known.at));
        said.truncate(KEPT);
    }
    is_new
}

/// When it was last said.
pub(super) fn last(said: &[Saying]) -> Option<Timestamp> {
    said.iter().map(|one| one.at).max().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_once_and_its_newest_words_stay() {
        let said = |session: &str, at| Saying::to_agent(session, Timestamp::from_millis(at), "prompt", None);
        let mut all = Vec::new();
        assert!(add(&mut all, said("a", 1)) && add(&mut all, said("b", 5)));
        assert!(!add(&mut all, said("a", 9)) && !add(&mut all, said("a", 2)));
        let shown: Vec<_> = all.iter().map(|one| (one.session.as_deref().unwrap_or(""), one.at)).collect();
        assert_eq!(shown, [("a", 9), ("b", 5)]);
        for n in 0..40 {
            add(&mut all, said(&format!("s{n}"), 100 + n));
        }
        assert_eq!((all.len(), all[0].at, last(&all)), (KEPT, 139, Some(Timestamp::from_millis(139))));
    }
}
