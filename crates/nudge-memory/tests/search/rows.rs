//! The rows of a search result.

use nudge_core::ObservationKind;
use nudge_memory::capture::EventBody;
use serde_json::{Value, json};

use crate::search::setup::{START, Search, command, edit, failure, fresh, of_kind, prompt};

/// @recall_search A row says what it is, where it is from, why it was found and what the whole
/// entry costs.
#[test]
fn a_row_is_short_and_explains_itself() {
    let bench = fresh();
    let id = bench.keep("api", edit("/api/src/auth/mod.rs"));
    let answer = bench.search("api", json!({"query": "auth"}));
    assert_eq!(
        answer,
        json!({"results": [{
            "id": id, "timestamp": (START + 1_000) / 1_000, "at": "2026-11-15T06:10:28Z", "obs_type": "file_edit",
            "content_preview": "/api/src/auth/mod.rs", "file_path": "/api/src/auth/mod.rs",
            "session_id": "session-api", "why": "title:auth", "tokens": 99,
        }]})
    );
}

/// @recall_snippets The text around the matched words represents an entry: one line, with its
/// number and nothing in it that could be obeyed.
#[test]
fn a_row_shows_the_text_around_the_words() {
    let bench = fresh();
    let text =
        format!("deploy it\n\n{}the\u{1b}[31m router waits {}", "word ".repeat(100), "more ".repeat(100));
    bench.keep("api", prompt(&text));
    let answer = bench.search("api", json!({"query": "router waits"}));
    let row = &answer["results"][0];
    let preview = row["content_preview"].as_str().expect("a preview");
    assert!(preview.contains("the[31m router waits more"), "{preview}");
    assert!(preview.starts_with('…') && preview.ends_with('…') && preview.chars().count() <= 162);
    assert_eq!(row["line"], 3);
}

/// @recall_snippets A failed command shows its output, a commit its message.
#[test]
fn failures_show_their_error_and_commits_their_message() {
    let bench = fresh();
    let said = "   Compiling shop\nerror[E0502]: cannot borrow `pool`\n  --> src/a.rs:3";
    bench.keep("api", failure("cargo test --workspace", said));
    let shown =
        |query: &str| bench.search("api", json!({"query": query}))["results"][0]["content_preview"].clone();
    assert_eq!(shown("cargo workspace"), "cargo test --workspace → error[E0502]: cannot borrow `pool`");
    assert_eq!(shown("shop"), "cargo test --workspace → Compiling shop");
}

/// @recall_search A failed command's output is found, and so is a file by its name.
#[test]
fn errors_and_files_are_found() {
    let bench = fresh();
    let failed = bench.keep("api", failure("cargo test", "error[E0502]: cannot borrow `pool` as mutable"));
    let edited = bench.keep("api", edit("/api/src/TokenStore.rs"));
    assert_eq!(bench.ids("api", json!({"query": "E0502"})), [failed]);
    assert_eq!(bench.ids("api", json!({"query": "token_store"})), [edited]);
}

/// @recall_search_filters Type, file, session and time restrict; prompts have the type
/// `user_prompt`.
#[test]
fn filters_restrict() {
    let bench = fresh();
    let asked = bench.keep("api", prompt("fix the login"));
    let ran = bench.keep("api", command("npm run login-test"));
    let edited = bench.keep("api", edit("/api/login.ts"));
    let ids = |more: Value| {
        let mut params = json!({"query": "login"});
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut ids = bench.ids("api", params);
        ids.sort_unstable();
        ids
    };
    for indexed in [false, true] {
        if indexed {
            bench.index();
        }
        assert_eq!(ids(json!({})), [asked, ran, edited]);
        assert_eq!(ids(json!({"obs_type": "user_prompt"})), [asked]);
        assert_eq!(ids(json!({"obs_type": "command"})), [ran]);
        assert_eq!(ids(json!({"file": "login.ts"})), [edited]);
        assert_eq!(ids(json!({"session": "session-api"})), [asked, ran, edited]);
        assert_eq!(ids(json!({"session": "session-a"})), [asked, ran, edited]);
        let fault =
            bench.try_search("api", json!({"query": "login", "session": "unheard-of"})).expect_err("none");
        assert_eq!(fault.message, "session not found: unheard-of");
        let second = START / 1_000 + 2;
        assert_eq!(ids(json!({"since": second + 1})), [edited]);
        assert_eq!(ids(json!({"until": second})), [asked]);
    }
}

