//! The activity and metadata of sessions, and their changes in the feed.

use nudge_core::{Scope, Timestamp};
use nudge_memory::events::{EventsAfter, LiveEvent, Wanted};
use nudge_memory::{Caller, Surface};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::living::setup::{Agent, DAY, HOUR, NOW, fresh};

fn events(bench: &MemoryBench, after: i64) -> Vec<LiveEvent> {
    let caller = Caller::new(Surface::Rpc, Timestamp::from_millis(NOW));
    let wanted =
        Wanted { session: None, schemes: vec!["session".into(), "context".into(), "project".into()] };
    match bench.memory.events_after(after, &wanted, &caller, 10_000).expect("read") {
        EventsAfter::Page(page) => page.events,
        EventsAfter::Gone { .. } => panic!("nothing was trimmed"),
    }
}

fn kinds(events: &[LiveEvent]) -> Vec<String> {
    let kind = |event: &LiveEvent| {
        let reason = event.data["reason"].as_str().or(event.data["kind"].as_str()).unwrap_or_default();
        format!("{} {reason}", event.name)
    };
    events.iter().map(kind).collect()
}

/// @session_feed: a session's start, busy, idle, name and end are changes like others, with their
/// scope.
#[test]
fn the_life_of_a_session_is_in_the_feed() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("mend the cart");
    agent.runs("ls", "", 0);
    agent.stops();
    agent.stops();
    agent.ok("update_session", json!({"name": "cart"}));
    agent.ends();
    let all = events(&bench, 0);
    assert_eq!(
        kinds(&all),
        [
            "change created",
            "session.listChanged created",
            "session.busy busy",
            "session.listChanged idle",
            "session.listChanged renamed",
            "session.listChanged ended",
        ]
    );
    assert_eq!(all[0].data["scope"], json!({"kind": "project", "key": "/w/shop/.git"}));
    assert!(all[1..].iter().all(|event| event.data["scope"] == json!({"kind": "session", "key": "s"})));
}

/// @session_feed: late events do not reopen an ended session; a prompt and a start do.
#[test]
fn late_events_open_nothing_again() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.ends();
    let state = |agent: &mut Agent<'_>| agent.ok("get_session", json!({}))["state"].clone();
    agent.runs("cargo test", "", 0);
    agent.stops();
    agent.hook("Notification", json!({"message": "waiting"}));
    assert_eq!(state(&mut agent), "ended");
    agent.start("resume");
    assert_eq!(state(&mut agent), "idle");
    agent.ends();
    agent.asks("and now?");
    assert_eq!(state(&mut agent), "busy");
}

/// @session_feed: Stop and Notification count as activity, though they are not stored.
#[test]
fn stop_and_notification_are_activity() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    let last = |agent: &mut Agent<'_>| agent.ok("get_session", json!({}))["lastActiveAt"].clone();
    agent.at += HOUR;
    agent.stops();
    let stopped = last(&mut agent);
    agent.at += HOUR;
    agent.hook("Notification", json!({"message": "waiting"}));
    let notified = last(&mut agent);
    assert!(stopped.as_str() < notified.as_str(), "{stopped} {notified}");
    assert_eq!(notified, Timestamp::from_millis(agent.at - 1_000).to_string());
}

/// @session_feed: a session with a context set or a hypothesis is not empty, and upkeep keeps it.
#[test]
fn what_matters_in_a_session_keeps_it() {
    let bench = fresh();
    for (name, op, params) in [
        ("marked", "set_relevant_context", json!({"setName": "ports", "items": ["1"]})),
        (
            "tried",
            "start_ghap",
            crate::living::setup::ghap("the rounding is wrong here", "cargo test passes"),
        ),
        ("empty", "get_session", Value::Null),
    ] {
        let mut agent = Agent::silent(&bench, name, NOW);
        agent.hook("Notification", json!({"message": "hello"}));
        let params = if params.is_null() { json!({}) } else { params };
        agent.ok(op, params);
    }
    let later = Timestamp::from_millis(NOW + 30 * DAY);
    let empty = bench.memory.store().read(|reader| reader.empty_sessions(later, 10)).expect("read");
    let names: Vec<String> = empty
        .into_iter()
        .map(|id| {
            bench.memory.store().read(|reader| reader.agent_session(id)).expect("read").expect("there").name
        })
        .collect();
    assert_eq!(names, ["empty"]);
}

/// @session_feed: the entries of a scope can be listed.
#[test]
fn entries_are_listed_by_scope() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.ok("set_relevant_context", json!({"setName": "ports", "items": ["1"]}));
    agent.ok("set_relevant_context", json!({"setName": "my files", "items": ["2"]}));
    agent.tries("the rounding is done twice", "it works");
    let paths = |scope: &Scope, scheme: Option<&str>| -> Vec<String> {
        let found = bench.memory.store().read(|reader| reader.entries_in(scope, scheme)).expect("read");
        found.into_iter().map(|entry| entry.path.as_str().to_owned()).collect()
    };
    let session = Scope::Session("s".to_owned());
    assert_eq!(paths(&session, None), ["session://s", "context://ports", "context://my%20files"]);
    assert_eq!(paths(&session, Some("context")), ["context://ports", "context://my%20files"]);
    let project = paths(&Scope::Project("/w/shop/.git".to_owned()), None);
    assert_eq!((project.len(), project[0].as_str()), (2, "project://1"), "{project:?}");
}

