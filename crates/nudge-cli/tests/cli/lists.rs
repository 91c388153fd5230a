//! `query` and `ls`.

use insta::assert_snapshot;
use nudge_testkit::TestHome;

use crate::cli::home;

fn stocked() -> TestHome {
    let home = home();
    home.run([
        "set",
        "http-proxy",
        "build",
        "docker compose build router",
        "--tags",
        "build,docker",
        "--priority",
        "9",
    ])
    .ok();
    home.run(["set", "http-proxy", "run", "docker compose up", "--tags", "run,docker"]).ok();
    home.run(["set", "http-proxy", "directory", "/Users/dev/code/http-proxy", "--scope-os", "darwin"]).ok();
    home.run(["set", "http-proxy", "directory", "/srv/http-proxy", "--scope-os", "linux"]).ok();
    home.run(["set", "api", "env.FEATURE_X", "1", "--tags", "env,test"]).ok();
    home
}

/// @cli_ls
#[test]
fn components_and_their_keys_are_listed() {
    let home = stocked();
    assert_snapshot!("ls", home.run(["ls"]).page());
    assert_snapshot!("ls_component", home.run(["ls", "http-proxy"]).page());
    assert_eq!(home.run(["list-components"]).ok(), home.run(["ls"]).ok());
}

/// @cli_ls
#[test]
fn an_empty_memory_says_how_to_begin() {
    let home = home();
    assert_snapshot!("ls_empty", home.run(["ls"]).page());
    assert_snapshot!("query_empty", home.run(["query"]).page());
    home.run(["ls", "nope"]).exits(3);
}

/// @cli_query
#[test]
fn a_query_filters_and_ranks() {
    let home = stocked();
    assert_snapshot!("query", home.run(["query", "--component", "http-proxy"]).page());
    let keys = |words: &[&str]| {
        let answer = home.run([&["query", "--json"], words].concat()).json();
        let hints = answer["hints"].as_array().expect("a list").clone();
        hints.iter().map(|row| row["hint"]["key"].as_str().expect("a key").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&["--tags", "docker"]), ["build", "run"]);
    assert_eq!(keys(&["--tags", "docker,run"]), ["run"]);
    assert_eq!(keys(&["--key", "run,build", "--limit", "1"]), ["build"]);
    assert_eq!(keys(&["--regex", "compose (up|down)"]), ["run"]);
    assert_eq!(keys(&["--component", "nope"]), Vec::<String>::new());
    assert_eq!(keys(&["--key", "directory", "--os", "darwin"]), ["directory"]);
}

/// @cli_query
#[test]
fn a_query_says_what_it_left_out() {
    let home = stocked();
    let answer = home.run(["query", "--component", "http-proxy", "--limit", "1", "--json"]).json();
    assert_eq!(answer["left_out"]["not_eligible"], 1);
    assert_eq!(answer["left_out"]["over_limit"], 2);
    home.run(["query", "--regex", "(unclosed", "--json"]).fault(2);
    home.run(["query", "--limit", "0", "--json"]).fault(2);
}

/// @cli_query
#[test]
fn plain_text_is_found_in_either_case() {
    let home = home();
    home.run(["set", "api", "build", "Docker compose (v2)"]).ok();
    let found = home.run(["query", "docker COMPOSE (V2)", "--json"]).json();
    assert_eq!(found["hints"][0]["hint"]["key"], "build");
    assert_eq!(home.run(["query", "d.cker", "--json"]).json()["hints"].as_array().map(Vec::len), Some(0));
}

/// @hint_metrics
#[test]
fn stats_name_what_is_used() {
    let home = home();
    assert_snapshot!("stats_empty", home.run(["stats"]).page());
    home.run(["set", "api", "build", "make", "--tags", "build,rust"]).ok();
    home.run(["set", "web", "build", "npm run build", "--tags", "build"]).ok();
    home.run(["bump", "web", "build", "--delta", "3"]).ok();
    assert_snapshot!("stats", home.run(["stats"]).page());
}
