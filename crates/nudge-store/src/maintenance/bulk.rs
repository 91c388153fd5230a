//! Large stores of generated entries, for benchmarks and load tests.

use nudge_core::{EntryPath, Provenance, Scope, Source, Tier, Timestamp};
use serde_json::{Map, json};

use crate::db::connection::Durability;
use crate::db::error::StoreError;
use crate::db::store::Store;
use crate::tables::entry::EntryDraft;
use crate::tables::secret_guard::SecretPolicy;

/// How many entries go into one transaction.
const BATCH_ENTRIES: u64 = 5_000;

/// The mix of kinds, out of twenty: mostly one kind, as in a store filled by capture.
const KIND_MIX: [&str; 20] = [
    "log", "log", "log", "log", "value", "log", "log", "known", "log", "log", "log", "log", "value", "log",
    "log", "ghap", "log", "log", "log", "log",
];

const WORDS: [&str; 24] = [
    "cargo",
    "build",
    "test",
    "src",
    "main",
    "router",
    "migration",
    "panicked",
    "at",
    "thread",
    "docker",
    "compose",
    "index",
    "query",
    "commit",
    "branch",
    "feature",
    "config",
    "retry",
    "socket",
    "server",
    "client",
    "schema",
    "page",
];

/// The path of the `number`-th generated entry.
pub fn path_of(number: u64) -> EntryPath {
    let scheme = KIND_MIX[(number % 20) as usize];
    let session = format!("s{}", number / 500);
    EntryPath::from_parts(scheme, &[&session, &number.to_string()], None)
        .expect("short printable parts make a path")
}

/// Writes the generated entries `from..to`, the same ones every time, in batches.
///
/// `secrets` sets whether the detector reads every text, as it does for captured ones.
pub fn fill(
    store: &Store,
    from: u64,
    to: u64,
    secrets: SecretPolicy,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut next = from;
    while next < to {
        let upto = to.min(next + BATCH_ENTRIES);
        store.write(Durability::Passive, |writer| {
            (next..upto).try_for_each(|number| writer.put_entry(&draft(number, secrets, now)).map(drop))
        })?;
        next = upto;
    }
    Ok(())
}

fn draft(number: u64, secrets: SecretPolicy, now: Timestamp) -> EntryDraft {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let words = 12 + random.roll(30);
    let body: Vec<&str> = (0..words).map(|_| WORDS[random.roll(WORDS.len() as u64) as usize]).collect();
    let mut attributes = Map::new();
    attributes.insert("tool".to_owned(), json!("shell"));
    attributes.insert("exit".to_owned(), json!(random.roll(2)));
    EntryDraft {
        scope: Scope::Project(format!("project-{}", number % 40)),
        path: path_of(number),
        body: body.join(" "),
        attributes,
        provenance: Provenance {
            source: Source::ToolOutput,
            tier: Tier::System,
            client: Some("bulk".to_owned()),
            session: Some(format!("s{}", number / 500)),
            project: Some(format!("project-{}", number % 40)),
            machine: None,
        },
        secrets,
        now: now.plus(std::time::Duration::from_millis(number)),
    }
}

/// A small random generator, so that the same number always makes the same entry.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[cfg(test)]
mod tests;
