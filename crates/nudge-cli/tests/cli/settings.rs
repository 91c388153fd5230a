//! Where settings come from, and what `nudge config` reports.

use insta::assert_snapshot;
use nudge_testkit::TestHome;

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

/// @hint_quota: a running server changes nothing about the limits of the user's command, and an
/// agent's command raises none of them.
#[test]
fn the_users_limits_apply_beside_a_server() {
    let home = home();
    let _server = home.daemon(&["--max-hints-per-component", "2"]);
    let set = |key: &str, most: &str| {
        home.nudge(["set", "a", key, "v", "--max-hints-per-component", most, "--json"])
    };
    set("one", "1").run().ok();
    assert_eq!(set("two", "1").run().fault(6)["data"]["limit"], 1);
    set("two", "2").run().ok();
    assert_eq!(set("three", "3").env("CLAUDECODE", "1").run().fault(6)["data"]["limit"], 2);
    set("three", "3").run().ok();
    let stats = home.run(["stats", "--max-hints", "7", "--json"]).json();
    assert_eq!(stats["max_hints"], 7);
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

/// @settings_layers: mistakes in the settings stop no server; it logs that there are some and uses
/// the layer below. A flag with a wrong value stops it.
#[test]
fn a_server_starts_in_spite_of_mistakes_and_not_with_a_wrong_flag() {
    let logged = |home: &TestHome, mistakes: usize| {
        let log = std::fs::read_to_string(home.memory().join("logs/server.log")).unwrap_or_default();
        let warned =
            log.lines().any(|line| line.contains(" WARN ") && line.contains(&format!("mistakes={mistakes}")));
        assert_eq!(warned, mistakes > 0, "{log}");
        assert!(!log.contains("frob"), "{log}");
    };
    for (file, mistakes) in [("port = \"frob\"\nmax_hints = 1\n", 1), ("port = frob = 1\n", 1), ("", 0)] {
        let home = home();
        for flag in [["--port", "99999"], ["--port", "frob"], ["--max-hints", "frob"]] {
            home.nudge(["serve", "--daemon"].into_iter().chain(flag)).run().exits(2);
        }
        assert_eq!(home.run(["status", "--json"]).json()["running"], false);
        home.file(".config/nudge/config.toml", file);
        let variable = home
            .nudge(["serve", "--daemon"])
            .env("NUDGE_LOG_LEVEL", if file.is_empty() { "info" } else { "frob" });
        variable.run().ok();
        let _server = home.daemon(&[]);
        logged(&home, if mistakes > 0 { mistakes + 1 } else { 0 });
        home.run(["set", "a", "one", "1"]).ok();
        // What else is in a file with a wrong value holds; of one that is not TOML, nothing does.
        let quota = if file.contains("max_hints") { 6 } else { 0 };
        home.run(["set", "a", "two", "2"]).exits(quota);
    }
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

/// @authority_settings: an agent that names the user's memory by another way has the user's
/// settings.
#[test]
fn naming_the_memory_is_no_way_around_its_settings() {
    let home = home();
    home.file(".config/nudge/config.toml", "max_hints = 1\n");
    home.run(["set", "a", "k", "v", "--ttl", "forever"]).ok();
    let linked = home.dir("linked");
    for entry in std::fs::read_dir(home.memory()).expect("a directory") {
        let path = entry.expect("an entry").path();
        std::os::unix::fs::symlink(&path, linked.join(path.file_name().expect("a name"))).expect("linked");
    }
    std::fs::write(linked.join("config.toml"), "max_hints = 99\n").expect("written");
    let full = home.nudge(["set", "b", "k", "v"]).env("CLAUDECODE", "1").run();
    assert_ne!(full.code, Some(0), "{full:?}");
    for named in [home.memory(), linked] {
        let named = named.to_str().expect("text");
        let by_flag = home.nudge(["--home", named, "set", "b", "k", "v"]).env("CLAUDECODE", "1").run();
        let call = home.nudge(["set", "b", "k", "v"]).env("CLAUDECODE", "1");
        let by_variable = call.env("NUDGE_HOME", named).run();
        assert_eq!((by_flag.code, by_variable.code), (full.code, full.code), "{by_flag:?} {by_variable:?}");
    }
}

/// @files_inside_root: a memory inside a project is not a part of it, however it was named.
#[test]
fn a_named_memory_is_kept_out_of_the_project() {
    let home = home();
    let dir = home.dir("shop").canonicalize().expect("a directory");
    nudge_testkit::git::repository(&dir, None, "main");
    home.file("shop/.mem/keys.toml", "openai = \"key-of-the-user\"\n");
    let named = dir.join(".mem");
    let named = named.to_str().expect("text");
    for words in [&["entry", "get", ".mem/keys.toml"][..], &["entry", "ls", "**"]] {
        let call = home.nudge([&["--home", named][..], words].concat()).cwd(&dir).env("CLAUDECODE", "1");
        let read = call.run();
        assert!(!read.stdout.contains("key-of-the-user") && !read.stdout.contains("keys.toml"), "{read:?}");
    }
}
