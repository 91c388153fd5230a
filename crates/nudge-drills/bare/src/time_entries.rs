//! Times the verbs over entries in this process, side by side with bare reads of the same file.
//!
//! `time-entries make DB ROWS` fills a store. `time-entries time DB ROUNDS` prints the figures as
//! JSON: `{"reads": [{"what", "rows", "nudge", "bare"}], "bodies": {…}, "appends": {…}}`.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::{Context as CallContext, EntryPath, Provenance, Scope, Source, Tier};
use nudge_memory::{Ambient, Caller, Memory, Surface};
use nudge_store::{Durability, EntryDraft, SecretPolicy, Writer};
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::figures::{Figures, Latencies, Random};
use crate::product;

/// One append, as a model streams it.
const APPEND_BYTES: usize = 4 * 1024;

/// The appends of the short stream, 2.5 MiB, and how much longer the other one is.
const APPENDS: u32 = 640;

const TIMES_LONGER: u32 = 4;

/// The length of a line in a stream.
const LINE_BYTES: usize = 64;

/// The page cache of the bare connection: that of the store.
const CACHE_PRAGMA: &str = "PRAGMA cache_size = -16384;";

/// The bare index scan.
const SCAN_QUERY: &str = "SELECT path, scope_id, id FROM entry INDEXED BY entry_path
  WHERE path >= ?1 AND path < ?2 ORDER BY path, scope_id";

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", db, rows] => make(db.as_ref(), rows.parse()?),
        ["time", db, rounds] => time(db.as_ref(), rounds.parse()?),
        _ => anyhow::bail!("usage: time-entries make DB ROWS | time DB ROUNDS"),
    }
}

/// Two sides of one read.
#[derive(Serialize)]
struct Read {
    what: &'static str,
    rows: u64,
    nudge: Figures,
    bare: Figures,
}

fn time(db: &Path, rounds: u32) -> anyhow::Result<()> {
    let memory = product::memory(db)?;
    #[expect(clippy::disallowed_methods, reason = "the bare side of the comparison")]
    let bare = Connection::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    bare.execute_batch(CACHE_PRAGMA)?;
    let sides = Sides { memory, bare, rounds };
    let reads = [
        sides.preview("preview of a scheme", "known://", "known:/0")?,
        sides.preview("preview of a prefix", "known://area-7/", "known://area-70")?,
        sides.bodies()?,
    ];
    let appends = sides.appends()?;
    let report = json!({"reads": reads, "bodies": sides.bodies_read()?, "appends": appends});
    println!("{report}");
    Ok(())
}

struct Sides {
    memory: Memory,
    bare: Connection,
    rounds: u32,
}

impl Sides {
    /// Times both sides in turn. The first round warms the caches and does not count.
    fn race(
        &self,
        what: &'static str,
        nudge: impl Fn() -> anyhow::Result<u64>,
        bare: impl Fn() -> anyhow::Result<u64>,
    ) -> anyhow::Result<Read> {
        let mut times = [Latencies::default(), Latencies::default()];
        let mut rows = 0;
        for round in 0..=self.rounds {
            let (ours, ours_took) = timed(&nudge)?;
            let (theirs, theirs_took) = timed(&bare)?;
            anyhow::ensure!(ours == theirs, "{what}: {ours} rows against {theirs}");
            rows = ours;
            if round > 0 {
                times[0].push(ours_took);
                times[1].push(theirs_took);
            }
        }
        let [nudge, bare] = times.map(|times| times.figures());
        Ok(Read { what, rows, nudge, bare })
    }

    /// A preview of everything below a prefix, against the scan of the same range of the index.
    fn preview(&self, what: &'static str, from: &str, to: &str) -> anyhow::Result<Read> {
        let pattern = format!("{from}**");
        self.race(
            what,
            || count(&self.get(json!({"path": pattern, "preview": true}))?, "matched"),
            || {
                let mut scan = self.bare.prepare_cached(SCAN_QUERY)?;
                let mut rows = scan.query([from, to])?;
                let mut seen = 0;
                while let Some(row) = rows.next()? {
                    black_box(row);
                    seen += 1;
                }
                Ok(seen)
            },
        )
    }

    /// Twenty entries with their bodies, against their bodies by path.
    fn bodies(&self) -> anyhow::Result<Read> {
        let listed = self.get(json!({"path": "known://few/**", "preview": true, "max": FEW_ENTRIES}))?;
        let listed = listed["entries"].as_array().cloned().unwrap_or_default();
        let paths: Vec<&str> = listed.iter().filter_map(|entry| entry["path"].as_str()).collect();
        self.race(
            "get with bodies",
            || {
                let answer =
                    self.get(json!({"path": "known://few/**", "max": FEW_ENTRIES, "max_tokens": u32::MAX}))?;
                let entries = answer["entries"].as_array().context("entries")?;
                Ok(entries.iter().filter(|entry| entry["body"].is_string()).count() as u64)
            },
            || {
                let mut read = self.bare.prepare_cached("SELECT body FROM entry WHERE path = ?1")?;
                let mut seen = 0;
                for path in &paths {
                    black_box(read.query_row([path], |row| row.get::<_, String>(0))?);
                    seen += 1;
                }
                Ok(seen)
            },
        )
    }

