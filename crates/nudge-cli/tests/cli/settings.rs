//! Where settings come from, and what `nudge config` reports.

use insta::assert_snapshot;

use crate::cli::home;

/// @settings_layers
#[test]
fn every_key_is_printed_with_its_value_and_source() {
    let home = home();
    assert_snapshot!("config_defaults", home.nudge(["config"]).env("COLUMNS", "80").run().page());
    home.file(".config/nudge/config.toml", "port = 9000\nmax_hints = 100\ndefault_ttl = \"P30D\"\n");
    home.file("app/.nudge.toml", "default_ttl = \"PT1H\"\n");
    let dir = home.dir("app");
    let page = home
        .nudge(["config", "--log-level", "debug"])
        .cwd(&dir)
        .env("NUDGE_MAX_HINTS", "50")
        .env("COLUMNS", "80");
    assert_snapshot!("config_layers", page.run().page());
}

/// @settings_layers
#[test]
fn an_unknown_key_warns_with_the_nearest_name_and_get_stays_quiet() {
    let home = home();
    home.file(".config/nudge/config.toml", "defualt_ttl = \"forever\"\n");
    assert_snapshot!("config_unknown_key", home.nudge(["config"]).env("COLUMNS", "80").run().page());
    home.run(["set", "api", "build", "make"]).ok();
    let got = home.run(["get", "api", "build"]);
    assert_eq!(got.stderr, "");
}

/// @settings_layers @settings_environment
#[test]
fn limits_hold_from_variable_and_flag() {
    let home = home();
    home.nudge(["set", "a", "one", "1"]).env("NUDGE_MAX_HINTS", "1").run().ok();
    let fault = home.nudge(["set", "a", "two", "2", "--json"]).env("NUDGE_MAX_HINTS", "1").run().fault(6);
    assert_eq!((fault["id"].as_str(), fault["data"]["limit"].as_i64()), (Some("E_QUOTA"), Some(1)));
    let fault = home.run(["set", "b", "one", "1", "--max-components", "1", "--json"]).fault(6);
    assert_eq!(fault["data"]["reason"], "max_components");
    home.run(["set", "a", "two", "2"]).ok();
}

/// @settings_layers @settings_environment @authority_settings
#[test]
fn the_user_names_models_and_a_project_or_an_agent_does_not() {
    let home = home();
    home.file(
        ".config/nudge/config.toml",
        "[models.local]\nmodel = \"openai/qwen\"\napi_key = \"hunter2\"\n",
    );
    home.file("app/.nudge.toml", "[models.local]\nmodel = \"openai/theirs\"\n");
    let dir = home.dir("app");
    let config = || home.nudge(["config", "--json"]).cwd(&dir).env("NUDGE_MODEL_fast", "ollama/smol");
    let models = |answer: &serde_json::Value| {
        let rows = answer["keys"].as_array().expect("a list");
        rows.iter().find(|row| row["key"] == "models").expect("a key")["value"].clone()
    };
    let answer = config().run().json();
    assert_eq!(models(&answer), serde_json::json!(["fast=ollama/smol", "local=openai/qwen"]));
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(2), "{answer}");
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
    let answer = config().env("CLAUDECODE", "1").run().json();
    assert_eq!(models(&answer), serde_json::json!(["local=openai/qwen"]));
}

/// @settings_layers
#[test]
fn the_configuration_page_lists_every_key() {
    let home = home();
    let page = home.run(["config", "--markdown"]).ok();
    let keys = home.run(["config", "--json"]).json();
    for row in keys["keys"].as_array().expect("a list") {
        let key = row["key"].as_str().expect("a name");
        assert!(page.contains(&format!("`{key}`")), "{key} is not on the page");
    }
}

/// @cli_home
#[test]
fn a_home_of_its_own_has_everything_under_it() {
    let home = home();
    let other = home.dir("elsewhere");
    let flag = other.to_str().expect("utf-8");
    home.run(["set", "api", "build", "make"]).ok();
    home.run(["--home", flag, "get", "api", "build"]).exits(3);
    home.nudge(["set", "api", "build", "gmake"]).env("NUDGE_HOME", flag).run().ok();
    assert_eq!(home.run(["--home", flag, "get", "api", "build", "--json"]).json()["hint"]["value"], "gmake");
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    home.run(["--home", "relative/dir", "ls"]).exits(2);
}
