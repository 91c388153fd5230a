//! Notifications on `/ws`: what `/events` sends, in order, for those who read them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::events::fill;
use crate::kit::{cli, hint};
use crate::live::{Agent, Listener, beside, served};
use crate::web_socket::Socket;

#[track_caller]
fn changed(socket: &mut Socket) -> Value {
    let (method, params) = socket.note();
    assert_eq!(method, "entry/changed", "{params}");
    params
}

fn position(change: &Value) -> i64 {
    change["position"].as_i64().expect("a position")
}

/// @ws_notifications: each change comes once and in order, with its identity and nothing else,
/// whoever wrote it.
#[test]
fn changes_are_announced() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    let mut events = Listener::open(&machine, "");
    let began = socket.call("subscribe", json!({}));
    assert_eq!(began["position"], json!(beside(&machine).feed_head().expect("read")));
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("look at the build");
    agent.set("files", &["/w/p/secret-plan.md"]);
    machine.call("set_hint", hint("build", "make"));
    socket.call("set_hint", hint("test", "make test"));
    let last = beside(&machine).feed_head().expect("read");
    loop {
        let (change, event) = (changed(&mut socket), events.hear());
        assert_eq!(Some(position(&change)), event.id);
        assert_eq!(change["id"], event.data["entry"]);
        for field in ["scheme", "kind", "version", "scope"] {
            assert_eq!(change.get(field), event.data.get(field), "{change}");
        }
        assert_eq!(change.as_object().map(serde_json::Map::len), Some(6), "{change}");
        if position(&change) == last {
            break;
        }
    }
}

/// @ws_notifications: `kinds` and `schemes` narrow a subscription, and the last one counts.
#[test]
fn a_client_hears_what_it_asks_for() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    socket.call("subscribe", json!({"schemes": ["session"]}));
    socket.call("subscribe", json!({"schemes": ["hint"], "kinds": ["updated", "deleted"]}));
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    machine.call("set_hint", hint("build", "make"));
    machine.call("set_hint", hint("build", "make all"));
    machine.call("delete_hint", json!({"component": "api", "key": "build"}));
    let kinds: Vec<Value> = (0..2).map(|_| changed(&mut socket)["kind"].clone()).collect();
    assert_eq!(kinds, [json!("updated"), json!("deleted")]);
    for wrong in [json!({"kinds": ["made"]}), json!({"after": 1}), json!({"since": "x"})] {
        assert_eq!(socket.ask("subscribe", wrong)["error"]["data"]["reason"], json!("schema"));
    }
}

/// @ws_notifications: after `unsubscribe` nothing comes any more.
#[test]
fn an_ended_subscription_is_silent() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    socket.call("subscribe", json!({}));
    machine.call("set_hint", hint("build", "make"));
    changed(&mut socket);
    assert_eq!(socket.call("unsubscribe", json!({})), json!({}));
    let before = socket.noted();
    machine.call("set_hint", hint("build", "make all"));
    std::thread::sleep(Duration::from_millis(300));
    socket.call("ping", json!({}));
    assert_eq!(socket.noted(), before);
    assert_eq!(socket.call("unsubscribe", json!({})), json!({}));
}

/// @ws_notifications: `since` resumes after a position, also in a batch and behind its answer; a
/// position that is gone is reported once.
#[test]
fn a_client_resumes_where_it_was() {
    let (machine, _server) = served();
    let start = beside(&machine).feed_head().expect("read");
    for number in 0..600 {
        machine.call("set_hint", hint("build", &format!("make {number}")));
    }
    let mut socket = Socket::open(&machine);
    let subscribe = json!({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"since": start}});
    socket.send(&json!([subscribe, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]).to_string());
    assert_eq!(socket.hear()[0]["result"], json!({"position": start}));
    let heard: Vec<i64> = (0..600).map(|_| position(&changed(&mut socket))).collect();
    assert_eq!(heard, (start + 1..=start + 600).collect::<Vec<_>>());
    drop(socket);

    let mut back = Socket::open(&machine);
    assert_eq!(back.call("subscribe", json!({"since": start + 598})), json!({"position": start + 598}));
    assert_eq!(position(&changed(&mut back)), start + 599);
    assert_eq!(position(&changed(&mut back)), start + 600);

    let lost = start + 5_000;
    back.call("subscribe", json!({"since": lost}));
    let (method, gone) = back.note();
    assert_eq!((method.as_str(), &gone["head"]), ("feed/gone", &json!(start + 600)));
    machine.call("set_hint", hint("build", "make last"));
    assert_eq!(position(&changed(&mut back)), start + 601);
}

/// @ws_notifications: nothing of a private project is announced, not even to a client that claims
/// to be in it.
#[test]
fn private_projects_are_not_announced() {
    let (machine, _server) = served();
    let dir = tempfile::tempdir().expect("temporary directory");
    let root = dir.path().canonicalize().expect("exists").display().to_string();
    let closed = Agent::at(&machine, "s-closed", &root);
    closed.start("startup");
    machine.call("set_private", json!({"project": root}));
    let mut socket = Socket::open(&machine);
    socket.call("init", json!({"name": "closed", "projectRoot": root}));
    socket.call("subscribe", json!({}));
    closed.prompt("look at the build");
    closed.act("make");
    closed.stop();
    let mut inside = cli();
    inside.project = Some(root);
    machine.link().call(&inside, "set_hint", hint("inside", "make")).expect("set");
    machine.call("set_hint", hint("outside", "make"));
    let outside = beside(&machine).feed_head().expect("read");
    assert_eq!(position(&changed(&mut socket)), outside);
}

/// @ws_limits: a client that does not read its notifications is closed with 1013, and others hear
/// everything meanwhile.
#[test]
fn a_slow_client_is_closed_and_blocks_nobody() {
    let (machine, _server) = served();
    let memory = beside(&machine);
    let start = memory.feed_head().expect("read");
    // More than the buffers of a connection hold.
    fill(&memory, 100_000, nudge_client::now());
    let mut slow = Socket::open(&machine);
    slow.call("subscribe", json!({"since": start}));
    let mut quick = Socket::open(&machine);
    quick.call("subscribe", json!({}));
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(9) {
        machine.call("set_hint", hint("build", &format!("make {:?}", began.elapsed())));
        assert_eq!(changed(&mut quick)["scheme"], json!("hint"));
    }
    let (code, reason) = slow.closed();
    assert_eq!(code, 1013, "{reason}");
    assert!(reason.contains("since"), "{reason}");
    quick.call("ping", json!({}));
}
