//! What a session gets after its context was cleared.

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::Action;
use nudge_memory::inject::InjectionLimits;
use nudge_testkit::MemoryBench;
use serde_json::json;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, action, asked, concluded, did, ends, failed, fresh, plain, ran, seeded,
    starts, touched,
};

fn busy() -> MemoryBench {
    let bench = fresh();
    bench.work("old", "p", NOW - 24 * HOUR, "lexer");
    bench.keep(ends("old", "p", NOW - 23 * HOUR, "exit"));
    let at = NOW - 10 * MINUTE;
    bench.keep(asked("one", "p", at, "make the parser keep the last token"));
    for (step, file) in ["parse.rs", "lex.rs", "parse.rs"].into_iter().enumerate() {
        let at = at + step as i64 * 1_000;
        bench.keep(touched("one", "p", at, ObservationKind::FileEdit, &format!("/w/p/src/{file}")));
    }
    bench.keep(failed("one", "p", at + MINUTE, "cargo test", "assertion failed\n  left: 1"));
    bench
}

/// @injection_recovery: last prompts, files in flight, the last command and its outcome; no rows of
/// old commands.
#[test]
fn an_emptied_context_gets_what_it_was_doing() {
    let bench = busy();
    for cause in ["compact", "clear"] {
        let injected = bench.injected(starts("one", "p", NOW, cause));
        insta::with_settings!({snapshot_suffix => "recovery"}, {
            insta::assert_snapshot!(plain(&injected));
        });
    }
}

/// @injection_recovery: a session that lost its context before it did anything gets where the work
/// stopped, every time.
#[test]
fn what_was_lost_comes_again() {
    let bench = busy();
    assert!(bench.injected(starts("two", "p", NOW, "startup")).contains("mend lexer"));
    assert_eq!(bench.injected(starts("two", "p", NOW + 1, "resume")), "");
    for step in 2..5 {
        assert!(bench.injected(starts("two", "p", NOW + step, "compact")).contains("mend lexer"));
    }
    assert_eq!(bench.injected(starts("two", "p", NOW + 9, "resume")), "");
    assert_eq!(bench.ledger("two").len(), 4);
}

/// @injection_recovery: if clearing begins a session with another id, that session gets what the
/// cleared one was doing.
#[test]
fn a_cleared_session_goes_on_under_another_name() {
    let bench = busy();
    bench.keep(ends("one", "p", NOW - 1_000, "clear"));
    let injected = bench.injected(starts("next", "p", NOW, "clear"));
    assert!(injected.contains("the person asked: \"make the parser keep the last token\""), "{injected}");
    assert!(injected.contains("- was changing src/parse.rs"), "{injected}");
    let late = bench.injected(starts("later", "p", NOW + HOUR, "clear"));
    assert!(!late.contains("the person asked"), "that was another's: {late}");
}

/// @injection_recovery: the end of the cleared session may be reported after the start of the next;
/// if two are running, neither is used.
#[test]
fn a_clear_may_be_injected_before_the_end() {
    let bench = busy();
    bench.keep(asked("one", "p", NOW - MINUTE, "and the lexer"));
    assert!(
        bench.injected(starts("next", "p", NOW, "clear")).contains("the person asked: \"and the lexer\"")
    );
    let bench = busy();
    bench.keep(asked("one", "p", NOW - MINUTE, "and the lexer"));
    bench.work("two", "p", NOW - MINUTE, "other");
    assert!(!bench.injected(starts("next", "p", NOW, "clear")).contains("the person asked"));
    let own = bench.injected(starts("two", "p", NOW, "clear"));
    assert!(
        own.contains("the person asked: \"mend other\"") && !own.contains("asked: \"and the lexer\""),
        "{own}"
    );
}

