//! The same verbs over five surfaces have one effect: a made-up sequence runs over MCP, `/rpc`,
//! `/ws`, the command line and tags, each in a home of its own, and after every verb all five
//! stores have the same entries and views.
//!
//! What a tag cannot say is left out for all.

mod sequence;
mod surface;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::ControlFlow;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, ensure};
use nudge_core::{EntryId, Scope};
use nudge_store::{Reader, Store, StoreError};
use sequence::Sequence;
use serde_json::json;
use surface::Surface;

use crate::args::{Product, Size};
use crate::stage::Home;
use crate::stage::Violations;

/// The verbs in the full form and in CI.
const FULL_VERBS: usize = 1_000;

const SHORT_VERBS: usize = 120;

/// The part of all verbs that must change something; otherwise the drill compares empty stores.
const MIN_CHANGING: f64 = 0.3;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The number of verbs.
    #[arg(long, value_name = "N", conflicts_with = "short")]
    verbs: Option<usize>,
    /// The number that the verbs are made from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    product: Product,
}

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let (nudge, seed) = (options.product.path()?, options.seed);
    let verbs = options.verbs.unwrap_or(options.size.pick((FULL_VERBS, SHORT_VERBS)));
    println!("{verbs} verbs from seed {seed}");
    let began = Instant::now();
    let mut sides = Vec::new();
    for open in surface::SURFACES {
        let home = Home::of(nudge.clone())?;
        begin(&home)?;
        let surface = open(&home)?;
        sides.push(Side { surface, home, store: None, now: Dump::default() });
    }
    let mut violations = Violations::default();
    let (mut changing, mut refused, mut is_whole) = (0, 0, true);
    for (number, verb) in Sequence::new(seed).take(verbs).enumerate() {
        let before = sides[0].now.clone();
        let mut was_refused = false;
        for side in &mut sides {
            was_refused |= side.surface.call(&verb)?;
            side.refresh()?;
        }
        changing += usize::from(before != sides[0].now);
        refused += usize::from(was_refused);
        if let Some(difference) = first_difference(&sides) {
            violations.unless(false, format!("verb {} of seed {seed}, {verb}: {difference}", number + 1));
            is_whole = false;
            break;
        }
    }
    let rows = sides[0].now.len();
    println!(
        "{changing} of {verbs} verbs changed the store, {refused} were refused; {rows} rows in each of {} stores; {:.0} s",
        sides.len(),
        began.elapsed().as_secs_f64()
    );
    let enough = changing as f64 >= MIN_CHANGING * verbs as f64;
    violations.unless(enough || !is_whole, format!("only {changing} of {verbs} verbs changed anything"));
    for side in sides {
        side.surface.close()?;
        drop(side.home);
    }
    Ok(violations.close("every verb has the same effect over MCP, /rpc, /ws, the command line and tags"))
}

/// A session in the home, which says where a call over HTTP belongs.
fn begin(home: &Home) -> anyhow::Result<()> {
    let event = json!({"session_id": sequence::SESSION, "hook_event_name": "SessionStart", "source": "startup",
        "transcript_path": "/none", "cwd": home.path()});
    let mut hook = home.nudge(&["hook", "claude"]);
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    hook.stdin.take().context("standard input is piped")?.write_all(event.to_string().as_bytes())?;
    ensure!(hook.wait()?.success(), "a hook failed");
    Ok(())
}

/// One surface with its own home.
struct Side {
    surface: Box<dyn Surface>,
    home: Home,
    /// Open for reading, once there is one.
    store: Option<Store>,
    now: Dump,
}

impl Side {
    /// Reads the store again.
    fn refresh(&mut self) -> anyhow::Result<()> {
        if self.store.is_none() && self.home.database().exists() {
            self.store = Some(Store::open(&self.home.read_options())?);
        }
        if let Some(store) = &self.store {
            self.now = dump_store(store)?;
        }
        Ok(())
    }
}

/// The first row that one store has and another has not.
fn first_difference(sides: &[Side]) -> Option<String> {
    let (first, others) = sides.split_first()?;
    others.iter().find_map(|other| {
        let (only_first, only_other) =
            (first.now.difference(&other.now).next(), other.now.difference(&first.now).next());
        let shown = |row: Option<&String>| row.map_or("nothing else", String::as_str).to_owned();
        (only_first.is_some() || only_other.is_some()).then(|| {
            format!(
                "over {} there is\n  {}\nand over {}\n  {}",
                first.surface.name(),
                shown(only_first),
                other.surface.name(),
                shown(only_other)
            )
        })
    })
}

// What a store has, without what differs between homes: no ids, times, writers or names of
// projects.

/// The rows of a store, as lines.
type Dump = BTreeSet<String>;

/// Reads all entries, and how each viewer sees them.
fn dump_store(store: &Store) -> anyhow::Result<Dump> {
    Ok(store.read(rows)?)
}

fn rows(reader: &Reader<'_>) -> Result<Dump, StoreError> {
    let mut ids = Vec::new();
    reader.visit_paths("", |hit| {
        ids.push(hit.id);
        ControlFlow::Continue(())
    })?;
    let mut rows = Dump::new();
    let mut names = BTreeMap::new();
    for id in ids {
        let Some(entry) = reader.entry_by_id(id)? else { continue };
        let path = entry.path.as_str();
        let name = format!("{} in {}", path, place(&entry.scope));
        let attributes = serde_json::to_string(&entry.attributes).unwrap_or_default();
        let body = entry.body.clone() + &reader.appended(id)?;
        rows.insert(format!("entry {name} v{} {attributes} {body:?}", entry.version));
        names.insert(id, name);
    }
    for viewer in scopes(reader)? {
        rows.extend(views(reader, &viewer, &names)?);
    }
    Ok(rows)
}

fn views(
    reader: &Reader<'_>,
    viewer: &Scope,
    names: &BTreeMap<EntryId, String>,
) -> Result<Vec<String>, StoreError> {
    let shown = |row: nudge_store::ViewRow| {
        let name = names.get(&row.entry).map_or("an entry that is gone", String::as_str);
        format!(
            "view of {} on {name}: {} {} {:?} {:?}, {} writes",
            place(viewer),
            row.visibility.name(),
            row.state.name(),
            row.outcome,
            row.summary,
            row.write_count
        )
    };
    Ok(reader.views(viewer)?.into_iter().map(shown).collect())
}

/// All scopes. Their ids have no gaps.
fn scopes(reader: &Reader<'_>) -> Result<Vec<Scope>, StoreError> {
    let mut scopes = Vec::new();
    for id in 1.. {
        match reader.scope_by_id(id)? {
            Some(scope) => scopes.push(scope),
            None => break,
        }
    }
    Ok(scopes)
}

/// The kind of a scope, and the alias of a run. Projects have other names in other homes.
fn place(scope: &Scope) -> String {
    match scope {
        Scope::Run(key) => format!("run {}", key.rsplit('#').next().unwrap_or_default()),
        scope => scope.kind().to_owned(),
    }
}
