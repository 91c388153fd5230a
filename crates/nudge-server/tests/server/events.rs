//! `/events`: every change once and in order, for any writer and however often a listener
//! disconnects.

use std::time::Duration;

use nudge_client::open::OpenFor;
use nudge_core::{EntryPath, Provenance, Scope, Source, Tier, Timestamp};
use nudge_home::Settings;
use nudge_memory::Memory;
use nudge_store::{Durability, EntryDraft, SecretPolicy, StoreError};
use serde_json::{Map, Value, json};

use crate::kit::{Machine, cli, hint};
use crate::live::{Agent, Listener, ask, beside, served};

/// The number of listeners; `EACH` changes are made by each of seven writers through the server,
/// and `PAST_IT` by one directly on the store.
const LISTENERS: usize = 20;
const EACH: usize = 400;
const PAST_IT: usize = 2_200;

/// All positions of the feed after one.
fn positions(memory: &Memory, after: i64) -> Vec<i64> {
    let page = memory.store().read(|reader| reader.feed_after(after, 1_000_000)).expect("the feed is read");
    page.changes.into_iter().map(|change| change.position).collect()
}

fn head(memory: &Memory) -> i64 {
    memory.feed_head().expect("the feed is read")
}

/// A hint of a writer: one of a few, so that most writes change an existing hint.
fn written(writer: usize, number: usize) -> Value {
    let (component, key) = (format!("writer-{writer}"), format!("key-{}", number % 25));
    json!({"component": component, "key": key, "value": format!("make target-{number}")})
}

fn over_socket(machine: &Machine, writer: usize) {
    let link = machine.link();
    assert!(link.through_server());
    for number in 0..EACH {
        link.call(&cli(), "set_hint", written(writer, number)).expect("set");
    }
}

fn over_rpc(machine: &Machine, writer: usize) {
    for number in 0..EACH {
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "set_hint", "params": written(writer, number)});
        let answer = ask(machine, "POST", "/rpc", &call);
        assert!(answer.json["result"]["hint"].is_object(), "{answer:?}");
    }
}

fn over_mcp(machine: &Machine, writer: usize) {
    let mut client = machine.serve(json!({})).greet();
    for number in 0..EACH {
        client.call("set_hint", written(writer, number));
    }
}

fn by_hooks(machine: &Machine, writer: usize) {
    let sessions = ["s-0", "s-1", "s-2", "s-3", "s-4", "s-5", "s-6", "s-7"];
    let agent = Agent::new(machine, sessions[writer]);
    for number in 0..EACH {
        agent.act(&format!("make target-{writer}-{number}"));
    }
}

fn past_the_server(machine: &Machine, _: usize) {
    let memory = beside(machine);
    (0..PAST_IT).for_each(|_| fill(&memory, 1, nudge_client::now()));
}

/// Receives until an entry changes; returns all ids, and how many were the writers' changes.
fn hear_until(listener: &mut Listener, entry: &Value) -> (Vec<i64>, usize) {
    let (mut ids, mut stated) = (Vec::new(), 0);
    loop {
        let heard = listener.hear();
        ids.push(heard.id.expect("a position"));
        if heard.data["entry"] == *entry {
            return (ids, stated);
        }
        stated += usize::from(matches!(heard.data["scheme"].as_str(), Some("hint" | "obs" | "known")));
    }
}

/// @live_events: 20 listeners get each of 5,000 changes once and in order while eight write, one of
/// them not through the server.
#[test]
fn twenty_listeners_hear_five_thousand_changes_once_and_in_order() {
    let (machine, _server) = served();
    let mut first = Listener::open(&machine, "");
    machine.call("set_hint", hint("last", "begin"));
    let first = first.hear();
    let (began, last) = (first.id.expect("a position"), &first.data["entry"]);
    let mut listeners: Vec<Listener> = (0..LISTENERS).map(|_| Listener::open(&machine, "")).collect();
    let ways: [fn(&Machine, usize); 8] =
        [over_socket, over_rpc, over_mcp, by_hooks, by_hooks, by_hooks, by_hooks, past_the_server];
    let machine = &machine;
    let heard: Vec<(Vec<i64>, usize)> = std::thread::scope(|scope| {
        let hear = |listener| scope.spawn(move || hear_until(listener, last));
        let hearing: Vec<_> = listeners.iter_mut().map(hear).collect();
        let write = |(writer, way): (usize, fn(&Machine, usize))| scope.spawn(move || way(machine, writer));
        let writing: Vec<_> = ways.into_iter().enumerate().map(write).collect();
        writing.into_iter().for_each(|writer| writer.join().expect("it writes all"));
        machine.call("set_hint", hint("last", "end"));
        hearing.into_iter().map(|listener| listener.join().expect("it hears all")).collect()
    });
    let mut all = positions(&beside(machine), began);
    let end = *heard[0].0.last().expect("changes");
    all.retain(|position| *position <= end);
    assert!(all.windows(2).all(|pair| pair[0] + 1 == pair[1]), "the feed itself has gaps");
    for (number, (ids, stated)) in heard.iter().enumerate() {
        assert_eq!(*stated, 5_000);
        assert!(*ids == all, "listener {number} heard {} of {}", ids.len(), all.len());
    }
}