/// @injection_recovery: each request with what was concluded in its turn, the files, the last
/// failure and whether it passed since, the last command and the open to-dos, and no table.
#[test]
fn an_emptied_context_gets_requests_with_conclusions() {
    let bench = fresh();
    bench.work("old", "p", NOW - DAY, "lexer");
    bench.keep(ends("old", "p", NOW - DAY + MINUTE, "exit"));
    let at = NOW - HOUR;
    let kept = "`parse_line` in parse.rs now keeps the last token.";
    let mended = "lexer.rs now reads each line once.";
    bench.keep(asked("one", "p", at, "make the parser keep the last token"));
    bench.keep(touched("one", "p", at + 1, ObservationKind::FileEdit, "/w/p/src/parse.rs"));
    bench.keep(concluded("one", "p", at + 2, kept));
    bench.keep(asked("one", "p", at + MINUTE, "and the lexer"));
    bench.keep(failed("one", "p", at + MINUTE + 1, "make lint", "no such target"));
    let noted = bench.keep(did("one", "p", at + MINUTE + 2, todos(&["expand tabs", "measure the lexer"])));
    bench.keep(ran("one", "p", at + MINUTE + 3, "make build", Outcome::Success));
    bench.keep(concluded("one", "p", at + MINUTE + 4, mended));
    bench.keep(asked("one", "p", at + 2 * MINUTE, "go on"));
    let lost = bench.injected(starts("one", "p", NOW, "compact"));
    let at = |line: &str| lost.find(line).unwrap_or_else(|| panic!("{line}: {lost}"));
    let order = [
        "- [58m ago] the person asked: \"go on\"\n- [".to_owned(),
        format!("] the person asked: \"and the lexer\"\n  the agent concluded: \"{mended}\" #"),
        format!(
            "] the person asked: \"make the parser keep the last token\"\n  the agent concluded: \"{kept}\" #"
        ),
        "- was changing src/parse.rs\n".to_owned(),
        "] failed: `make lint`, exit 1: \"no such target\"; it has not passed since #".to_owned(),
        "] the last command: `make build`, exit 0\n".to_owned(),
        "- open to-dos: \"expand tabs\", \"measure the lexer\"\n".to_owned(),
    ];
    assert!(order.iter().map(|line| at(line)).is_sorted(), "{lost}");
    for absent in ["| ID |", "## Recent Intents", "## Where the work stopped", "lexer\" →"] {
        assert!(!lost.contains(absent), "{absent}: {lost}");
    }
    assert!(bench.ledger("one")[0].1.iter().any(|line| line.is_injected() && line.entry.0 == noted));
    bench.keep(ran("two", "p", NOW + 1, "make lint", Outcome::Success));
    let later = bench.injected(starts("one", "p", NOW + 2, "compact"));
    assert!(later.contains("\"no such target\"; it passed since #"), "{later}");
}

/// The agent writes its list of to-dos.
fn todos(open: &[&str]) -> Action {
    let mut action = action(ObservationKind::ToolOther, "to-dos", Outcome::Success);
    action.metadata.insert("todos".into(), json!(open));
    action
}

/// @injection_rows: a start shows twenty rows of the project and ten of others.
/// @injection_recovery: after `compact` and after `clear` it is thirty and fifteen.
#[test]
fn so_many_rows_at_most_of_this_project_and_of_others() {
    let bench = fresh();
    let remote = "https://example.com/ada/engine";
    for (session, project) in [("one", "copy"), ("two", "p")] {
        bench.keep(starts(session, project, NOW - HOUR, "startup").remote(remote));
        for number in 0..40 {
            let file = format!("/w/{project}/{number}");
            let at = NOW - HOUR + number * 1_000;
            bench.keep(touched(session, project, at, ObservationKind::FileWrite, &file));
        }
        bench.keep(ends(session, project, NOW - MINUTE, "exit"));
    }
    let limits = InjectionLimits {
        start_tokens: 2_200,
        recovery_tokens: 2_200,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    for (session, source, here, elsewhere) in
        [("three", "startup", 20, 10), ("four", "compact", 30, 15), ("five", "clear", 30, 15)]
    {
        let start = seeded(session, "p", NOW, source).remote(remote);
        let injected = bench.begin_with(start, limits).expect("injected").context;
        let (own, others) = injected.split_once("## Other projects").expect("both tables");
        let rows = |text: &str| text.lines().filter(|line| line.starts_with("| #")).count();
        assert_eq!((rows(own), rows(others)), (here, elsewhere), "{source}: {injected}");
    }
}

/// @injection_recovery: thirty rows of the project at most, within 1,500 tokens.
#[test]
fn recovery_tells_more_than_a_start() {
    let bench = fresh();
    for number in 0..80 {
        bench.work("one", "p", NOW - HOUR + number * 5_000, &format!("part_{number}"));
    }
    let fresh = bench.begin(seeded("two", "p", NOW, "startup")).expect("injected");
    let lost = bench.begin(seeded("one", "p", NOW, "compact")).expect("injected");
    assert!(
        fresh.tokens <= 500 && lost.tokens <= 1_500 && lost.tokens > 800,
        "{} {}",
        fresh.tokens,
        lost.tokens
    );
    let rows = lost.context.lines().filter(|line| line.starts_with("| #")).count();
    assert!((20..=30).contains(&rows), "{rows}");
}
