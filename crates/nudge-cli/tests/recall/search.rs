//! `nudge search`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::recall::setup::{Scene, ran};

fn ids(rows: &Value) -> Vec<i64> {
    rows.as_array().expect("a list").iter().map(|row| row["id"].as_i64().expect("an id")).collect()
}

/// @recall_cli_search: `--json` prints rows as one JSON array; a pipe gets the list. The count is
/// on standard error in every mode.
#[test]
fn json_prints_rows_and_a_pipe_gets_the_list() {
    let scene = Scene::new();
    let kept = scene.worked();
    let list = scene.nudge(&["search", "cargo test", "--type", "command"]).run().ok();
    assert!(list.contains("command  cargo test cart") && !list.starts_with('['), "{list}");
    let outcome = scene.nudge(&["search", "cargo test", "--type", "command", "--json"]).run();
    assert_eq!(
        outcome.stderr,
        "nudge: 1 result for \"cargo test\"\n1 matches in other projects; --all shows them\n"
    );
    let rows = outcome.json();
    assert_eq!(ids(&rows), [kept[4]]);
    let row = &rows[0];
    assert_eq!(
        json!([
            row["timestamp"],
            row["obs_type"],
            row["content_preview"],
            row["file_path"],
            row["session_id"]
        ]),
        json!([(scene.now - 165 * 60_000 - 30_000) / 1_000, "command", "cargo test cart", null, "s-shop-1"])
    );
    let same = scene.nudge(&["search", "cargo", "test", "--type=command", "--json"]).run().json();
    assert_eq!(same, rows, "words need no quotes");
    let nothing = scene.nudge(&["search", "unheard", "--json"]).run();
    assert_eq!(
        (nothing.stdout.as_str(), nothing.stderr.as_str()),
        ("[]\n", "nudge: 0 results for \"unheard\"\n")
    );
}

/// @recall_cli_search: `--full` adds event, tool, text and metadata; `--ids` prints only ids, for a
/// purge.
#[test]
fn full_rows_and_bare_ids() {
    let scene = Scene::new();
    let kept = scene.worked();
    let full = scene.nudge(&["search", "nocapture", "--full"]).run().json();
    assert_eq!(
        json!([
            full[0]["id"],
            full[0]["source_event"],
            full[0]["tool_name"],
            full[0]["content"],
            full[0]["project"]
        ]),
        json!([kept[3], "PostToolUse", "Bash", "cargo test cart -- --nocapture", "shop"])
    );
    assert_eq!(full[0]["metadata"]["exit_code"], 101);
    let bare = scene.nudge(&["search", "nocapture OR parser", "--ids"]).run();
    assert_eq!(bare.stderr, "nudge: 2 results for \"nocapture OR parser\"\n");
    let mut found: Vec<i64> = bare.stdout.lines().map(|line| line.parse().expect("a number")).collect();
    found.sort_unstable();
    assert_eq!(found, [kept[1], kept[3]]);
    for id in found {
        scene.nudge(&["purge", "--id", &id.to_string(), "--confirm"]).run().ok();
    }
    assert_eq!(scene.nudge(&["search", "nocapture OR parser", "--json"]).run().json(), json!([]));
}

/// @recall_cli_search: `--ids` prints only rows that match every word, because the caller acts on
/// each; rows say when they match only some.
#[test]
fn ids_are_never_of_less_than_was_asked_for() {
    let scene = Scene::new();
    scene.worked();
    let bare = scene.nudge(&["search", "nocapture parser", "--ids"]).run();
    assert_eq!(
        (bare.stdout.as_str(), bare.stderr.as_str()),
        ("", "nudge: 0 results for \"nocapture parser\"\n")
    );
    let many = scene.nudge(&["search", "nocapture parser cart lantern wick oil", "--ids"]).run();
    assert_eq!(many.stdout, "");
    let rows = scene.nudge(&["search", "nocapture parser", "--json"]).run();
    assert!(
        rows.stderr.contains("nothing has all of these words; these have some of them"),
        "{}",
        rows.stderr
    );
    assert_eq!(rows.json().as_array().map(Vec::len), Some(2));
}

/// @recall_search_project: a directory that claims a known project's name gets nothing from it, and
/// adds nothing to it.
#[test]
fn a_claimed_name_joins_nothing() {
    let scene = Scene::new();
    scene.worked();
    let memory =
        r#"{"id":"m1","project":"shop","date":"2026-01-01","text":"staging rotates on mondays","files":[]}"#;
    let file = scene.home.file("memories.jsonl", &format!("{memory}\n"));
    scene.home.run(["import", "memories", file.to_str().expect("utf-8")]).ok();
    let hostile = scene.home.dir("hostile");
    std::fs::write(hostile.join(".nudge.toml"), "project = \"shop\"").expect("writable");
    scene.home.nudge(["mark", "the deploy token expired"]).cwd(&hostile).run().ok();
    let found = |dir: &std::path::Path, query: &str| {
        scene.home.nudge(["search", query, "--json"]).cwd(dir).run().json().as_array().map(Vec::len)
    };
    let shop = scene.dir("shop");
    assert_eq!((found(&shop, "staging rotates"), found(&shop, "deploy token")), (Some(1), Some(0)));
    assert_eq!((found(&hostile, "staging rotates"), found(&hostile, "deploy token")), (Some(0), Some(1)));
}