    /// How many bodies are read: by a preview none, by a filter over bodies those of all paths.
    fn bodies_read(&self) -> anyhow::Result<Value> {
        let preview = self.get(json!({"path": "known://area-7/**", "preview": true}))?;
        let filter = self.get(json!({"path": "known://area-7/**", "preview": true, "body": ABSENT_WORD}))?;
        let [preview_read, filter_read] = [count(&preview, "bodies_read")?, count(&filter, "bodies_read")?];
        Ok(json!({
            "preview": preview_read, "filter": filter_read, "in_range": count(&preview, "matched")?,
        }))
    }

    /// The seconds for a mebibyte of appends, in a short stream and in one four times as long. Both
    /// grow in turns, because a disk may be slow for a while.
    fn appends(&self) -> anyhow::Result<Value> {
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for round in 0..self.rounds.div_ceil(4) {
            let mut streams = [
                Stream::begin(self, format!("log://short-{round}"))?,
                Stream::begin(self, format!("log://long-{round}"))?,
            ];
            for _ in 0..APPENDS {
                streams[0].append()?;
                for _ in 0..TIMES_LONGER {
                    streams[1].append()?;
                }
            }
            let [one, other] = streams;
            short.push(one.end()?);
            long.push(other.end()?);
        }
        Ok(json!({"short_s_per_mib": median(short), "long_s_per_mib": median(long)}))
    }

    fn get(&self, params: Value) -> anyhow::Result<Value> {
        call(&self.memory, "get", params)
    }
}

/// An entry whose body grows.
struct Stream<'s> {
    sides: &'s Sides,
    path: String,
    piece: String,
    pieces: u32,
    took: Duration,
}

impl<'s> Stream<'s> {
    fn begin(sides: &'s Sides, path: String) -> anyhow::Result<Self> {
        let params = json!({"path": path, "body": "", "raw": true, "state": "streaming"});
        call(&sides.memory, "set", params)?;
        let line = format!("{}\n", "a token ".repeat(LINE_BYTES).split_at(LINE_BYTES - 1).0);
        Ok(Self {
            sides,
            path,
            piece: line.repeat(APPEND_BYTES / LINE_BYTES),
            pieces: 0,
            took: Duration::ZERO,
        })
    }

    fn append(&mut self) -> anyhow::Result<()> {
        let params = json!({"path": self.path, "body": self.piece, "append": true});
        let began = Instant::now();
        call(&self.sides.memory, "set", params)?;
        self.took += began.elapsed();
        self.pieces += 1;
        Ok(())
    }

    /// Ends the stream, checks that all of it is stored, and returns the seconds for a mebibyte.
    fn end(self) -> anyhow::Result<f64> {
        let Self { sides, path, pieces, took, .. } = self;
        call(&sides.memory, "set", json!({"path": path, "state": "resolved"}))?;
        let stored = sides.get(json!({"path": path, "line": -1}))?;
        let lines = stored["entries"][0]["lines"]["of"].as_u64().context("the stream is stored")?;
        anyhow::ensure!(
            lines == u64::from(pieces) * (APPEND_BYTES / LINE_BYTES) as u64,
            "{path} has {lines} lines"
        );
        call(&sides.memory, "rm", json!({"path": path}))?;
        Ok(took.as_secs_f64() / (f64::from(pieces) * APPEND_BYTES as f64 / (1024.0 * 1024.0)))
    }
}

fn timed(act: impl Fn() -> anyhow::Result<u64>) -> anyhow::Result<(u64, Duration)> {
    let start = Instant::now();
    let rows = black_box(act()?);
    Ok((rows, start.elapsed()))
}

fn count(answer: &Value, name: &str) -> anyhow::Result<u64> {
    answer[name].as_u64().with_context(|| format!("an answer without {name}"))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

// A store with many entries in one project, for the bench of the verbs.

/// The entries below `known://area-7/`.
pub const IN_AREA: u64 = 10_000;

/// The entries below `known://few/`.
pub const FEW_ENTRIES: u64 = 20;

/// A word that no body has.
pub const ABSENT_WORD: &str = "xylophone";

/// How many entries go into one transaction.
const BATCH_ENTRIES: u64 = 5_000;

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
    let ambient = Ambient::Here(CallContext::unknown());
    Ok(Caller { ambient, ..Caller::new(Surface::Rpc, product::now()?) })
}

/// Calls an operation that must succeed.
pub fn call(memory: &Memory, name: &str, params: Value) -> anyhow::Result<Value> {
    nudge_agent::call(memory, &caller()?, name, params).map_err(|fault| anyhow::anyhow!("{name}: {fault:?}"))
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
        let upto = rows.min(next + BATCH_ENTRIES);
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
    let path = if row < FEW_ENTRIES {
        parts("known", "few")
    } else if row < FEW_ENTRIES + IN_AREA {
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
