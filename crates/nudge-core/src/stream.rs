//! Paths of actions and of what they print.
//!
//! An action is recorded under `log://turn_N/<action>/<slug>`. What it prints goes to channels of
//! its own, `<action>://turn_N/<slug>_1` and on: records and data never share a scheme.

use crate::path::{EntryPath, PathError};
use crate::text::slug;

/// The path of the record of an action.
pub fn action_path(turn: u32, action: &str, target: &str) -> Result<EntryPath, PathError> {
    EntryPath::parse(&format!("log://turn_{turn}/{action}/{}", slug(target)))
}

/// Whether a path is one of those under which the actions of a turn are recorded.
pub fn is_of_turn(path: &EntryPath) -> bool {
    let turn = path.as_str().strip_prefix("log://turn_").and_then(|rest| rest.split('/').next());
    turn.is_some_and(|turn| !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The path of a channel of an action: 1 is the main output, 2 is errors, further ones are free.
/// `None` if the path is not the record of an action.
pub fn channel_path(record: &EntryPath, channel: u32) -> Option<EntryPath> {
    let rest = record.as_str().strip_prefix("log://")?;
    let (turn, rest) = rest.split_once('/')?;
    let (action, slug) = rest.split_once('/')?;
    turn.strip_prefix("turn_")?.parse::<u32>().ok()?;
    EntryPath::parse(&format!("{action}://{turn}/{slug}_{channel}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_turns_are_known_by_their_paths() {
        let is = |path: &str| is_of_turn(&EntryPath::parse(path).expect("a path"));
        assert!(is("log://turn_1/set/a") && is("log://turn_99999999999/a") && is("log://turn_0"));
        assert!(!is("log://turn_/a") && !is("log://turn_x/a") && !is("log://notes") && !is("sh://turn_1/a"));
    }

    #[test]
    fn channels_follow_from_the_record() {
        let record = action_path(3, "sh", "cargo test --all").expect("a path");
        assert_eq!(record.as_str(), "log://turn_3/sh/cargo_test_--all");
        let channel = |number| channel_path(&record, number).expect("a channel");
        assert_eq!(channel(1).as_str(), "sh://turn_3/cargo_test_--all_1");
        assert_eq!(channel(2).scheme(), "sh");
        assert_eq!(channel_path(&EntryPath::parse("known://a/b").expect("a path"), 1), None);
    }
}
