//! A store with many entries in one project, for the bench of the verbs.

use std::path::Path;

use nudge_core::{Context, EntryPath, Provenance, Scope, Source, Tier};
use nudge_memory::{Ambient, Caller, Memory, Surface};
use nudge_store::{Durability, EntryDraft, SecretPolicy, Writer};
use serde_json::{Map, Value, json};

use crate::product;
use crate::random::Random;

/// The entries below `known://area-7/`.
pub const IN_AREA: u64 = 10_000;

/// The entries below `known://few/`.
pub const FEW: u64 = 20;

/// A word that no body has.
pub const ABSENT: &str = "xylophone";

/// How many entries go into one transaction.
const BATCH: u64 = 5_000;

/// One body of this many is large.
const LARGE_ONE_IN: u64 = 5_000;
const LARGE_BYTES: usize = 100 * 1024;
const BODY_BYTES: usize = 500;

const WORDS: [&str; 12] = [
    "router",
    "migration",
    "thread",
    "docker",
    "index",
    "commit",
    "branch",
    "config",
    "retry",
    "socket",
    "schema",
    "page",
];

/// The caller of every verb: a program with the token, in a directory that belongs to no project.
pub fn caller() -> anyhow::Result<Caller> {
    let ambient = Ambient::Here(Context::unknown());
    Ok(Caller { ambient, ..Caller::new(Surface::Rpc, product::now()?) })
}

/// Calls an operation that must succeed.
pub fn call(memory: &Memory, name: &str, params: Value) -> anyhow::Result<Value> {
    memory.call(&caller()?, name, params).map_err(|fault| anyhow::anyhow!("{name}: {fault:?}"))
}

/// Makes the store.
pub fn make(db: &Path, rows: u64) -> anyhow::Result<()> {
    let memory = product::memory(db)?;
    // The first entry creates the project, and shows the scope of the caller.
    let first = "known://first";
    call(&memory, "set", json!({"path": first, "body": "made by the bench"}))?;
    let path = EntryPath::parse(first)?;
    let scopes = memory.store().read(|reader| reader.scopes_of(&path))?;
    let (scope, _) = scopes.into_iter().next().ok_or_else(|| anyhow::anyhow!("no entry was made"))?;
    let mut next = 0;
    while next < rows {
        let upto = rows.min(next + BATCH);
        memory
            .store()
            .write(Durability::Passive, |writer| (next..upto).try_for_each(|row| put(writer, &scope, row)))?;
        next = upto;
    }
    Ok(())
}

fn put(writer: &Writer<'_>, scope: &Scope, row: u64) -> Result<(), nudge_store::StoreError> {
    let provenance = Provenance {
        source: Source::Agent,
        tier: Tier::Model,
        client: Some("bench".to_owned()),
        session: None,
        project: None,
        machine: None,
    };
    let draft = EntryDraft {
        scope: scope.clone(),
        path: path_of(row),
        body: body_of(row),
        attributes: Map::new(),
        provenance,
        secrets: SecretPolicy::Allow,
        now: nudge_core::Timestamp::from_millis(1_790_000_000_000 + row.cast_signed()),
    };
    writer.put_entry(&draft).map(drop)
}

/// The path of a row: most are knowledge, in areas of different sizes.
fn path_of(row: u64) -> EntryPath {
    let topic = format!("topic-{}", row % 97);
    let name = format!("entry-{row:07}");
    let parts = |scheme: &str, area: &str| EntryPath::from_parts(scheme, &[area, &topic, &name], None);
    let path = if row < FEW {
        parts("known", "few")
    } else if row < FEW + IN_AREA {
        parts("known", "area-7")
    } else {
        let area = format!("area-{}", 10 + row % 53);
        match row % 20 {
            0..14 => parts("known", &area),
            14..17 => parts("unknown", &area),
            17..19 => parts("log", &area),
            _ => parts("skill", &area),
        }
    };
    path.expect("short printable parts make a path")
}

fn body_of(row: u64) -> String {
    let mut random = Random::of(row);
    let bytes = if row % LARGE_ONE_IN == LARGE_ONE_IN - 1 { LARGE_BYTES } else { BODY_BYTES };
    let mut body = String::with_capacity(bytes + 16);
    while body.len() < bytes {
        let word: &&str = random.any(&WORDS);
        body.push_str(word);
        body.push(if random.below(12) == 0 { '\n' } else { ' ' });
    }
    body
}
