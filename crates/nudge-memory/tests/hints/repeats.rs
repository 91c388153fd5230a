//! A write that is sent twice happens once.

use std::time::Duration;

use nudge_memory::Surface;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::hints::setup::{Hints, fresh};

fn call_with_id(
    bench: &MemoryBench,
    id: &str,
    name: &str,
    params: Value,
) -> Result<Value, nudge_core::Fault> {
    let mut caller = bench.caller.clone();
    caller.operation_id = Some(id.to_owned());
    nudge_testkit::call(&bench.memory, &caller, name, params)
}

/// @kernel_operation_ids
#[test]
fn a_repeat_returns_the_first_answer_and_writes_nothing() {
    let mut bench = fresh();
    bench.set("c", "k", "v", json!({}));
    let bump = json!({"component": "c", "key": "k"});
    let first = call_with_id(&bench, "op-1", "bump", bump.clone()).expect("bumps");
    bench.later(Duration::from_secs(30));
    assert_eq!(call_with_id(&bench, "op-1", "bump", bump.clone()).expect("repeats"), first);
    assert_eq!(call_with_id(&bench, "op-2", "bump", bump).expect("bumps")["hint"]["use_count"], 2);
}

/// @kernel_operation_ids
#[test]
fn a_failure_is_not_remembered() {
    let bench = fresh();
    let bump = json!({"component": "c", "key": "k"});
    assert!(call_with_id(&bench, "op-1", "bump", bump.clone()).is_err());
    bench.set("c", "k", "v", json!({}));
    assert!(call_with_id(&bench, "op-1", "bump", bump).is_ok());
}

/// @kernel_operation_ids
#[test]
fn the_kept_answer_holds_no_secret() {
    let bench = fresh();
    let secret = format!("AKIA{}", "Q3EGRZ7TXVNH5K2M");
    let params = json!({"component": "c", "key": "k", "value": secret, "meta": {"sensitivity": "secret"}});
    let first = call_with_id(&bench, "op-1", "set_hint", params.clone()).expect("sets");
    let again = call_with_id(&bench, "op-1", "set_hint", params).expect("repeats");
    assert_eq!(first["hint"]["value"], secret);
    assert_eq!(again["hint"]["value"], "[REDACTED]");
    assert_eq!(
        (&again["hint"]["id"], &again["hint"]["version"]),
        (&first["hint"]["id"], &first["hint"]["version"])
    );
}

/// @kernel_provenance
#[test]
fn the_origin_stays_and_the_writer_follows_the_version() {
    let mut bench = fresh();
    bench.caller.surface = Surface::Mcp;
    bench.set("c", "k", "written by an agent", json!({}));
    bench.caller.surface = Surface::Cli;
    bench.set("c", "k", "typed by the person", json!({}));
    let path = nudge_core::EntryPath::parse("hint://c/k").expect("valid");
    let entry = bench.memory.store().read(|reader| reader.entry(&nudge_core::Scope::Global, &path));
    let entry: nudge_core::Entry = entry.map_err(nudge_core::Fault::from).expect("reads").expect("is there");
    assert_eq!((entry.origin.source.name(), entry.writer.source.name()), ("agent", "user"));
}