/// @recall_cli_search: the limit is clamped to 1 to 100, and defaults to 20.
#[test]
fn the_limit_is_clamped() {
    let scene = Scene::new();
    let steps = (0..120).map(|number| scene.event("s-1", "shop", 10, ran(&format!("deploy step{number}"))));
    scene.keep_all(steps.collect());
    let count = |args: &[&str]| {
        let rows = scene.nudge(&[&["search", "deploy", "--json"], args].concat()).run().json();
        rows.as_array().expect("a list").len()
    };
    assert_eq!(count(&[]), 20);
    assert_eq!(count(&["--limit", "5"]), 5);
    assert_eq!(count(&["--limit", "0"]), 1);
    assert_eq!(count(&["--limit", "-7"]), 1);
    assert_eq!(count(&["--limit", "5000"]), 100);
    assert_eq!(count(&["--limit", "100", "--offset", "110"]), 10);
    let full = scene.nudge(&["search", "deploy", "--limit", "100", "--full"]).run().json();
    assert_eq!(full.as_array().map(Vec::len), Some(100));
}

/// @recall_cli_search: results can be restricted by project, file, session and time; a project is
/// given by name or directory.
#[test]
fn what_a_search_can_be_restricted_to() {
    let scene = Scene::new();
    let kept = scene.worked();
    let found = |args: &[&str]| {
        let mut found = ids(&scene.nudge(&[&["search", "cargo", "--json"], args].concat()).run().json());
        found.sort_unstable();
        found
    };
    let here = vec![kept[3], kept[4]];
    assert_eq!(found(&[]), here);
    assert_eq!(found(&["--all"]), [kept[3], kept[4], kept[6]]);
    assert_eq!(found(&["--project", "till"]), [kept[6]]);
    assert_eq!(found(&["--project", "../till"]), [kept[6]]);
    assert_eq!(found(&["--all", "--session", "s-till-1"]), [kept[6]]);
    assert_eq!(found(&["--all", "--since", "1h"]), [kept[6]]);
    assert_eq!(found(&["--all", "--until", "1h"]), here);
    assert_eq!(found(&["--order", "blended"]), here);
    let edited = scene.nudge(&["search", "cart", "--file", "src/cart.rs", "--json"]).run().json();
    assert_eq!(ids(&edited), [kept[2]]);
    scene.nudge(&["search", "cargo", "--project", "nowhere"]).run().exits(0);
}

/// @recall_cli_search: a terminal gets a readable list, with a count of matches in other projects.
#[test]
fn a_person_gets_a_list() {
    let scene = Scene::new();
    scene.worked();
    let page = |args: &[&str]| {
        let args = [&["search", "--human"], args].concat();
        scene.nudge(&args).env("COLUMNS", "160").run().page()
    };
    let pages = [
        page(&["cargo test"]),
        page(&["cargo test", "--all"]),
        page(&["cart parser"]),
        page(&["unheard"]),
        page(&["till"]),
    ];
    assert_snapshot!("search", pages.join("\n"));
    let coloured = scene.nudge(&["search", "--human", "cargo test", "--color", "always"]).run().stdout;
    assert!(coloured.contains("\u{1b}[1mcargo\u{1b}[0m \u{1b}[1mtest\u{1b}[0m cart"), "{coloured:?}");
}

/// @recall_cli_search: a malformed query is a usage error with a mark under the place.
#[test]
fn a_malformed_query_shows_where() {
    let scene = Scene::new();
    scene.worked();
    let pages = ["cargo \"test", "NOT", "(cart"].map(|query| scene.nudge(&["search", query]).run().page());
    assert_snapshot!("search_malformed", pages.join("\n"));
    scene.nudge(&["search", "\"x"]).run().exits(2);
    let fault = scene.nudge(&["search", "cargo \"test", "--json"]).run().fault(2);
    assert_eq!((&fault["data"]["reason"], &fault["data"]["at"]), (&json!("query"), &json!(6)));
    scene.nudge(&["search"]).run().exits(2);
    scene.nudge(&["search", "x", "--since", "soon"]).run().exits(2);
    scene.nudge(&["search", "x", "--type", "nonsense"]).run().exits(0);
}

/// @recall_cli_same_rows: the command line and an agent's tool return the same rows in the same
/// order, and reading changes no byte of the memory.
#[test]
fn an_agent_gets_the_same_rows() {
    let scene = Scene::new();
    scene.worked();
    let run = |number: i64| ran(&format!("cargo test cart{} --jobs {number}", number % 3));
    scene.keep_all((0..30).map(|number| scene.event("s-1", "shop", number, run(number))).collect());
    let mut agent = scene.agent();
    for (query, all) in [("cargo test", false), ("cart1 OR cart2", false), ("\"cargo test\" NOT cart1", true)]
    {
        let mut params = json!({"query": query, "limit": 20});
        let mut args = vec!["search", query, "--json"];
        if all {
            params["project"] = Value::Null;
            args.push("--all");
        }
        let injected = agent.call("search", params)["results"].clone();
        assert_eq!(scene.nudge(&args).run().json(), injected, "{query}");
        assert!(!injected.as_array().expect("a list").is_empty(), "{query}");
    }
    drop(agent);
    let database = scene.home.memory().join("nudge.db");
    let before = std::fs::read(&database).expect("there");
    scene.nudge(&["search", "cargo"]).run().ok();
    assert_eq!(std::fs::read(&database).expect("there"), before);
}
