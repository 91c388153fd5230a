//! The block that a new session gets.

use nudge_core::{ObservationKind, Outcome, tokens};
use nudge_harness::Harness;
use nudge_memory::capture::AgentRef;
use nudge_memory::inject::InjectionLimits;
use nudge_testkit::MemoryBench;

use crate::inject::setup::{
    HOUR, Inject, MINUTE, NOW, asked, ends, failed, fresh, plain, ran, seeded, starts, touched,
};

fn engine() -> MemoryBench {
    let bench = fresh();
    let at = NOW - 2 * HOUR;
    bench.keep(asked("one", "engine", at, "make the parser keep the last token"));
    bench.keep(touched("one", "engine", at + 1, ObservationKind::FileRead, "/w/engine/src/parse.rs"));
    bench.keep(touched("one", "engine", at + 2, ObservationKind::FileEdit, "/w/engine/src/parse.rs"));
    bench.keep(failed("one", "engine", at + 3, "cargo test", "assertion failed"));
    bench.keep(asked("one", "engine", at + 4, "yes"));
    bench.keep(asked("one", "engine", at + MINUTE, "commit this"));
    bench.keep(ran("one", "engine", at + MINUTE + 1, "git status", Outcome::Success));
    bench.keep(ends("one", "engine", at + MINUTE + 2, "exit"));
    bench
}

/// @injection_block: where the work stopped: the last request, what came of it, what was left.
#[test]
fn a_new_session_gets_where_the_work_stands() {
    let injected = engine().begin(starts("two", "engine", NOW, "startup")).expect("injected");
    insta::assert_snapshot!(plain(&injected.context));
    assert_eq!(injected.notice(), format!("nudge: {} lines, {} tokens", injected.lines, injected.tokens));
}

/// @injection_intents: a turn without actions is not an intent; an intent is cut to 120 characters;
/// four at most, and ten after the context was cleared.
#[test]
fn intents_are_what_was_acted_on() {
    let bench = fresh();
    for number in 0..14 {
        let at = NOW - HOUR + number * MINUTE;
        bench.keep(asked("one", "p", at, &format!("task {number} {}", "words ".repeat(30))));
        if number != 13 {
            bench.keep(ran("one", "p", at + 1, &format!("make {number}"), Outcome::Success));
        }
    }
    bench.keep(ends("one", "p", NOW - MINUTE, "exit"));
    for number in 0..5 {
        let session = format!("later{number}");
        bench.work(&session, "p", NOW - MINUTE + number, &format!("part_{number}"));
        bench.keep(ends(&session, "p", NOW - 50_000, "exit"));
    }
    let intents = |injected: &str| -> Vec<String> {
        let (_, section) = injected.split_once("## Recent Intents\n").expect("a section");
        section.lines().take_while(|line| line.starts_with("- [")).map(str::to_owned).collect()
    };
    let limits = InjectionLimits {
        start_tokens: 2_200,
        recovery_tokens: 2_200,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    let injected = bench.begin_with(seeded("two", "p", NOW, "startup"), limits).expect("injected").context;
    let found = intents(&injected);
    assert_eq!(found.len(), 4, "{injected}");
    assert!(found[0].contains("\"task 12 words") && found[0].contains("…\" → 1 action #"), "{injected}");
    assert!(!injected.contains("task 13"), "nothing was done about it");
    let quoted = found[0].split('"').nth(1).expect("quoted");
    assert_eq!(quoted.chars().count(), 120);
    let lost = bench.begin_with(seeded("two", "p", NOW, "compact"), limits).expect("injected").context;
    assert_eq!(intents(&lost).len(), 10, "{lost}");
}

/// @injection_rows: twenty rows at most, ranked by age and kind, and of rows about one file only
/// the best.
#[test]
fn rows_are_ranked_and_each_file_comes_once() {
    let bench = fresh();
    for number in 0..60 {
        let file = format!("/w/p/f{}.rs", number % 30);
        bench.keep(touched("one", "p", NOW - HOUR + number * 1_000, ObservationKind::FileEdit, &file));
        bench.keep(touched(
            "one",
            "p",
            NOW - HOUR + number * 1_000,
            ObservationKind::FileRead,
            "/w/p/read.rs",
        ));
    }
    let injected = bench
        .begin_with(
            seeded("two", "p", NOW, "startup"),
            InjectionLimits {
                start_tokens: 2_200,
                recovery_tokens: 0,
                prompt_tokens: 800,
                tool_tokens: 200,
                ask_agent: false,
            },
        )
        .expect("injected")
        .context;
    let rows: Vec<&str> = injected.lines().filter(|line| line.starts_with("| #")).collect();
    assert_eq!(rows.len(), 20, "{injected}");
    assert!(rows.iter().all(|row| row.contains("file_edit")), "edits say more than reads: {injected}");
    let mut files: Vec<&str> = rows.iter().map(|row| row.rsplit("| ").next().expect("a cell")).collect();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), 20);
}

