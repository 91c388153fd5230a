//! What is injected with a prompt.

use nudge_core::{ObservationKind, Outcome};
use nudge_testkit::MemoryBench;
use serde_json::json;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, action, asked, concluded, did, ends, fresh, ran, starts,
};

/// The topic of a week ago, in a project with a hundred other topics.
const ASKED: &str =
    "the wombat dialect of the greeter drops its trailing vowel when the quokka parser meets an umlaut";

/// The same topic in other words.
const AGAIN: &str = "why does the quokka parser drop the trailing vowel of the wombat dialect, was that not mended in the greeter before";

/// What the agent concluded about it.
const CONCLUDED: &str = "`fold_marks` in letters.rs took the sign for two; it now takes it for one.";

/// Another topic.
const OTHER: &str = "add a dark theme to the settings page and let people choose it from the menu with a key";

/// Another topic that shares a word.
const SHARES_A_WORD: &str =
    "add a dark theme to the settings page of the greeter and let people choose it with a key";

fn lived_in() -> (MemoryBench, i64) {
    let (bench, entry) = asked_only();
    bench.keep(concluded("old", "p", NOW - 7 * DAY + 1_000, CONCLUDED));
    bench.keep(ends("old", "p", NOW - 7 * DAY + MINUTE, "exit"));
    (bench, entry)
}

/// The same, and nothing came of it.
fn asked_only() -> (MemoryBench, i64) {
    let bench = fresh();
    for number in 0..100 {
        let session = format!("s{number}");
        bench.work(&session, "p", NOW - 20 * DAY + number * HOUR, &format!("matter_{number}"));
        bench.keep(ends(&session, "p", NOW - 20 * DAY + number * HOUR + MINUTE, "exit"));
    }
    let entry = bench.keep(asked("old", "p", NOW - 7 * DAY, ASKED));
    (bench, entry)
}

/// @prompt_found: a prompt about a topic of an earlier session gets what that session said, with
/// the words they share.
#[test]
fn a_matter_of_an_earlier_session_is_found() {
    let (bench, entry) = lived_in();
    let given = bench.begin(asked("new", "p", NOW, AGAIN)).expect("something is said");
    assert!(given.context.contains("## Earlier work on this"), "{}", given.context);
    assert!(
        given.context.contains(&format!("#{entry}")) && given.context.contains("wombat"),
        "{}",
        given.context
    );
    assert!(given.tokens <= 800 && given.lines <= 3, "{given:?}");
}

/// @prompt_found: a request comes after what the agent concluded about it, or else after what it
/// committed; one that nothing is known to have come of is not injected.
#[test]
fn a_request_comes_with_what_came_of_it() {
    let (bench, entry) = asked_only();
    assert_eq!(bench.injected(asked("new", "p", NOW, AGAIN)), "");
    let seen = bench.ok("preview_context", json!({"project": "p", "prompt": AGAIN}));
    let left_out = seen["left_out"].as_array().expect("a list");
    let why = left_out.iter().find(|one| one["id"] == entry).expect("the request");
    assert_eq!(why["why"], "a request without a recorded result", "{seen}");
    let commit = action(ObservationKind::GitCommit, "git commit -F -", Outcome::Success);
    let commit = did("old", "p", NOW - 7 * DAY + 500, commit).action(|action| {
        action.metadata.insert("commit_message".into(), json!("letters: one sign is one"));
    });
    let commit = bench.keep(commit);
    let given = bench.injected(asked("newer", "p", NOW + 1, AGAIN));
    let line = format!("] committed: \"letters: one sign is one\" #{commit}; asked: \"the wombat dialect");
    assert!(given.contains(&line), "{given}");
    let conclusion = bench.keep(concluded("old", "p", NOW - 7 * DAY + 1_000, CONCLUDED));
    let given = bench.injected(asked("newest", "p", NOW + 2, AGAIN));
    let line = format!("] the agent concluded: \"{CONCLUDED}\" #{conclusion}; asked: \"the wombat dialect");
    assert!(given.contains(&line) && given.contains(&format!("#{entry}\n")), "{given}");
    assert_eq!(given.matches(CONCLUDED).count(), 1, "{given}");
}

