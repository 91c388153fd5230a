//! How far back the recent context reaches: past files that are edited again and again, past other
//! projects, past other sessions.

use std::collections::HashSet;

use nudge_memory::capture::EventBody;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::recall::setup::{Recall, command, edit, fresh, ids, prompt, read};

const HOUR: i64 = 3_600;

/// Edits of that many files of a project, a second apart.
fn edits(place: &'static str, from: i64, count: i64) -> impl Iterator<Item = (&'static str, i64, EventBody)> {
    let (_, project) = place.split_once('/').expect("session/project");
    (from..from + count).map(move |at| (place, at, edit(&format!("/{project}/{at}.rs"))))
}

/// That many reads and commands of a project, a second apart.
fn chores(
    place: &'static str,
    from: i64,
    count: i64,
) -> impl Iterator<Item = (&'static str, i64, EventBody)> {
    (from..from + count).map(move |at| {
        (place, at, if at % 2 == 0 { read(&format!("/api/{at}.md")) } else { command(&format!("step {at}")) })
    })
}

fn newest_first(mut ids: Vec<i64>) -> Vec<i64> {
    ids.reverse();
    ids
}

/// @recall_recent_rows: however often a few files are edited, files edited before them are shown,
/// and not those that were only read.
#[test]
fn files_edited_again_and_again_do_not_hide_the_others() {
    let bench = fresh();
    let others = newest_first(bench.keep_all(edits("s-1/api", 0, 40)));
    let again = (0..900).map(|at| ("s-2/web", 100 + at, edit(&format!("/web/{}.rs", at % 3))));
    let again = newest_first(bench.keep_all(again));
    bench.keep_all((0..40).map(|at| ("s-3/web", 2_000 + at, read(&format!("/web/{at}.md")))));
    for project in [json!(null), json!("web"), json!("api")] {
        let rows = bench.answer("recent_context", json!({"project": project}));
        let here = if project == "api" { [&others[..30], &[]] } else { [&again[..3], &others[..27]] };
        assert_eq!(ids(&rows, "id"), here.concat(), "{project}");
    }
}

/// @recall_recent_rows: the edits of a project are shown even if thousands of its reads and
/// commands, and edits elsewhere, are newer.
#[test]
fn edits_are_found_behind_reads_and_commands() {
    let mut bench = fresh();
    bench.ask_at(3 * HOUR);
    let edited = newest_first(bench.keep_all(edits("s-1/api", 0, 5)));
    let reported_first = || {
        for params in [json!({}), json!({"only": true}), json!({"limit": 100})] {
            let rows = bench.answer("recent_context", params);
            assert_eq!(ids(&rows, "id")[..5], edited, "{rows}");
        }
    };
    bench.keep_all(chores("s-2/api", 10, 1_600));
    bench.keep_all(edits("s-3/web", 2_000, 150));
    reported_first();
    bench.keep_all(chores("s-4/api", 2_200, 3_000));
    bench.keep_all(edits("s-5/web", 6_000, 150));
    reported_first();
}

/// @recall_recent_rows: a session's actions and prompts in a project are shown there, wherever it
/// began, and nothing of what it did elsewhere.
#[test]
fn a_session_that_moved_here_is_reported_of() {
    let bench = fresh();
    bench.keep_all(edits("s-1/work", 0, 3));
    let edited = bench.keep("s-1/api", 10, edit("/api/a.rs"));
    let said = bench.keep("s-1/api", 11, prompt("now the tests"));
    let ran = bench.keep("s-1/api", 12, command("make test"));
    bench.keep("s-1/work", 13, prompt("and back"));
    bench.keep_all(chores("s-1/work", 20, 600));
    bench.keep_all(edits("s-2/web", 1_000, 150));
    assert_eq!(ids(&bench.answer("recent_context", json!({"only": true})), "id"), [edited, ran, said]);
}

