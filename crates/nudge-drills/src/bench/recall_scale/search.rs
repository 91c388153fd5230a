//! The `search` operation, including resolved hits and the built answer, compared with the bare
//! engines.

use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use super::scene::Scene;
use super::stores;
use crate::bench::table::{Aim, Figures, Table};

/// The allowed time of Nudge relative to the engine below it.
const NEAR: Aim = Aim::Near(1.5, Duration::from_micros(300));

/// How much faster than FTS5 a prompt should be.
const FASTER: Aim = Aim::Faster(20.0);

/// The kinds of questions, and whether the aim against FTS5 applies.
const ASKED: [(&str, &str, bool); 5] = [
    ("rare", "one rare word", false),
    ("three", "three words", false),
    ("prompt", "a prompt of eight words", true),
    ("large_project", "the same within the largest project (18 % of the rows)", false),
    ("small_project", "the same within a small one (0.6 %)", false),
];

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, home, stores, rows, words } = scene;
    let (runs, fts_runs) = match rows {
        0..=200_000 => (2_000, 200),
        200_001..=2_000_000 => (2_000, 60),
        _ => (500, 10),
    };
    let spec = json!({
        "nudge": home.database(),
        "tantivy": stores.tantivy,
        "fts": stores.fts,
        "words": words,
        "runs": runs,
        "fts_runs": if stores.fts.is_some() { fts_runs } else { 0 },
    });
    let report = stores::report(home.bare(programs, "search-beside").arg(spec.to_string()))?;
    for (name, what, is_prompt) in ASKED {
        let of = |engine: &str| Figures::from_json(&report[name][engine]);
        table.compare(what, of("nudge"), ("bare Tantivy, same fields", of("fields")), NEAR);
        table.compare("the same", of("nudge"), ("bare Tantivy, one field", of("text")), NEAR);
        if stores.fts.is_some() {
            let aim = if is_prompt { FASTER } else { Aim::None };
            table.compare("the same", of("nudge"), ("bare FTS5", of("fts")), aim);
        }
    }
    let peak = report["peak_bytes"].as_f64().context("a report without its peak")?;
    table.count("peak memory of all engines while searching", format!("{:.0} MB", peak / 1e6), "–");
    Ok(())
}
