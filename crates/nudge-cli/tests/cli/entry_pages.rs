//! The pages of `nudge entry` and of proposals about entries, at both widths and in colour.

use insta::assert_snapshot;
use nudge_testkit::TestHome;

use crate::cli::home;
use crate::cli::widths::{at_widths, at_widths_as};

const LONG: &str =
    "known://a-plan-with-a-very-long-name/that-does-not-end/before-the-last-column/日本語の名前";

/// A project with entries of the user and of an agent, files, a constraint and proposals.
fn scene() -> TestHome {
    let home = home();
    let dir = home.dir("shop");
    home.file("shop/src/main.rs", "fn main() {\n    let port = 5432;\n    run(port);\n}\n");
    home.file("shop/src/tax.rs", "pub fn tax() {}\n");
    let person = |words: &[&str]| home.nudge(words).cwd(&dir).run().ok();
    let agent = |words: &[&str]| home.nudge(words).cwd(&dir).env("CLAUDECODE", "1").run().ok();
    person(&["entry", "set", "known://plan/a", "round the tax per line\nand say which orders differ"]);
    person(&["entry", "set", "known://plan/b", "ask support", "--visibility", "archived"]);
    person(&["entry", "set", LONG, "long", "--state", "failed", "--outcome", "timeout"]);
    agent(&["entry", "set", "known://plan/c", "the cache was cold", "--summary", "cold cache"]);
    person(&["entry", "constraint", "migrations/**", "--readonly"]);
    person(&["entry", "constraint", "generated/*.rs", "--ignore"]);
    agent(&["entry", "set", "src/main.rs", "s/5432/5433/"]);
    agent(&["entry", "set", "known://plan/a", "round the tax per order"]);
    agent(&["entry", "set", "known://plan/a", "--attr", "owner=ops"]);
    agent(&["entry", "mv", "src/tax.rs", "src/taxes.rs"]);
    agent(&["entry", "rm", "src/tax.rs"]);
    home
}

/// Pages that change nothing, or the same every time.
const PAGES: [(&str, &[&str]); 16] = [
    ("ls", &["entry", "ls", "known://**"]),
    ("ls_rest", &["entry", "ls", "known://**", "--limit", "1"]),
    ("preview", &["entry", "get", "/(known|src).*/", "--preview"]),
    ("get_one", &["entry", "get", "known://plan/a"]),
    ("get_several", &["entry", "get", "known://plan/*"]),
    ("get_rest", &["entry", "get", "known://plan/*", "--max", "1"]),
    ("get_none", &["entry", "get", "known://none/*"]),
    ("set", &["entry", "set", "known://plan/b", "ask support"]),
    ("set_preview", &["entry", "set", "src/main.rs", "s/5432/1/", "--preview"]),
    ("set_vetoed", &["entry", "set", "migrations/1.sql", "drop table"]),
    ("rm_unconfirmed", &["entry", "rm", "known://plan/*"]),
    ("mv_preview", &["entry", "mv", "known://plan/*", "known://old/*", "--preview"]),
    ("some_fail", &["entry", "set", "known://plan/*", "s/tax/duty/", "--preview"]),
    ("update", &["entry", "update", "half of it is done"]),
    ("scan", &["entry", "scan"]),
    ("constraints", &["entry", "constraint"]),
];

/// @entry_command, @entry_preview, @entry_rm_confirm
#[test]
fn entry_pages_at_both_widths_and_in_colour() {
    let home = scene();
    for (name, words) in PAGES {
        assert_snapshot!(format!("entry_{name}"), at_widths(&home, words));
    }
}

/// @entry_file_proposal: as an agent sees its proposals, and as the user reviews them.
#[test]
fn entry_proposals_at_both_widths_and_in_colour() {
    let home = scene();
    let agent = [("CLAUDECODE", "1")];
    let words = ["entry", "set", "src/main.rs", "s/5432/5433/"];
    assert_snapshot!("entry_proposed", at_widths_as(&home, &words, &agent));
    assert_snapshot!("entry_review", at_widths(&home, &["review", "--list"]));
    let dir = home.path().join("shop");
    let listed = home.nudge(["review", "--list", "--json"]).cwd(&dir).run().json();
    let listed = listed["proposals"].as_array().expect("a list");
    let of_file = listed.iter().find(|one| one["path"] == "src/main.rs").expect("one of the file");
    let id = of_file["id"].to_string();
    assert_snapshot!("entry_show_proposal", at_widths(&home, &["show", &id]));
    home.nudge(["review", "drop", &id]).cwd(&dir).run().ok();
    assert_snapshot!("entry_dropped_before", at_widths_as(&home, &words, &agent));
}
