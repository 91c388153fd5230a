//! Reads the contents of the store and of the drop record, for a drill to compare with what was
//! sent.
//!
//! `capture-ledger HOME`, with the names of sessions on standard input, one per line. Prints one
//! JSON object: how often each key is stored (the marker in its text, else its session and kind),
//! how many rows there are in all, how many captured events were repetitions, and what the drop
//! record says.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_memory::capture::drops::Drops;
use nudge_store::{HostIdentity, Location, OpenOptions, Reader, SessionId, Store, StoreError};
use serde_json::json;

/// The prefix of a marker, and the number of digits after it.
const MARKER: &str = "item";
const MARKER_DIGITS: usize = 7;

/// More rows than any session or store here has.
const ALL_ROWS: u32 = 1_000_000;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let dir = args.first().context("usage: capture-ledger HOME < SESSIONS")?;
    let home =
        Home::locate(Some(Path::new(&dir)), &|_| None).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let store = Store::open(&OpenOptions {
        location: Location::File(home.db()),
        read_only: true,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(0),
        busy: Duration::from_secs(10),
        backups: None,
    })?;
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    let mut sessions = Vec::new();
    for name in std::io::stdin().lock().lines() {
        let name = name?;
        for key in store.read(|reader| keys(reader, &name))? {
            *stored.entry(key).or_default() += 1;
        }
        sessions.push(name);
    }
    for stranger in unexpected_sessions(&store, &sessions)? {
        *stored.entry(format!("session {stranger}")).or_default() += 1;
    }
    let drops = Drops::of(&home).read()?;
    let slots: Vec<_> = drops.slots.iter().map(|slot| json!([hex(&slot.hash), slot.reason.name()])).collect();
    let duplicates = store.read(|reader| reader.tally("duplicate"))?;
    let observations: i64 =
        store.read(|reader| reader.observation_counts())?.into_iter().map(|(_, count)| count).sum();
    let rows = observations + store.read(|reader| reader.prompt_count())?;
    println!(
        "{}",
        json!({
            "rows": rows, "stored": stored, "duplicates": duplicates, "dropped": slots, "dropped_in_all": drops.total,
        })
    );
    Ok(())
}

/// The keys of all stored entries of a session.
fn keys(reader: &Reader<'_>, name: &str) -> Result<Vec<String>, StoreError> {
    let Some(session) = reader.agent_session_by_name(name)? else { return Ok(Vec::new()) };
    let observations = reader.observations_of_session(session.id, ALL_ROWS)?;
    let observed =
        observations.iter().map(|seen| (marker(&seen.body), format!("{name}/{}", seen.kind.name())));
    let prompts = reader.prompts_of_session(session.id, ALL_ROWS)?;
    let said = prompts.iter().map(|prompt| (marker(&prompt.body), format!("{name}/prompt")));
    Ok(observed.chain(said).map(|(marked, otherwise)| marked.unwrap_or(otherwise)).collect())
}

/// Stored sessions that are not among those asked for.
fn unexpected_sessions(store: &Store, asked: &[String]) -> anyhow::Result<Vec<String>> {
    let all = store.read(|reader| reader.agent_sessions_after(SessionId(0), ALL_ROWS))?;
    let known: std::collections::BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    Ok(all.into_iter().map(|session| session.name).filter(|name| !known.contains(name.as_str())).collect())
}

fn marker(text: &str) -> Option<String> {
    let found = &text[text.find(MARKER)?..];
    let marker = found.get(..MARKER.len() + MARKER_DIGITS)?;
    marker[MARKER.len()..].bytes().all(|digit| digit.is_ascii_digit()).then(|| marker.to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