/// @recall_search_filters Each type selects only its own rows; an unknown one selects nothing.
#[test]
fn each_type_selects_its_own() {
    let bench = fresh();
    let mut kept = vec![("user_prompt", bench.keep("api", prompt("the word is sesame")))];
    kept.push((
        "session_start",
        bench.keep("api", EventBody::Start { source: "sesame".into(), model: None }),
    ));
    kept.push(("session_end", bench.keep("api", EventBody::End { reason: Some("sesame".into()) })));
    for kind in ObservationKind::ALL {
        if !matches!(kind.name(), "session_start" | "session_end") {
            let body = format!("sesame of {}", kind.name());
            kept.push((kind.name(), bench.keep("api", of_kind(kind, &body))));
        }
    }
    let named = [
        "file_read",
        "file_write",
        "file_edit",
        "command",
        "command_error",
        "search",
        "user_prompt",
        "session_start",
        "session_end",
        "mcp_call",
    ];
    assert!(named.iter().all(|name| kept.iter().any(|(kind, _)| kind == name)));
    for indexed in [false, true] {
        if indexed {
            bench.index();
        }
        for (kind, id) in &kept {
            assert_eq!(bench.ids("api", json!({"query": "sesame", "obs_type": kind})), [*id], "{kind}");
        }
        assert_eq!(
            bench.search("api", json!({"query": "sesame", "obs_type": "nonsense"})),
            json!({"results": []})
        );
    }
}

/// @recall_search_pages There are twenty rows by default, a hundred at most, and pages follow one
/// another.
#[test]
fn pages_add_up() {
    let bench = fresh();
    for number in 0..130 {
        bench.keep("api", command(&format!("make target{number}")));
    }
    bench.index();
    let count = |params: Value| bench.ids("api", params).len();
    assert_eq!(count(json!({"query": "make"})), 20);
    assert_eq!(count(json!({"query": "make", "limit": 500})), 100);
    assert_eq!(count(json!({"query": "make", "limit": 0})), 1);
    assert_eq!(count(json!({"query": "make", "limit": 100, "offset": 100})), 30);
    assert_eq!(bench.search("api", json!({"query": "make"}))["more"], true);
    assert_eq!(
        bench.search("api", json!({"query": "make", "limit": 100, "offset": 100}))["more"],
        json!(null)
    );
    let all = bench.ids("api", json!({"query": "make", "limit": 100}));
    let second = bench.ids("api", json!({"query": "make", "limit": 10, "offset": 10}));
    assert_eq!(count(json!({"query": "make", "offset": 10_000})), 0);
    let fault = bench.try_search("api", json!({"query": "make", "offset": 10_001})).expect_err("refused");
    assert_eq!((fault.reason.as_str(), &fault.data["field"]), ("offset", &json!("offset")));
    assert_eq!(second, all[10..20]);
}

/// @recall_search_order The best comes first, whatever its age; an unknown order is an error.
#[test]
fn the_order_is_relevance_unless_asked() {
    let bench = fresh();
    let exact = bench.keep("api", prompt("rotate the signing key"));
    for number in 0..30 {
        bench.keep("api", command(&format!("echo {number}")));
    }
    let loose = bench.keep(
        "api",
        prompt("what a day: signing papers, finding the key, and then to rotate the tyres of the car"),
    );
    assert_eq!(bench.ids("api", json!({"query": "rotate signing key"})), [exact, loose]);
    assert_eq!(
        bench.ids("api", json!({"query": "rotate signing key", "orderBy": "relevance"})),
        [exact, loose]
    );
    let fault =
        bench.try_search("api", json!({"query": "key", "orderBy": "newest"})).expect_err("no such order");
    assert!(fault.message.contains("orderBy"), "{}", fault.message);
}

/// @recall_search_errors A query that cannot be parsed says what is wrong and where; no results are
/// an empty list.
#[test]
fn mistakes_are_named_and_nothing_is_a_list() {
    let bench = fresh();
    bench.keep("api", command("cargo build"));
    let fault = bench.try_search("api", json!({"query": "cargo \"build"})).expect_err("unbalanced");
    assert!(fault.message.contains("at character 7"), "{}", fault.message);
    for project in ["nowhere", "/no/such/directory", "id:99"] {
        let answer = bench.search("api", json!({"query": "cargo", "project": project}));
        assert_eq!(answer["results"], json!([]), "{project}");
    }
    assert_eq!(bench.search("api", json!({"query": "unheardof"})), json!({"results": []}));
    assert_eq!(bench.search("api", json!({"query": "the \"quick", "mode": "text"}))["results"], json!([]));
    assert_eq!(bench.ids("api", json!({"query": "why does \"cargo build (fail", "mode": "text"})).len(), 1);
}

/// @recall_search_errors If nothing contains all the words, entries with some of them are returned
/// and marked as such.
#[test]
fn some_of_the_words_are_better_than_none() {
    let bench = fresh();
    let id = bench.keep("api", command("docker compose up"));
    let answer = bench.search("api", json!({"query": "docker kubernetes"}));
    assert_eq!((&answer["results"][0]["id"], &answer["relaxed"]), (&json!(id), &json!(true)));
}
