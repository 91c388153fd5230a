//! Statements, pins and hints come first, whole, and with their source.

use nudge_core::Outcome;
use nudge_memory::capture::{AgentRef, EventBody};
use nudge_memory::inject::InjectionLimits;
use nudge_testkit::MemoryBench;
use serde_json::json;

use crate::inject::setup::{DAY, HOUR, Inject, NOW, asked, ends, fresh, happened, ran, starts};

/// @injection_stated: a remembered rule, a pinned note and an applicable hint lead the block, with
/// who stated them; then what was pinned of agents' work. A subagent gets them and nothing else.
#[test]
fn what_was_stated_leads_the_block() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    bench.ok("remember", json!({"text": "we use pnpm, never npm", "project": "p"}));
    let note = bench.ok("create_marker", json!({"text": "deploys need the VPN", "project": "p"}));
    bench.ok("pin", json!({"ids": [file, note["id"]]}));
    bench.ok(
        "set_hint",
        json!({"component": "build", "key": "test", "value": "cargo xtask ci", "meta": {"ttl": "forever", "scope": {"cwd_glob": ["/w/p"]}}}),
    );
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    let (_, stated) = injected.split_once("## Stated by the person\n").expect("a section");
    let lines: Vec<&str> = stated.lines().take_while(|line| line.starts_with("- ")).collect();
    assert_eq!(lines.len(), 3, "{injected}");
    assert!(lines[0].starts_with("- \"we use pnpm, never npm\" (remembered now) #"), "{injected}");
    assert!(lines[1].starts_with("- pinned note: \"deploys need the VPN\" ("), "{injected}");
    assert!(lines[2].starts_with("- hint build/test: \"cargo xtask ci\" (the person"), "{injected}");
    let (_, of_agents) = injected.split_once("\n## Stated by agents\n").expect("a section");
    assert!(of_agents.starts_with("- pinned, an agent's file_edit: \"src/lexer.rs\" ("), "{injected}");
    assert!(
        injected.find("## Stated").expect("stated") < injected.find("## Where the work").expect("stopped")
    );
    let agent = AgentRef { id: "a".into(), kind: None, parent: None };
    let subagent = bench.injected(happened("two", "p", NOW + 1, EventBody::Subagent).agent(agent.clone()));
    assert!(subagent.contains("never npm") && !subagent.contains("Where the work"), "{subagent}");
    let again = bench.injected(happened("two", "p", NOW + 2, EventBody::Subagent).agent(agent));
    assert!(again.contains("never npm"), "each subagent has a context of its own");
}

/// @injection_stated: the user's rules come before all else: whole, and where that is too much in
/// their short form; agents' statements and the rest are left out before any of them.
#[test]
fn the_persons_rules_all_stand() {
    let rules = |bench: &MemoryBench, count: usize, more: usize| {
        for number in 0..count {
            let more = " Why: a module is looked for by what it keeps, and nobody remembers the verb.";
            let text = format!(
                "rule {number}: name every module after its noun.{}",
                more.repeat(usize::from(number % 2 == 0))
            );
            bench.ok("remember", json!({"text": text, "project": "p"}));
        }
        let agent = bench.agent_in("/w/p/.git");
        for number in 0..more {
            let text = format!("agents' rule {number}: the tests of the parser need a database");
            let made = json!({"text": text});
            nudge_testkit::call(&bench.memory, &agent, "remember", made).expect("remembered");
        }
    };
    let with = |count: usize, start_tokens: u32| {
        let bench = fresh();
        bench.work("one", "p", NOW - HOUR, "lexer");
        bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
        rules(&bench, count, 5);
        let limits = InjectionLimits {
            start_tokens,
            recovery_tokens: 1_500,
            prompt_tokens: 800,
            tool_tokens: 200,
            ask_agent: false,
        };
        let injected = bench.begin_with(starts("two", "p", NOW, "startup"), limits).expect("injected");
        assert!(injected.tokens <= start_tokens, "{}", injected.context);
        injected.context
    };
    let whole = with(9, 800);
    assert_eq!(whole.matches("nobody remembers the verb.\" (remembered now) #").count(), 5, "{whole}");
    assert!(whole.contains("agents' rule") && whole.contains("mend lexer"), "{whole}");
    let short = with(9, 300);
    for number in 0..9 {
        let rule = format!("- \"rule {number}: name every module after its noun.");
        assert!(short.contains(&rule), "{short}");
    }
    assert!(short.contains("its noun. …\" #"), "{short}");
    assert!(!short.contains("agents' rule 4") && !short.contains("more of the person's"), "{short}");
}

