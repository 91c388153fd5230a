//! The values that have a type of their own: the settings of runs and of the web search, the tool
//! list, retention.

use std::collections::BTreeMap;
use std::time::Duration;

use nudge_core::ObservationKind as Kind;
use nudge_core::observation::USER_PROMPT;

/// The settings of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// How much of the model's context a packet may take, as a fraction. The rest is for the answer
    /// and for the error of the estimate.
    pub ceiling: f64,
    /// The most tokens of one entry that a run writes.
    pub max_entry_tokens: u32,
    /// The most turns of one loop.
    pub max_turns: u32,
    /// The most commands of one turn.
    pub max_commands: u32,
    /// How many turns with errors in a row end a loop.
    pub max_strikes: u32,
    /// How often turns must repeat to be a cycle.
    pub min_cycles: u32,
    /// The most turns that one cycle consists of.
    pub max_cycle_period: u32,
    /// How many days a run is kept after it ended.
    pub retention_days: u32,
    /// Whether the model is asked to reason before it answers.
    pub think: bool,
    /// The temperature that the model samples with.
    pub temperature: f64,
    /// How many seconds a model may send nothing before the request fails.
    pub fetch_timeout_s: u64,
    /// How many seconds an answer may take.
    pub answer_timeout_s: u64,
    /// For how many seconds a request is repeated while a model starts or limits its rate.
    pub retry_deadline_s: u64,
    /// The most seconds between two attempts.
    pub max_backoff_s: u64,
    /// The most that holds an accepted command: `full`, `landlock` or `none`.
    pub sandbox: String,
    /// How many seconds a command may take.
    pub command_time_s: u64,
    /// How many processes and threads a command may have.
    pub command_processes: u64,
    /// How much memory the processes of a command may use together, in MiB.
    pub command_memory_mb: u64,
    /// How much a command may write to its temporary directory, and by how much the project may
    /// grow, in MiB each.
    pub command_disk_mb: u64,
    /// How many seconds a call of a plugin may take.
    pub plugin_time_s: u64,
    /// The site that OpenRouter credits requests to; empty: none is sent.
    pub http_referer: String,
    /// The name that OpenRouter credits requests to; empty: none is sent.
    pub x_title: String,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            ceiling: 0.9,
            max_entry_tokens: 512,
            max_turns: 99,
            max_commands: 99,
            max_strikes: 3,
            min_cycles: 3,
            max_cycle_period: 4,
            retention_days: 31,
            think: false,
            temperature: 0.1,
            fetch_timeout_s: 300,
            answer_timeout_s: 3_600,
            retry_deadline_s: 600,
            max_backoff_s: 30,
            sandbox: "full".to_owned(),
            command_time_s: 600,
            command_processes: 1_024,
            command_memory_mb: 4_096,
            command_disk_mb: 4_096,
            plugin_time_s: 60,
            http_referer: String::new(),
            x_title: String::new(),
        }
    }
}

/// The settings of the plugin that searches the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSearchSettings {
    /// The address of a SearXNG server; empty: there is no such plugin.
    pub url: String,
    /// How many seconds an answer of it, or a page, may take.
    pub timeout_s: u64,
    /// How many of the pages that were found are fetched, too.
    pub pages: u32,
}

impl Default for WebSearchSettings {
    fn default() -> Self {
        Self { url: String::new(), timeout_s: 20, pages: 0 }
    }
}

nudge_core::named_enum! {
    /// The tool list that an operation appears in. An operation that is not listed can still be
    /// called.
    pub enum Profile {
        /// The short list, the default for agents.
        Default => "default",
        /// The short list, with hints by name, context sets and hypotheses.
        Work => "work",
        /// Everything.
        Full => "full",
    }
}

// How long captured data is kept, by kind.

/// The word for no limit.
const FOREVER: &str = "forever";

/// The longest time allowed: a hundred years, in days.
const MAX_DAYS: u32 = 36_500;

/// How many days each kind is kept. A kind that is not in the map is kept forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    days: BTreeMap<&'static str, u32>,
}

impl Default for Retention {
    /// Commits say most for their size, then edits and how sessions went. Commands say what was
    /// tried. The files themselves soon say the rest. Markers have no limit.
    fn default() -> Self {
        let limited = [
            (Kind::GitCommit, 730),
            (Kind::GitPush, 730),
            (Kind::FileWrite, 365),
            (Kind::FileEdit, 365),
            (Kind::SessionStart, 365),
            (Kind::SessionEnd, 365),
            (Kind::SessionCompact, 365),
            (Kind::Conclusion, 365),
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
    /// The defaults, overridden by `rules`: `kind=days` or `kind=forever`.
    pub fn parse<'r>(rules: impl IntoIterator<Item = &'r str>) -> Option<Self> {
        let mut retention = Self::default();
        for rule in rules {
            let (name, days) = rule.split_once('=')?;
            let name = known(name.trim())?;
            match days.trim() {
                FOREVER => retention.days.remove(name),
                days => {
                    let days = days.parse().ok().filter(|days| (1..=MAX_DAYS).contains(days))?;
                    retention.days.insert(name, days)
                }
            };
        }
        Some(retention)
    }

    /// How long observations of a kind are kept; `None` means forever.
    pub fn of(&self, kind: Kind) -> Option<Duration> {
        self.days.get(kind.name()).map(|days| length(*days))
    }

    /// How long prompts are kept; `None` means forever.
    pub fn of_prompts(&self) -> Option<Duration> {
        self.days.get(USER_PROMPT).map(|days| length(*days))
    }

    /// The limit of every kind, as rules.
    pub fn rules(&self) -> Vec<String> {
        let rule = |name| match self.days.get(name) {
            Some(days) => format!("{name}={days}"),
            None => format!("{name}={FOREVER}"),
        };
        names().map(rule).collect()
    }

    /// The form of a rule, for an error message.
    pub(crate) fn expected() -> String {
        let kinds: Vec<&str> = names().collect();
        format!(
            "kind=days (1 to {MAX_DAYS}) or kind={FOREVER}, such as command=180 (in a file [\"command=180\"]), where the kinds are {}",
            kinds.join(", ")
        )
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    Kind::ALL.into_iter().map(Kind::name).chain([USER_PROMPT])
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
        let default = Retention::default().rules();
        let changed: Vec<String> =
            retention.rules().into_iter().filter(|rule| !default.contains(rule)).collect();
        assert_eq!(changed, ["file_edit=30", "command=7", "git_commit=forever"]);
    }

    #[test]
    fn every_kind_has_its_days_and_a_note_has_none() {
        let rules = Retention::default().rules();
        let expected = [
            "file_read=90",
            "file_write=365",
            "file_edit=365",
            "command=180",
            "command_error=180",
            "search=90",
            "session_start=365",
            "session_end=365",
            "mcp_call=90",
            "session_compact=365",
            "git_commit=730",
            "git_push=730",
            "task_spawn=90",
            "web_fetch=90",
            "web_search=90",
            "marker=forever",
            "tool_other=90",
            "conclusion=365",
            "user_prompt=365",
        ];
        assert_eq!(rules, expected);
        assert_eq!(Retention::parse(expected), Some(Retention::default()));
    }

    #[test]
    fn no_time_at_all_is_no_rule() {
        for wrong in ["command=0", "command", "commands=3", "command=-1", "command=1.5", "command=99999"] {
            assert_eq!(Retention::parse([wrong]), None, "{wrong}");
        }
    }
}