/// @injection_budget: a start costs at most 500 tokens and about 50 lines, whatever there is; less
/// if less is requested.
#[test]
fn the_price_is_bounded() {
    let bench = fresh();
    for number in 0..300 {
        bench.work(
            "one",
            "p",
            NOW - HOUR + number * 3_000,
            &format!("a_rather_long_name_of_a_module_{number}"),
        );
    }
    let injected = bench.begin(seeded("two", "p", NOW, "startup")).expect("injected");
    assert!(injected.tokens <= 500 && injected.tokens > 250, "{}", injected.tokens);
    assert!(injected.context.lines().count() <= 50);
    let limits = InjectionLimits {
        start_tokens: 150,
        recovery_tokens: 0,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    let less = bench.begin_with(seeded("three", "p", NOW, "startup"), limits).expect("injected");
    assert!(less.tokens <= 150);
    let none =
        bench.begin_with(seeded("four", "p", NOW, "startup"), InjectionLimits { start_tokens: 0, ..limits });
    assert_eq!(none, None);
}

/// @injection_budget: the reported and recorded cost is that of the delivered text, including the
/// frame.
#[test]
fn the_price_is_that_of_the_delivered_text() {
    let bench = engine();
    for captured in [starts("two", "engine", NOW, "startup"), starts("one", "engine", NOW, "compact")] {
        let session = captured.session.clone();
        let injected = bench.begin(captured).expect("injected");
        assert!(
            injected.context.starts_with("<nudge-memory id=") && injected.context.trim_end().ends_with('>')
        );
        let price = tokens::estimate(&injected.context).0;
        assert_eq!((injected.tokens, bench.ledger(&session)[0].0.tokens), (price, price));
    }
}

/// @injection_budget: every agent accepts the most expensive block whole, by that agent's own
/// measure, in every script.
#[test]
fn every_agent_takes_the_dearest_block_whole() {
    for letters in ["word ", "слово ", "語", "ö", "🦀", "🦀\u{fe0f} ", "٣٤٥ ", "a-b_c/d.e "] {
        let bench = fresh();
        for number in 0..60 {
            let text = format!("{number} {}", letters.repeat(400));
            bench.keep(asked("one", "p", NOW - HOUR + number * 2_000, &text));
            bench.keep(failed("one", "p", NOW - HOUR + number * 2_000 + 1, &text, &text));
            let file = format!("/w/p/{number}{}", letters.repeat(60));
            bench.keep(touched(
                "one",
                "p",
                NOW - HOUR + number * 2_000 + 2,
                ObservationKind::FileEdit,
                &file,
            ));
        }
        let limits = InjectionLimits {
            start_tokens: u32::MAX,
            recovery_tokens: u32::MAX,
            prompt_tokens: 800,
            tool_tokens: 200,
            ask_agent: false,
        };
        for captured in [
            starts("one", "p", NOW, "compact"),
            starts("two", "p", NOW, "startup"),
            seeded("one", "p", NOW + 1, "compact"),
            seeded("three", "p", NOW, "startup"),
        ] {
            let injected = bench.begin_with(captured, limits).expect("injected");
            assert!(injected.tokens <= 2_200 && injected.context.chars().count() <= 9_000, "{letters}");
            for harness in Harness::ALL {
                assert!(harness.spec().limit.admits(&injected.context), "{} of {letters}", harness.name());
            }
        }
    }
}

/// @injection_causes: a start and a fork get a block; a resumed session only if it never got one;
/// other sources and subagents do not.
#[test]
fn only_some_beginnings_are_occasions() {
    let bench = engine();
    assert!(bench.begin(starts("two", "engine", NOW, "startup")).is_some());
    for source in ["resume", "startup", "fork"] {
        assert_eq!(bench.begin(starts("two", "engine", NOW + 1, source)), None, "{source}: it still knows");
    }
    assert!(bench.begin(starts("three", "engine", NOW, "fork")).is_some());
    assert!(bench.begin(starts("four", "engine", NOW, "resume")).is_some(), "it got no block before");
    for source in ["", "teleport", "new-thing"] {
        assert_eq!(bench.begin(starts(&format!("s{source}"), "engine", NOW, source)), None);
    }
    let agent = AgentRef { id: "a".into(), kind: None, parent: None };
    let subagent = starts("five", "engine", NOW, "startup").agent(agent);
    assert_eq!(bench.begin(subagent), None);
    assert_eq!(bench.begin(asked("six", "engine", NOW, "hello")), None);
}

/// @injection_causes: a session does not get its own work while it still knows it.
#[test]
fn a_session_does_not_get_what_it_did_itself() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    assert_eq!(bench.begin(starts("one", "p", NOW, "resume")), None);
    assert!(bench.begin(starts("two", "p", NOW, "startup")).is_some());
}