/// @injection_stated: where not even the short forms fit, one line says how many more there are and
/// names the setting that limits them.
#[test]
fn rules_that_do_not_fit_are_counted() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for number in 0..60 {
        let text =
            format!("rule {number}: name every module after the noun that it keeps, never after a verb");
        bench.ok("remember", json!({"text": text, "project": "p"}));
    }
    let injected = bench.begin(starts("two", "p", NOW, "startup")).expect("injected");
    let shown = injected.context.matches("- \"rule ").count();
    assert!((10..30).contains(&shown) && injected.tokens <= 500, "{}", injected.context);
    let more = format!(
        "- {} more of the person's: `nudge knows`; `inject.start_tokens` sets the limit\n",
        60 - shown
    );
    assert!(injected.context.contains(&more), "{}", injected.context);
}

/// @injection_stated: a statement of more than 200 characters is shown by its first sentence.
#[test]
fn a_long_statement_is_shown_by_its_first_sentence() {
    let long = format!("Keep the changelog. {}", "It is read by everybody who upgrades. ".repeat(20));
    let bench = fresh();
    bench.keep(ran("one", "p", NOW - DAY, "make", Outcome::Success));
    bench.ok("remember", json!({"text": long, "project": "p"}));
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    assert!(injected.contains("- \"Keep the changelog. …\" (remembered now) #"), "{injected}");
}

/// @injection_stated: a corrected or forgotten statement is not injected again; its successor is.
#[test]
fn what_was_corrected_is_not_injected_again() {
    let bench = fresh();
    bench.keep(starts("zero", "p", NOW - 1, "startup"));
    let made = bench.ok("remember", json!({"text": "deploy with make ship", "project": "p"}));
    let id = made["statement"]["id"].as_i64().expect("an id");
    assert!(bench.injected(starts("one", "p", NOW, "startup")).contains("make ship"));
    let new = bench.ok("correct", json!({"id": id, "text": "deploy with make release"}));
    let injected = bench.injected(starts("two", "p", NOW + 1, "startup"));
    assert!(injected.contains("make release") && !injected.contains("make ship"), "{injected}");
    bench.ok("forget", json!({"id": new["statement"]["id"]}));
    assert_eq!(bench.injected(starts("three", "p", NOW + 2, "startup")), "");
}

/// @injection_stated @authority_person_first: an agent's hints take the user's place neither by
/// naming the directory nor by their number.
#[test]
fn agents_hints_do_not_remove_the_users() {
    let mut bench = fresh();
    bench.stand(std::path::Path::new("/w/p"));
    bench.caller.project = Some("/w/p/.git".to_owned());
    bench.work("one", "p", NOW - HOUR, "lexer");
    let hint = |component: &str, value: &str, scope: serde_json::Value| json!({"component": component, "key": "cmd", "value": value, "meta": {"ttl": "forever", "scope": scope}});
    bench.ok("set_hint", hint("build", "make all", json!({})));
    bench.caller.surface = nudge_memory::Surface::Mcp;
    bench.ok("set_hint", hint("build", "EVIL", json!({"cwd_glob": ["/w/p/**", "/w/p"]})));
    for number in 0..30 {
        bench.ok("set_hint", hint(&format!("c{number}"), "other", json!({"cwd_glob": ["/w/p/**", "/w/p"]})));
    }
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    assert!(injected.contains("hint build/cmd: \"make all\" (the person"), "{injected}");
    assert!(!injected.contains("EVIL"), "{injected}");
}

/// @authority_stated_by @injection_frame: a prompt that `nudge record` stored is a program's,
/// wherever it is injected.
#[test]
fn a_recorded_prompt_is_injected_as_a_programs() {
    let bench = fresh();
    let recorded = |session: &str, at: i64, text: &str| {
        bench.keep(asked(session, "p", at, text).harness("record"));
        bench.keep(ran(session, "p", at + 1_000, "make", Outcome::Success).harness("record"));
    };
    recorded("zero", NOW - DAY, "mend the parser");
    recorded("one", NOW - HOUR, "mend the lexer");
    recorded("one", NOW - HOUR + 9_000, "then mend the tests");
    bench.keep(ends("one", "p", NOW - HOUR + 20_000, "exit").harness("record"));
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    assert!(injected.contains("before that, asked by a program: \"mend the lexer\" #"), "{injected}");
    assert!(injected.contains("] asked by a program: \"then mend the tests\" #"), "{injected}");
    assert!(injected.contains("asked by a program: \"mend the parser\" #"), "{injected}");
    let lost = bench.injected(starts("one", "p", NOW, "compact").harness("record"));
    assert!(lost.contains("a program asked: \"mend the lexer\""), "{lost}");
    assert!(lost.contains("] a program: \"mend the parser\" → 1 action"), "{lost}");
    assert!(!lost.contains("the person asked"), "{lost}");
}