/// Changes one entry many times in one transaction.
pub fn fill(memory: &Memory, count: usize, now: Timestamp) {
    let draft = EntryDraft {
        scope: Scope::Global,
        path: EntryPath::from_parts("known", &["a"], None).expect("a path"),
        body: "x".to_owned(),
        attributes: Map::new(),
        provenance: Provenance {
            source: Source::User,
            tier: Tier::Client,
            client: None,
            session: None,
            project: None,
            machine: None,
        },
        secrets: SecretPolicy::Allow,
        now,
    };
    let filled = memory.store().write(Durability::Passive, |writer| {
        (0..count).try_for_each(|_| writer.put_entry(&draft).map(drop))?;
        Ok::<_, StoreError>(())
    });
    filled.expect("written");
}

/// Receives that many events, which must follow each other without a gap; returns the last
/// position.
#[track_caller]
fn hears_on(listener: &mut Listener, after: i64, count: i64) -> i64 {
    let ids: Vec<i64> = (0..count).map(|_| listener.hear().id.expect("a position")).collect();
    assert_eq!(ids, (after + 1..=after + count).collect::<Vec<_>>());
    after + count
}

/// @live_events: a listener that reconnects with its last id gets exactly the rest, even after a
/// sweep: a day and 100,000 changes stay. If changes are gone, that is reported once, and the
/// stream continues from the head.
#[test]
fn a_listener_that_comes_back_gets_exactly_the_rest() {
    let machine = Machine::new();
    let memory =
        nudge_client::open::open(&machine.home, &Settings::default(), OpenFor::Write).expect("a memory");
    let now = nudge_client::now();
    let (first, old, young) = (head(&memory), 300, 100_200);
    fill(&memory, old, now.minus(Duration::from_secs(7 * 86_400)));
    fill(&memory, young, now);
    let swept = memory.sweep(now).expect("swept");
    assert_eq!(swept.feed_rows, 300, "500 are beyond the newest 100,000, and 200 of them are young");
    let floor = first + 300;

    let _server = machine.serve_alone(json!({}));
    let mut listener = Listener::back(&machine, "", floor);
    let reached = hears_on(&mut listener, floor, 1_000);
    drop(listener);
    memory.sweep(nudge_client::now()).expect("swept");
    let mut listener = Listener::back(&machine, "", reached);
    hears_on(&mut listener, reached, 700);
    let near = head(&memory) - 5;
    let mut listener = Listener::back(&machine, "?after=1", near);
    let end = hears_on(&mut listener, near, 5);
    machine.call("set_hint", hint("build", "make"));
    assert_eq!(hears_on(&mut listener, end, 1), head(&memory));

    for lost in [floor - 1, end + 1_000] {
        let end = head(&memory);
        let mut late = Listener::back(&machine, "", lost);
        let gone = late.hear();
        assert_eq!((gone.name.as_str(), gone.id), ("gone", Some(end)));
        assert_eq!(gone.data, json!({"oldest": floor, "head": end}));
        machine.call("set_hint", hint("build", &format!("make {lost}")));
        assert_eq!(hears_on(&mut late, end, 1), head(&memory));
    }
}

/// @live_events: a listener gets only the schemes it asks for, and an invalid position is rejected.
#[test]
fn a_listener_hears_what_it_asks_for() {
    let (machine, _server) = served();
    let mut narrow = Listener::open(&machine, "?schemes=context,hint");
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("look at the build");
    machine.call("set_hint", hint("build", "make"));
    let heard = narrow.hear();
    assert_eq!((heard.name.as_str(), &heard.data["scheme"]), ("change", &json!("hint")));
    assert_eq!(heard.data["kind"], json!("created"));
    assert_eq!((&heard.data["version"], &heard.data["position"]), (&json!(1), &json!(heard.id)));
    assert_eq!(heard.data["scope"]["kind"], json!("global"));
    assert!(heard.data["entry"].is_i64() && heard.data["at"].is_string(), "{}", heard.data);

    assert_eq!(machine.request("GET", "/events", &[], "").status, 401);
    assert_eq!(ask(&machine, "GET", "/events?after=x", &Value::Null).status, 400);
    let bearer = format!("Bearer {}", machine.token());
    let headers = [("Authorization", bearer.as_str()), ("Last-Event-ID", "x")];
    assert_eq!(machine.request("GET", "/events", &headers, "").status, 400);
}

/// @live_events: nothing about a private project is sent, not even what was stated in it for every
/// project.
#[test]
fn changes_of_private_projects_are_not_sent() {
    let (machine, _server) = served();
    let closed = Agent::within(&machine, "s-closed", "closed");
    closed.start("startup");
    machine.call("set_private", json!({"project": closed.key()}));
    let mut listener = Listener::open(&machine, "");
    closed.prompt("look at the build");
    closed.act("make");
    closed.stop();
    let mut inside = cli();
    inside.project = Some(closed.key());
    machine.link().call(&inside, "set_hint", hint("inside", "make")).expect("set");
    machine.call("set_hint", hint("outside", "make"));
    let outside = head(&beside(&machine));
    let heard = listener.hear();
    assert_eq!((heard.data["scheme"].as_str(), heard.id), (Some("hint"), Some(outside)), "{heard:?}");
}

/// @live_events: the number of listeners is limited, and one that disconnects frees a slot.
#[test]
fn listeners_are_bounded() {
    let (machine, _server) = served();
    let mut open: Vec<Listener> = (0..64).map(|_| Listener::open(&machine, "")).collect();
    assert_eq!(ask(&machine, "GET", "/events", &Value::Null).status, 503);
    open.truncate(63);
    let is_open = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        Listener::is_let_in(&machine)
    });
    assert!(is_open, "no room for another listener");
}
