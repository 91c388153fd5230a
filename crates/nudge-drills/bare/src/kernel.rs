//! Makes large stores, and times the kernel's reads on a small and a large store side by side.
//!
//! `kernel make DB ENTRIES HINTS` fills a store up to that many entries, including hints. `kernel
//! flat SMALL LARGE SAMPLES` prints the figures of each read on both stores, as JSON.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use nudge_core::Scope;
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{Durability, Reader, SecretPolicy, Store, StoreError, bulk};
use serde::Serialize;
use serde_json::{Map, json};

use crate::figures::{Figures, Latencies, Random};
use crate::product;

/// Hints in one component: the maximum that the limits allow.
const PER_COMPONENT: u64 = 200;

/// Hints are written in this many batches, so that they are spread among the entries.
const HINT_BATCHES: u64 = 5;

/// Rows in one page of the feed, and in one list of the newest entries.
const PAGE_ROWS: u32 = 50;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", db, entries, hints] => make(db.into(), entries.parse()?, hints.parse()?),
        ["flat", small, large, samples] => flat([small.into(), large.into()], samples.parse()?),
        _ => anyhow::bail!("usage: kernel make DB ENTRIES HINTS | flat SMALL LARGE SAMPLES"),
    }
}

fn make(db: PathBuf, entries: u64, hints: u64) -> anyhow::Result<()> {
    let (memory, now) = (product::memory(&db)?, product::now()?);
    // A reader that never advances keeps the whole feed.
    memory.store().write(Durability::Passive, |writer| writer.advance_feed_reader("bench", 0, now))?;
    let others = entries.saturating_sub(hints);
    for portion in 0..HINT_BATCHES {
        let share = |all: u64| (all * portion / HINT_BATCHES, all * (portion + 1) / HINT_BATCHES);
        let (from, to) = share(others);
        bulk::fill(memory.store(), from, to, SecretPolicy::Allow, now)?;
        let (from, to) = share(hints);
        import(&memory, from, to)?;
    }
    Ok(())
}

fn import(memory: &Memory, from: u64, to: u64) -> anyhow::Result<()> {
    let mut components = Map::new();
    for number in from..to {
        let component = format!("component-{}", number / PER_COMPONENT);
        let key = format!("key-{}", number % PER_COMPONENT);
        let hint = json!({
            "value": {"type": "command", "cmd": format!("cargo run --package part-{number}")},
            "meta": {"ttl": "forever", "tags": ["build"], "reason": "made for the bench"},
        });
        let entry = components.entry(component).or_insert_with(|| json!({"hints": {}}));
        entry["hints"][key] = hint;
    }
    let payload = json!({
        "schema_version": "1.0", "created_at": product::now()?.to_string(), "session_id": "bench", "components": components,
    });
    let caller = Caller::new(Surface::Cli, product::now()?);
    let params = json!({"payload": payload, "mode": "merge"});
    nudge_agent::call(memory, &caller, "import", params).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    Ok(())
}

/// The figures of one kind of read on both stores.
#[derive(Serialize)]
struct Row {
    read: &'static str,
    small: Figures,
    large: Figures,
}

/// A read; its number selects the entry to read.
type Read = fn(&Reader<'_>, u64, &Extent) -> Result<usize, StoreError>;

/// The highest numbers in a store.
struct Extent {
    entries: u64,
    head: i64,
}

fn flat(dbs: [PathBuf; 2], samples: u64) -> anyhow::Result<()> {
    let [small, large] =
        dbs.map(|db| product::memory(&db).and_then(|memory| Ok((extent(memory.store())?, memory))));
    let stores = [small?, large?];
    let reads: [(&'static str, Read); 4] = [
        ("an entry by its path", |reader, place, extent| {
            let path = bulk::path_of(place % extent.entries);
            let scope = Scope::Project(format!("project-{}", place % extent.entries % 40));
            reader.entry(&scope, &path).map(|entry| usize::from(entry.is_some()))
        }),
        ("the newest 50 of the largest scheme", |reader, _, _| {
            reader.newest("log", PAGE_ROWS).map(|rows| rows.len())
        }),
        ("the newest 50 of a small scheme", |reader, _, _| {
            reader.newest("ghap", PAGE_ROWS).map(|rows| rows.len())
        }),
        ("50 rows of the feed after a position", |reader, place, extent| {
            let position = (place % (extent.head.unsigned_abs() - u64::from(PAGE_ROWS))).cast_signed();
            reader.feed_after(position, PAGE_ROWS).map(|page| page.changes.len())
        }),
    ];
    let mut rows = Vec::new();
    for (name, read) in reads {
        let [small, large] = alternate(&stores, read, samples).with_context(|| name.to_owned())?;
        rows.push(Row { read: name, small, large });
    }
    println!("{}", serde_json::to_string(&rows)?);
    Ok(())
}

/// Times a read on both stores in turn, each time for another entry.
fn alternate(stores: &[(Extent, Memory); 2], read: Read, samples: u64) -> anyhow::Result<[Figures; 2]> {
    let mut latencies = [Latencies::default(), Latencies::default()];
    let mut random = Random::of(0);
    // The first tenth warms the caches and is not counted.
    for sample in 0..samples + samples / 10 {
        let place = random.next();
        for ((extent, memory), latencies) in stores.iter().zip(&mut latencies) {
            let start = Instant::now();
            let found = memory.store().read(|reader| read(reader, place, extent))?;
            let took = start.elapsed();
            anyhow::ensure!(black_box(found) > 0, "nothing was found");
            if sample >= samples / 10 {
                latencies.push(took);
            }
        }
    }
    Ok(latencies.map(|latencies| latencies.figures()))
}

fn extent(store: &Store) -> anyhow::Result<Extent> {
    let head = store.read(|reader| reader.feed_head())?;
    let stats = store.stats()?;
    // Numbers select the entries that are not hints.
    Ok(Extent { entries: u64::try_from(stats.entries - stats.hints)?, head })
}