/// @prompt_decision: a prompt about something else gets nothing, and so does one of a few words;
/// `preview_context` shows the figures behind that.
#[test]
fn another_matter_is_met_with_silence() {
    let (bench, _) = lived_in();
    let seen = bench.ok("preview_context", json!({"project": "p", "prompt": SHARES_A_WORD}));
    assert_eq!(
        (seen["decision"]["speaks"].as_bool(), seen["text"].as_str()),
        (Some(false), Some("")),
        "{seen}"
    );
    let score = seen["decision"]["score"].as_f64().expect("a score");
    assert!(score < seen["decision"]["least"].as_f64().expect("a bound"), "{seen}");
    let unseen = seen["decision"]["features"]["rare_unseen"].as_f64();
    assert!(unseen.is_some_and(|unseen| unseen > 0.0), "{seen}");
    for (number, prompt) in
        [SHARES_A_WORD, OTHER, "yes, go on", "commit it", "wombat dialect", "ok"].iter().enumerate()
    {
        let session = format!("new-{number}");
        assert_eq!(bench.injected(asked(&session, "p", NOW, prompt)), "", "{prompt}");
    }
}

/// @prompt_decision: the deciding figures are in the ledger, and `why` shows them.
#[test]
fn why_shows_what_decided() {
    let (bench, _) = lived_in();
    bench.begin(asked("new", "p", NOW, AGAIN)).expect("something is said");
    let why = bench.ok("explain_injection", json!({"project": "p"}));
    let injection = &why["injection"];
    assert_eq!(
        (injection["mode"].as_str(), injection["cause"].as_str()),
        (Some("prompt"), Some("prompt")),
        "{why}"
    );
    assert_eq!(injection["decision"]["speaks"], true, "{why}");
    assert_eq!(injection["injected"][0]["section"], "found", "{why}");
}

/// @prompt_once: a session does not get the same text again, until its context is cleared.
#[test]
fn nothing_is_given_twice() {
    let (bench, entry) = lived_in();
    let id = format!("#{entry}");
    assert!(bench.injected(asked("new", "p", NOW, AGAIN)).contains(&id));
    assert!(!bench.injected(asked("new", "p", NOW + MINUTE, AGAIN)).contains(&id));
    bench.injected(starts("new", "p", NOW + 2 * MINUTE, "compact"));
    assert!(bench.injected(asked("new", "p", NOW + 3 * MINUTE, AGAIN)).contains(&id));
}

/// @prompt_found: if much is not indexed yet, nothing is injected: scanning it takes longer than a
/// hook has.
#[test]
fn a_long_tail_is_not_scanned() {
    let (bench, _) = lived_in();
    for number in 0..2_000 {
        bench.keep(ran("busy", "p", NOW - DAY + number, &format!("make part {number}"), Outcome::Success));
    }
    assert_eq!(bench.injected(asked("new", "p", NOW, AGAIN)), "");
}

/// @prompt_found: the session's own earlier prompts do not count as earlier work.
#[test]
fn a_session_does_not_find_itself() {
    let bench = fresh();
    bench.keep(asked("new", "p", NOW - MINUTE, ASKED));
    assert_eq!(bench.injected(asked("new", "p", NOW, AGAIN)), "");
}

/// @prompt_decision: a note is injected in a small project too where others asked the same before:
/// the more often something is asked, the less rare are its words.
#[test]
fn a_note_is_found_however_often_it_is_asked_for() {
    const NOTE: &str =
        "the quokka parser reads an umlaut as two bytes, so the wombat dialect loses its trailing vowel";
    const QUESTION: &str = "Find out why the wombat dialect loses its trailing vowel when the quokka parser \
        reads an umlaut.";
    let bench = fresh();
    bench.work("first", "p", NOW - DAY, "matter");
    bench.ok("create_marker", json!({"project": "p", "text": NOTE}));
    for number in 0..40 {
        let text = format!("task {number} in bed {} of the garden is done", number % 7);
        bench.ok("create_marker", json!({"project": "p", "text": text}));
    }
    for number in 0..4 {
        let at = NOW + number * HOUR;
        let session = format!("s{number}");
        let given = bench.injected(asked(&session, "p", at, QUESTION));
        assert!(given.contains("noted") && given.contains("as two bytes"), "{number}: {given:?}");
        bench.keep(concluded(&session, "p", at + 1_000, "Done."));
        bench.keep(ends(&session, "p", at + MINUTE, "exit"));
    }
}
