//! What listeners receive about sessions: busy and idle, names and ends, and their context sets.

use serde_json::{Value, json};

use crate::kit::hint;
use crate::live::{Agent, Listener, served};

/// @context_events: a change made with PATCH is reported with its set and the whole map, and one
/// that clears a set names it.
#[test]
fn a_changed_context_is_reported_with_its_set_and_the_whole_map() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    let mut listener = Listener::open(&machine, "?schemes=context");
    agent.set("files", &["/w/p/spec.md"]);
    agent.set("ports", &["5432"]);
    agent.set("files", &[]);
    agent.patch(&json!({"context": {"endpoints": ["http://localhost:1"]}}));
    let injected = |set: &str, context: Value| (set.to_owned(), context);
    let mut heard = Vec::new();
    for _ in 0..5 {
        let event = listener.hear();
        assert_eq!((event.name.as_str(), &event.data["reason"]), ("nudge.context", &json!("changed")));
        assert_eq!(event.data["sessionId"], json!("s-1"));
        heard.push(injected(event.data["setName"].as_str().expect("a set"), event.data["context"].clone()));
    }
    let names: Vec<&str> = heard.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["files", "ports", "files", "ports", "endpoints"]);
    assert_eq!(heard[4], injected("endpoints", json!({"endpoints": ["http://localhost:1"]})));
}

/// @context_events: a listener that gets a change at once gets the map as of that change.
#[test]
fn the_map_is_that_of_the_change() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    let mut listener = Listener::open(&machine, "?session=s-1");
    agent.set("files", &["/w/p/spec.md"]);
    assert_eq!(listener.hear().data["context"], json!({"files": ["/w/p/spec.md"]}));
    agent.set("ports", &["5432"]);
    assert_eq!(listener.hear().data["context"], json!({"files": ["/w/p/spec.md"], "ports": ["5432"]}));
    agent.set("files", &[]);
    let cleared = listener.hear().data;
    assert_eq!((&cleared["setName"], &cleared["context"]), (&json!("files"), &json!({"ports": ["5432"]})));
    agent.set("files", &[]);
    agent.patch(&json!({"name": "the build"}));
    assert_eq!(listener.words(1), ["session.listChanged renamed"], "without a change, no event");
}

/// @context_events: a listener to a session gets its sets, if there are any, after the events it
/// missed.
#[test]
fn a_listener_of_a_session_gets_its_context_after_what_it_missed() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    let other = Agent::new(&machine, "s-2");
    agent.start("startup");
    other.start("startup");
    let mut empty = Listener::open(&machine, "?session=s-1");
    agent.set("files", &["/w/p/spec.md"]);
    let first = empty.hear();
    assert_eq!(first.data["reason"], json!("changed"), "nothing was there to load");
    agent.patch(&json!({"name": "the build"}));
    other.set("ports", &["1"]);

    let mut back = Listener::back(&machine, "?session=s-1", first.id.expect("a position"));
    assert_eq!(back.words(1), ["session.listChanged renamed"]);
    let load = back.hear();
    assert_eq!((load.name.as_str(), load.id), ("nudge.context", None));
    let files = json!({"files": ["/w/p/spec.md"]});
    assert_eq!(load.data, json!({"reason": "load", "sessionId": "s-1", "context": files}));

    let mut all = Listener::open(&machine, "");
    machine.call("set_hint", hint("build", "make"));
    assert_eq!(all.words(1), ["change"], "who listens to all gets no session's sets");
    agent.patch(&json!({"name": "the tests"}));
    assert_eq!(empty.words(2), ["session.listChanged renamed"; 2], "what is loaded is for the new one alone");
    assert_eq!(back.words(1), ["session.listChanged renamed"]);
}

/// @context_events: `resume` follows only the first prompt after a session was resumed.
#[test]
fn the_first_prompt_after_a_resume_brings_the_context() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("look at the build");
    agent.set("files", &["/w/p/spec.md"]);
    agent.stop();
    agent.end();
    let mut listener = Listener::open(&machine, "?schemes=session,context");
    agent.start("resume");
    agent.prompt("go on");
    agent.stop();
    agent.prompt("and on");
    let mut events = Vec::new();
    while events.iter().filter(|name| *name == "session.busy").count() < 2 {
        let heard = listener.hear();
        let reason = heard.data["reason"].as_str().unwrap_or_default().to_owned();
        if reason == "resume" {
            assert_eq!(heard.data["sessionId"], json!("s-1"));
            assert_eq!(heard.data["context"], json!({"files": ["/w/p/spec.md"]}));
        }
        events.push(if reason == "resume" { reason } else { heard.name });
    }
    let resumed: Vec<usize> = (0..events.len()).filter(|place| events[*place] == "resume").collect();
    let busy = events.iter().position(|name| name == "session.busy").expect("busy");
    assert!(resumed.len() == 1 && resumed[0] < busy, "{events:?}");
}

/// @session_feed: each change in a session's life is reported once.
#[test]
fn a_session_is_heard_from_its_start_to_its_end() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    let mut listener = Listener::open(&machine, "?session=s-1&schemes=session");
    agent.start("startup");
    assert_eq!(listener.words(1), ["session.listChanged created"]);
    agent.prompt("look at the build");
    let busy = listener.hear();
    assert_eq!((busy.name.as_str(), &busy.data["busy"]), ("session.busy", &json!(true)));
    assert_eq!(busy.data["sessionId"], json!("s-1"));
    agent.act("make");
    agent.stop();
    let idle = listener.hear();
    assert_eq!((idle.name.as_str(), &idle.data["reason"]), ("session.listChanged", &json!("idle")));
    assert_eq!((&idle.data["busy"], &idle.data["unobservedCount"]), (&json!(false), &json!(1)));
    agent.patch(&json!({"name": "the build"}));
    assert_eq!(listener.words(1), ["session.listChanged renamed"]);
    agent.act("make test");
    assert_eq!(listener.words(1), ["session.busy"], "an action makes it busy too");
    agent.stop();
    assert_eq!(listener.words(1), ["session.listChanged idle"]);
    assert_eq!(agent.ask("POST", "/observe", &Value::Null).status, 200);
    let observed = listener.hear();
    assert_eq!(
        (&observed.data["reason"], &observed.data["unobservedCount"]),
        (&json!("observed"), &json!(0))
    );
    agent.end();
    let ended = listener.hear();
    assert_eq!((&ended.data["reason"], &ended.data["busy"]), (&json!("ended"), &json!(false)));
}

/// @session_feed: late events do not reopen a session; a prompt does.
#[test]
fn what_comes_late_does_not_open_a_session_again() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("look at the build");
    agent.end();
    let mut listener = Listener::open(&machine, "?session=s-1&schemes=session");
    agent.act("make");
    agent.stop();
    assert_eq!(agent.get()["state"], json!("ended"));
    agent.patch(&json!({"name": "the build"}));
    assert_eq!(listener.words(1), ["session.listChanged renamed"], "late events are not reported");
    agent.prompt("go on");
    assert_eq!(listener.words(2), ["session.listChanged updated", "session.busy"]);
    assert_eq!(agent.get()["state"], json!("busy"));
}
