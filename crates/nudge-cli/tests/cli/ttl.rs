//! The lifetime of hints.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use crate::cli::home;

/// @hint_ttl
#[test]
fn set_says_when_the_hint_ends_and_how_to_keep_it() {
    let home = home();
    let pages: Vec<String> = ["session", "forever", "PT90M"]
        .iter()
        .map(|ttl| home.run(["set", "api", "key", "value", "--ttl", ttl]).page())
        .collect();
    assert_snapshot!("set_ttl", pages.join("\n"));
}

/// @hint_ttl
#[test]
fn session_is_the_default_and_stop_ends_the_session() {
    let home = home();
    home.run(["set", "api", "here", "now"]).ok();
    home.run(["set", "api", "stays", "on", "--ttl", "forever"]).ok();
    home.run(["set", "api", "timed", "out", "--ttl", "P1D"]).ok();
    home.run(["get", "api", "here"]).exits(0);
    assert_snapshot!("stop_without_server", home.run(["stop"]).page());
    home.run(["get", "api", "here"]).exits(3);
    home.run(["get", "api", "stays"]).exits(0);
    home.run(["get", "api", "timed"]).exits(0);
}

/// @hint_ttl
#[test]
fn a_duration_ends_by_the_clock_and_a_bump_does_not_renew_it() {
    let home = home();
    home.run(["set", "api", "brief", "x", "--ttl", "PT0.3S"]).ok();
    home.run(["bump", "api", "brief"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while home.run(["get", "api", "brief"]).code != Some(3) {
        assert!(Instant::now() < deadline, "the hint outlives its time");
    }
    assert_eq!(home.run(["ls", "--json"]).json()["components"].as_array().map(Vec::len), Some(0));
    assert_eq!(home.run(["set", "api", "brief", "y", "--json"]).json()["hint"]["version"], 1);
}

/// @hint_ttl
#[test]
fn the_default_lifetime_comes_from_flag_variable_or_file() {
    let home = home();
    let ttl = |call: nudge_testkit::Call| call.run().json()["hint"]["meta"]["ttl"].clone();
    assert_eq!(ttl(home.nudge(["set", "a", "b", "c", "--json"])), "session");
    home.file(".config/nudge/config.toml", "default_ttl = \"P30D\"\n");
    assert_eq!(ttl(home.nudge(["set", "a", "file", "c", "--json"])), "P30D");
    assert_eq!(ttl(home.nudge(["set", "a", "var", "c", "--json"]).env("NUDGE_DEFAULT_TTL", "PT5M")), "PT5M");
    let flag = home.nudge(["set", "a", "flag", "c", "--json", "--default-ttl", "forever"]);
    assert_eq!(ttl(flag.env("NUDGE_DEFAULT_TTL", "PT5M")), "forever");
    // An existing hint keeps its own.
    assert_eq!(ttl(home.nudge(["set", "a", "b", "d", "--json"])), "session");
}
