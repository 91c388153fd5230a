//! The settings of runs.

use super::*;
use crate::settings::layers::is_guard;

const VALUES: [(&str, &str); 19] = [
    ("ceiling", "0.5"),
    ("max_entry_tokens", "100"),
    ("max_turns", "5"),
    ("max_commands", "6"),
    ("max_strikes", "7"),
    ("min_cycles", "8"),
    ("max_cycle_period", "9"),
    ("retention_days", "10"),
    ("think", "true"),
    ("temperature", "1"),
    ("fetch_timeout_s", "11"),
    ("retry_deadline_s", "12"),
    ("max_backoff_s", "13"),
    ("answer_timeout_s", "14"),
    ("command_time_s", "15"),
    ("command_processes", "16"),
    ("command_memory_mb", "17"),
    ("command_disk_mb", "18"),
    ("plugin_time_s", "19"),
];

fn expected() -> Settings {
    let runs = RunSettings {
        ceiling: 0.5,
        max_entry_tokens: 100,
        max_turns: 5,
        max_commands: 6,
        max_strikes: 7,
        min_cycles: 8,
        max_cycle_period: 9,
        retention_days: 10,
        think: true,
        temperature: 1.0,
        fetch_timeout_s: 11,
        retry_deadline_s: 12,
        max_backoff_s: 13,
        answer_timeout_s: 14,
        command_time_s: 15,
        command_processes: 16,
        command_memory_mb: 17,
        command_disk_mb: 18,
        plugin_time_s: 19,
        ..RunSettings::default()
    };
    Settings { runs, ..Settings::default() }
}

#[test]
fn every_setting_of_runs_can_be_set_in_the_file_and_by_its_variable() {
    let lines: Vec<String> = VALUES.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    let by_file = resolved(&format!("[runs]\n{}", lines.concat()), "", &[]);
    assert_eq!((by_file.settings, by_file.warnings), (expected(), vec![]));
    let names = VALUES.map(|(key, _)| format!("NUDGE_RUNS_{}", key.to_uppercase()));
    let vars: Vec<(&str, &str)> =
        names.iter().zip(VALUES).map(|(name, (_, value))| (name.as_str(), value)).collect();
    let by_variable = resolved("", "", &vars);
    assert_eq!((by_variable.settings, by_variable.warnings), (expected(), vec![]));
}

#[test]
fn requests_are_credited_to_what_the_user_names() {
    let file = "[runs]\nhttp_referer = \"https://shop.example\"\nx_title = \"Shop 1\"\n";
    let vars = [("NUDGE_RUNS_HTTP_REFERER", "https://shop.example"), ("NUDGE_RUNS_X_TITLE", "Shop 1")];
    for found in [resolved(file, "", &[]), resolved("", "", &vars)] {
        let runs = found.settings.runs;
        assert_eq!((runs.http_referer.as_str(), runs.x_title.as_str()), ("https://shop.example", "Shop 1"));
    }
    let broken = resolved("runs.x_title = \"a\\nb\"\n", file, &[]);
    assert_eq!(broken.settings, Settings::default());
    assert_eq!(broken.warnings.len(), 3, "{:?}", broken.warnings);
}

#[test]
fn a_value_out_of_range_is_a_warning_and_the_default_stays() {
    for (key, value) in [
        ("ceiling", "0.05"),
        ("ceiling", "1.01"),
        ("ceiling", "nan"),
        ("max_entry_tokens", "0"),
        ("max_turns", "0"),
        ("max_turns", "1.5"),
        ("max_commands", "-1"),
        ("max_strikes", "0"),
        ("min_cycles", "1"),
        ("max_cycle_period", "0"),
        ("retention_days", "36501"),
        ("think", "\"maybe\""),
        ("temperature", "2.1"),
        ("temperature", "-0.1"),
        ("temperature", "[1]"),
        ("fetch_timeout_s", "0"),
        ("retry_deadline_s", "86401"),
        ("max_backoff_s", "0"),
        ("answer_timeout_s", "0"),
    ] {
        let found = resolved(&format!("runs.{key} = {value}\n"), "", &[]);
        assert_eq!(found.settings, Settings::default(), "{key} = {value}");
        let [why] = &found.warnings[..] else { panic!("{key} = {value}: {:?}", found.warnings) };
        assert!(why.starts_with(&format!("/c/config.toml: runs.{key} takes ")), "{why}");
        assert_eq!(found.unsure, Vec::<String>::new(), "{key} = {value}");
    }
    let found = resolved("runs.ceiling = 7.5\n", "", &[("NUDGE_RUNS_MAX_TURN", "1")]);
    assert_eq!(
        found.warnings,
        [
            "/c/config.toml: runs.ceiling takes a number from 0.1 to 1, not `7.5`",
            "there is no variable `NUDGE_RUNS_MAX_TURN`; did you mean `NUDGE_RUNS_MAX_TURNS`?",
        ]
    );
}

#[test]
fn a_project_may_only_lower_turns_and_commands() {
    let lowered = resolved("", "runs.max_turns = 10\nruns.max_commands = 20\n", &[]);
    assert_eq!((lowered.settings.runs.max_turns, lowered.settings.runs.max_commands), (10, 20));
    assert_eq!(lowered.warnings, Vec::<String>::new());
    let raised = resolved("runs.max_turns = 5\n", "runs.max_turns = 6\nruns.max_commands = 100\n", &[]);
    assert_eq!((raised.settings.runs.max_turns, raised.settings.runs.max_commands), (5, 99));
    assert_eq!(raised.warnings.len(), 2, "{:?}", raised.warnings);
    for (key, value) in VALUES.iter().filter(|(key, _)| !["max_turns", "max_commands"].contains(key)) {
        let refused = resolved("", &format!("[runs]\n{key} = {value}\n"), &[]);
        assert_eq!(refused.settings, Settings::default(), "{key}");
        let why = format!("/p/.nudge.toml: runs.{key} stays as it is: a project cannot set it");
        assert_eq!(refused.warnings, [why]);
    }
}

#[test]
fn an_agent_cannot_set_limits_models_or_plugins_by_variable() {
    for guarded in [
        "NUDGE_RUNS_MAX_TURNS",
        "NUDGE_MODEL_fast",
        "NUDGE_CONTEXT_fast",
        "NUDGE_MAX_HINTS",
        "NUDGE_PLUGIN_issues",
        "NUDGE_WEB_SEARCH_URL",
    ] {
        assert!(is_guard(guarded), "{guarded}");
    }
    for open in ["NUDGE_PORT", "NUDGE_INJECT", "NUDGE_HOME", "port"] {
        assert!(!is_guard(open), "{open}");
    }
}
