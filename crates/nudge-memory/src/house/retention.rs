//! For how long what was captured is kept, by its kind.

use std::collections::BTreeMap;
use std::time::Duration;

use nudge_core::ObservationKind as Kind;
use nudge_core::observation::USER_PROMPT;

/// The word for no limit.
const FOREVER: &str = "forever";

/// The longest time that can be given: a hundred years of days.
const MOST_DAYS: u32 = 36_500;

/// How many days each kind is kept. What is not named is kept for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    days: BTreeMap<&'static str, u32>,
}

impl Default for Retention {
    /// Commits say most for their size; commands say what was tried; the rest is soon told by the files themselves.
    /// What was written, how sessions went and what somebody marked has no limit.
    fn default() -> Self {
        let limited = [
            (Kind::GitCommit, 730),
            (Kind::GitPush, 730),
            (Kind::Command, 180),
            (Kind::CommandError, 180),
            (Kind::FileRead, 90),
            (Kind::Search, 90),
            (Kind::McpCall, 90),
            (Kind::TaskSpawn, 90),
            (Kind::WebFetch, 90),
            (Kind::WebSearch, 90),
            (Kind::ToolOther, 90),
        ];
        let mut days: BTreeMap<&'static str, u32> =
            limited.into_iter().map(|(kind, days)| (kind.name(), days)).collect();
        days.insert(USER_PROMPT, 365);
        Self { days }
    }
}

impl Retention {
    /// The defaults, with what `rules` say instead: `kind=days` or `kind=forever`.
    pub fn parse<'r>(rules: impl IntoIterator<Item = &'r str>) -> Option<Self> {
        let mut retention = Self::default();
        for rule in rules {
            let (name, days) = rule.split_once('=')?;
            let name = known(name.trim())?;
            match days.trim() {
                FOREVER => retention.days.remove(name),
                days => {
                    let days = days.parse().ok().filter(|days| (1..=MOST_DAYS).contains(days))?;
                    retention.days.insert(name, days)
                }
            };
        }
        Some(retention)
    }

    /// How long observations of a kind are kept; `None` is for ever.
    pub fn of(&self, kind: Kind) -> Option<Duration> {
        self.days.get(kind.name()).map(|days| length(*days))
    }

    /// How long prompts are kept.
    pub fn of_prompts(&self) -> Option<Duration> {
        self.days.get(USER_PROMPT).map(|days| length(*days))
    }

    /// The rules that make it differ from the defaults.
    pub fn rules(&self) -> Vec<String> {
        let default = Self::default();
        let names = Kind::ALL.into_iter().map(Kind::name).chain([USER_PROMPT]);
        let changed = names.filter(|name| self.days.get(name) != default.days.get(name));
        let rule = |name| match self.days.get(name) {
            Some(days) => format!("{name}={days}"),
            None => format!("{name}={FOREVER}"),
        };
        changed.map(rule).collect()
    }
}

fn known(name: &str) -> Option<&'static str> {
    Kind::from_name(name).map(Kind::name).or((name == USER_PROMPT).then_some(USER_PROMPT))
}

fn length(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * 24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_changes_its_kind_and_no_other() {
        let retention =
            Retention::parse(["command=7", "git_commit = forever", "file_edit=30"]).expect("rules");
        assert_eq!(retention.of(Kind::Command), Some(length(7)));
        assert_eq!(retention.of(Kind::GitCommit), None);
        assert_eq!(retention.of(Kind::FileEdit), Some(length(30)));
        assert_eq!(retention.of(Kind::Search), Some(length(90)));
        assert_eq!(retention.of_prompts(), Some(length(365)));
        assert_eq!(retention.rules(), ["file_edit=30", "command=7", "git_commit=forever"]);
    }

    #[test]
    fn what_is_written_or_marked_has_no_limit_unless_told() {
        let default = Retention::default();
        for kind in [Kind::FileWrite, Kind::FileEdit, Kind::SessionStart, Kind::SessionCompact, Kind::Marker]
        {
            assert_eq!(default.of(kind), None, "{}", kind.name());
        }
        assert_eq!(default.rules(), [""; 0]);
    }

    #[test]
    fn no_time_at_all_is_no_rule() {
        for wrong in ["command=0", "command", "commands=3", "command=-1", "command=1.5", "command=99999"] {
            assert_eq!(Retention::parse([wrong]), None, "{wrong}");
        }
    }
}