/// @session_metadata: name, surroundings and intent are stored; if no intent is set, it is the
/// newest prompt.
#[test]
fn what_is_said_of_a_session_is_kept() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("mend the cart\nand then the till");
    agent.stops();
    let meta = agent.ok("get_session", json!({}))["meta"].clone();
    assert_eq!(
        (meta["name"].clone(), meta["currentIntent"].clone()),
        (json!(""), json!("mend the cart and then the till"))
    );
    let stopped = Timestamp::from_millis(agent.at - 1_000).to_string();
    assert_eq!(meta["lastIdleAt"], stopped);
    let params = json!({"name": "cart", "envHint": "db on 5433", "currentIntent": "rounding",
                        "setContext": {"setName": "ports", "items": ["5433"]}});
    agent.ok("update_session", params);
    agent.ok("update_session", json!({"observed": true}));
    let meta = agent.ok("get_session", json!({}))["meta"].clone();
    let seen = Timestamp::from_millis(agent.at - 1_000).to_string();
    let expected = json!({"name": "cart", "lastObservedAt": seen, "lastIdleAt": stopped, "currentIntent": "rounding",
                          "envHint": "db on 5433", "context": {"ports": ["5433"]}});
    assert_eq!(meta, expected);
    agent.ok("update_session", json!({"name": "", "envHint": " "}));
    let meta = agent.ok("get_session", json!({}))["meta"].clone();
    assert_eq!((meta["name"].clone(), meta.get("envHint")), (json!(""), None));
}

/// @session_states: a session is unobserved after its agent stopped, until the user looks at it.
#[test]
fn a_session_that_stopped_is_unobserved() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.stops();
    let states = agent.ok("list_session_states", json!({}));
    assert_eq!((&states["unobservedCount"], &states["sessions"][0]["unobserved"]), (&json!(1), &json!(true)));
    agent.ok("update_session", json!({"observed": true}));
    assert_eq!(agent.ok("list_session_states", json!({}))["unobservedCount"], 0);
    agent.asks("go on");
    assert_eq!(agent.ok("list_session_states", json!({}))["sessions"][0]["state"], "busy");
}

/// @context_events: a cleared set is named, and the first prompt after a resume comes with the
/// sets.
#[test]
fn context_events_have_the_whole_map() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("go");
    agent.ok("set_relevant_context", json!({"setName": "ports", "items": ["1"]}));
    agent.ok("set_relevant_context", json!({"setName": "files", "items": ["/w/a"]}));
    agent.ok("set_relevant_context", json!({"setName": "files", "items": []}));
    agent.start("resume");
    agent.asks("where were we?");
    let injected: Vec<Value> = events(&bench, 0)
        .into_iter()
        .filter(|event| event.name == "nudge.context")
        .map(|event| json!([event.data["reason"], event.data["setName"], event.data["context"]]))
        .collect();
    // The map is the current one, whenever the change was.
    let now = json!({"ports": ["1"]});
    assert_eq!(
        injected,
        [
            json!(["changed", "ports", now]),
            json!(["changed", "files", now]),
            json!(["changed", "files", now]),
            json!(["resume", null, now]),
        ]
    );
    let caller = Caller::new(Surface::Rpc, Timestamp::from_millis(NOW));
    let load = bench.memory.loaded_context("s", &caller).expect("read");
    assert_eq!(load, Some(json!({"reason": "load", "sessionId": "s", "context": now})));
}

/// @session_commands: a handoff contains what the next session needs.
#[test]
fn a_handoff_says_what_the_next_one_needs() {
    let bench = fresh();
    let mut agent = Agent::begin(&bench, "s", NOW);
    agent.asks("make prices right");
    agent.tries("the rounding is done twice in the cart", "cargo test passes");
    agent.was_wrong("it is done once", "wrong-assumption", "the rate is stale");
    agent.tries("the exchange rate is cached for a day", "cargo test passes");
    agent.hook(
        "PostToolUse",
        json!({"tool_name": "Edit", "tool_use_id": "e", "tool_input": {"file_path": "/w/shop/src/rate.rs", "old_string": "a", "new_string": "b"}}),
    );
    agent.runs("cargo build", "error[E0425]: cannot find value", 101);
    agent.hook(
        "Stop",
        json!({"last_assistant_message": "The cache of rates is the cause; the fix does not build yet."}),
    );
    let text = agent.ok("handoff", json!({}))["markdown"].as_str().expect("a text").to_owned();
    insta::assert_snapshot!("handoff", text);
}
