//! Writes the same history into Nudge and into bare tables, batch by batch in turn, and prints how
//! long each took.
//!
//! `observe SPEC` with `{"rows", "batch"}` and, each optional, `"nudge"`, `"plain"`, `"fts"`
//! (databases to create; the last two are bare) and `"commands"` (a file of real commands, one per
//! line). Prints the seconds for every tenth of the rows.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use nudge_memory::Memory;
use nudge_memory::capture::{CapturedEvent, EventBody, Kept};
use serde::{Deserialize, Serialize};

use crate::bare_table::{BareRow, BareTable};
use crate::captured_events::{History, Row};
use crate::product;

#[derive(Deserialize)]
struct Spec {
    nudge: Option<PathBuf>,
    plain: Option<PathBuf>,
    fts: Option<PathBuf>,
    commands: Option<PathBuf>,
    rows: u64,
    batch: u64,
}

/// The time for a tenth of the rows, in seconds.
#[derive(Copy, Clone, Debug, Default, Serialize)]
struct Tenth {
    rows: u64,
    nudge: f64,
    plain: f64,
    fts: f64,
}

#[derive(Serialize)]
struct Report {
    tenths: Vec<Tenth>,
    /// Bytes of the text alone.
    text_bytes: u64,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: observe SPEC")?)?;
    let history = History::new(spec.rows, spec.commands.as_deref())?;
    let memory = spec.nudge.as_deref().map(product::memory).transpose()?;
    let bare =
        |path: &Option<PathBuf>, fts| path.as_deref().map(|path| BareTable::create(path, fts)).transpose();
    let (plain, fts) = (bare(&spec.plain, false)?, bare(&spec.fts, true)?);
    let mut report = Report { tenths: Vec::new(), text_bytes: 0 };
    let tenth = (spec.rows / 10).max(spec.batch);
    let mut number = 0;
    while number < spec.rows {
        let mut took = Tenth::default();
        while took.rows < tenth && number < spec.rows {
            let rows: Vec<Row> =
                (number..spec.rows.min(number + spec.batch)).map(|number| history.row(number)).collect();
            if let Some(memory) = &memory {
                let captured_events: Vec<CapturedEvent> =
                    rows.iter().map(|row| row.captured.clone()).collect();
                took.nudge += timed(|| keep(memory, &captured_events))?;
            }
            if let Some(plain) = &plain {
                took.plain += timed(|| plain.insert_all(rows.iter().map(bare_row)))?;
            }
            if let Some(fts) = &fts {
                took.fts += timed(|| fts.insert_all(rows.iter().map(bare_row)))?;
            }
            report.text_bytes += rows.iter().map(|row| row.text.len() as u64).sum::<u64>();
            took.rows += rows.len() as u64;
            number += rows.len() as u64;
        }
        report.tenths.push(took);
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn keep(memory: &Memory, captured_events: &[CapturedEvent]) -> anyhow::Result<()> {
    let kept = memory.receive_all(captured_events).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let stored = kept.iter().filter(|kept| matches!(kept, Kept::Stored(_))).count();
    // Repeated reads are few and add nothing; any other loss would make the comparison worthless.
    anyhow::ensure!(
        stored * 100 >= captured_events.len() * 98,
        "only {stored} of {} were stored",
        captured_events.len()
    );
    Ok(())
}

fn bare_row(row: &Row) -> BareRow<'_> {
    let kind = match &row.captured.what {
        EventBody::Action(action) => action.kind.name(),
        _ => "user_prompt",
    };
    BareRow { at: row.captured.at, session: &row.captured.session, kind, text: &row.text }
}

fn timed(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}
