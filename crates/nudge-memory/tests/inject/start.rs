//! The block that a new session is told.

use nudge_core::{ObservationKind, Outcome, tokens};
use nudge_harness::Harness;
use nudge_memory::capture::AgentRef;
use nudge_memory::inject::InjectionLimits;

use crate::setup::{HOUR, Inject, MINUTE, NOW, asked, ends, failed, fresh, plain, ran, starts, touched};
use nudge_testkit::MemoryBench;

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

/// @injection_block: intents that were acted on, newest first with their counts, then the rows of the project under its name.
#[test]
fn a_new_session_is_told_where_the_work_stands() {
    let told = engine().begin(starts("two", "engine", NOW, "startup")).expect("told");
    insta::assert_snapshot!(plain(&told.context));
    assert_eq!(told.notice(), format!("nudge: {} lines, {} tokens", told.lines, told.tokens));
}

/// @injection_intents: a turn that nothing was done about is no intent; an intent is cut to 120 characters; four at most, and
/// ten after the context was emptied.
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
    let intents = |told: &str| -> Vec<String> {
        let (_, section) = told.split_once("## Recent Intents\n").expect("a section");
        section.lines().take_while(|line| line.starts_with("- [")).map(str::to_owned).collect()
    };
    let wish =
        InjectionLimits { start_tokens: 2_200, recovery_tokens: 2_200, prompt_tokens: 800, tool_tokens: 200 };
    let told = bench.begin_with(starts("two", "p", NOW, "startup"), wish).expect("told").context;
    let found = intents(&told);
    assert_eq!(found.len(), 4, "{told}");
    assert!(found[0].contains("\"task 12 words") && found[0].contains("…\" → 1 action #"), "{told}");
    assert!(!told.contains("task 13"), "nothing was done about it");
    let quoted = found[0].split('"').nth(1).expect("quoted");
    assert_eq!(quoted.chars().count(), 120);
    let lost = bench.begin_with(starts("two", "p", NOW, "compact"), wish).expect("told").context;
    assert_eq!(intents(&lost).len(), 10, "{lost}");
}

/// @injection_rows: twenty rows at most, the best by age and kind first, and of rows about one file the best alone.
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
    let told = bench
        .begin_with(
            starts("two", "p", NOW, "startup"),
            InjectionLimits { start_tokens: 2_200, recovery_tokens: 0, prompt_tokens: 800, tool_tokens: 200 },
        )
        .expect("told")
        .context;
    let rows: Vec<&str> = told.lines().filter(|line| line.starts_with("| #")).collect();
    assert_eq!(rows.len(), 20, "{told}");
    assert!(rows.iter().all(|row| row.contains("file_edit")), "edits say more than reads: {told}");
    let mut files: Vec<&str> = rows.iter().map(|row| row.rsplit("| ").next().expect("a cell")).collect();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), 20);
}

/// @injection_budget: a start costs at most 500 tokens and some 50 lines, whatever there is to tell; less where less is wished.
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
    let told = bench.begin(starts("two", "p", NOW, "startup")).expect("told");
    assert!(told.tokens <= 500 && told.tokens > 250, "{}", told.tokens);
    assert!(told.context.lines().count() <= 50);
    let wish =
        InjectionLimits { start_tokens: 150, recovery_tokens: 0, prompt_tokens: 800, tool_tokens: 200 };
    let less = bench.begin_with(starts("three", "p", NOW, "startup"), wish).expect("told");
    assert!(less.tokens <= 150);
    let none =
        bench.begin_with(starts("four", "p", NOW, "startup"), InjectionLimits { start_tokens: 0, ..wish });
    assert_eq!(none, None);
}

/// @injection_budget: the price that is told and entered is that of the text as it is delivered, frame and all.
#[test]
fn the_price_is_that_of_the_delivered_text() {
    let bench = engine();
    for moment in [starts("two", "engine", NOW, "startup"), starts("one", "engine", NOW, "compact")] {
        let session = moment.session.clone();
        let told = bench.begin(moment).expect("told");
        assert!(told.context.starts_with("<nudge-memory id=") && told.context.trim_end().ends_with('>'));
        let price = tokens::estimate(&told.context).0;
        assert_eq!((told.tokens, bench.ledger(&session)[0].0.tokens), (price, price));
    }
}

/// @injection_budget: the dearest block passes every agent whole, by that agent's own measure, in every script.
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
        let wish = InjectionLimits {
            start_tokens: u32::MAX,
            recovery_tokens: u32::MAX,
            prompt_tokens: 800,
            tool_tokens: 200,
        };
        for moment in [starts("one", "p", NOW, "compact"), starts("two", "p", NOW, "startup")] {
            let told = bench.begin_with(moment, wish).expect("told");
            assert!(told.tokens <= 2_200 && told.context.chars().count() <= 9_000, "{letters}");
            for harness in Harness::ALL {
                assert!(harness.spec().limit.admits(&told.context), "{} of {letters}", harness.name());
            }
        }
    }
}

/// @injection_causes: a start and a fork are told; a resumed session only if it never was; other sources and subagents are not.
#[test]
fn only_some_beginnings_are_occasions() {
    let bench = engine();
    assert!(bench.begin(starts("two", "engine", NOW, "startup")).is_some());
    for source in ["resume", "startup", "fork"] {
        assert_eq!(bench.begin(starts("two", "engine", NOW + 1, source)), None, "{source}: it still knows");
    }
    assert!(bench.begin(starts("three", "engine", NOW, "fork")).is_some());
    assert!(bench.begin(starts("four", "engine", NOW, "resume")).is_some(), "it was never told anything");
    for source in ["", "teleport", "new-thing"] {
        assert_eq!(bench.begin(starts(&format!("s{source}"), "engine", NOW, source)), None);
    }
    let agent = AgentRef { id: "a".into(), kind: None, parent: None };
    let subagent = starts("five", "engine", NOW, "startup").agent(agent);
    assert_eq!(bench.begin(subagent), None);
    assert_eq!(bench.begin(asked("six", "engine", NOW, "hello")), None);
}

/// @injection_causes: what a session did itself is not told to it while it still knows.
#[test]
fn a_session_is_not_told_what_it_did_itself() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    assert_eq!(bench.begin(starts("one", "p", NOW, "resume")), None);
    assert!(bench.begin(starts("two", "p", NOW, "startup")).is_some());
}