/// @recall_recent_rows: a working session is shown, however many began after it.
#[test]
fn a_long_session_is_not_hidden_by_those_that_began_later() {
    let bench = fresh();
    bench.keep("s-long/api", 0, command("make"));
    for session in 0..10 {
        let place = format!("s-{session}/api");
        bench.keep_all((0..160).map(|at| (&place, 1 + session * 200 + at, command("make"))));
    }
    let edited = bench.keep("s-long/api", 2_500, edit("/api/a.rs"));
    let first = |bench: &MemoryBench, params: Value| ids(&bench.answer("recent_context", params), "id")[0];
    assert_eq!(first(&bench, json!({"only": true})), edited);
    let since = (0..600).map(|session| (format!("t-{session}/api"), 2_600 + session, command("make")));
    bench.keep_all(since);
    let edited = bench.keep("s-long/api", 3_400, edit("/api/b.rs"));
    assert_eq!(first(&bench, json!({"only": true})), edited);
}

/// An event in a generated history, as far as it counts.
#[derive(Clone)]
struct Made {
    id: i64,
    project: &'static str,
    after: i64,
    weight: f64,
    file: Option<String>,
    is_said: bool,
}

/// About a hundred rows of three projects within a month, of sessions that move between them.
fn made_up(bench: &MemoryBench, mut dice: u64) -> Vec<Made> {
    let mut roll = |sides: i64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as i64 % sides
    };
    let mut rows = Vec::new();
    let mut made = Vec::new();
    for after in (0..400).map(|row| row * 6_000) {
        let project = ["api", "web", "lib"][roll(3) as usize];
        let path = format!("/{project}/{}.rs", roll(30));
        let (what, weight, file) = match roll(5) {
            0 => (edit(&path), 1.0, Some(path)),
            1 => (read(&path), 0.17, Some(path)),
            2 | 3 => (command("make"), 0.67, None),
            _ => (prompt("go on"), 0.17, None),
        };
        let is_said = matches!(what, EventBody::Prompt { .. });
        rows.push((format!("s-{}/{project}", roll(12)), after, what));
        made.push(Made { id: 0, project, after, weight, file, is_said });
    }
    made.iter_mut().zip(bench.keep_all(rows)).for_each(|(made, id)| made.id = id);
    made
}

/// The result of scoring every row.
fn all_looked_at(made: &[Made], now: i64, here: Option<&str>, only: bool) -> Vec<i64> {
    let is_here = |made: &Made| here == Some(made.project);
    let is_reported = |made: &&Made| here.is_none() || is_here(made) || !(only || made.is_said);
    let score = |made: &Made| {
        let recency = 0.5_f64.powf((now - made.after) as f64 / (7.0 * 86_400.0));
        match here {
            None => 0.6 * recency + 0.4 * made.weight,
            Some(_) => 0.5 * recency + 0.3 * made.weight + 0.2 * if is_here(made) { 1.0 } else { 0.3 },
        }
    };
    let mut reported: Vec<&Made> = made.iter().filter(is_reported).collect();
    reported.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut files = HashSet::new();
    reported.retain(|made| made.file.as_ref().is_none_or(|file| files.insert(file)));
    reported.into_iter().map(|made| made.id).collect()
}

/// @recall_recent_rows: the rows are those that scoring every row would find.
#[test]
fn nothing_that_counts_more_is_passed_over() {
    let now = 400 * 6_000;
    for seed in 1..=3 {
        let mut bench = fresh();
        bench.ask_at(now);
        let made = made_up(&bench, seed);
        for (here, only) in [(None, false), (Some("api"), false), (Some("api"), true)] {
            let expected = all_looked_at(&made, now, here, only);
            for limit in [1, 7, 30, 100] {
                let rows =
                    bench.answer("recent_context", json!({"project": here, "only": only, "limit": limit}));
                let most = limit.min(expected.len());
                assert_eq!(ids(&rows, "id"), expected[..most], "{seed} {here:?} {only} {limit}");
            }
        }
    }
}
