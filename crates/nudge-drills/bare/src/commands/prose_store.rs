//! Writes the same rows into Nudge, a bare Tantivy index, a bare FTS5 table and a bare table
//! without a text index.
//!
//! `prose-store SPEC` with `{"rows", "batch", "projects"}` (the directory of the projects) and,
//! each optional, `"nudge"`, `"plain"`, `"fts"` (databases to create), `"tantivy"` (a directory)
//! and `"words"` (a vocabulary). Nudge runs on one thread, the bare engines one after the other on
//! another. Prints how long each took.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use nudge_memory::capture::{CapturedEvent, Kept};
use serde::{Deserialize, Serialize};

use crate::bare_fts::BareFts;
use crate::bare_table::{BareRow, BareTable};
use crate::bare_tantivy::BareWriter;
use crate::prose::{Prose, ProseRow};
use crate::vocabulary::Vocabulary;
use crate::{product, resident};

#[derive(Deserialize)]
struct Spec {
    rows: u64,
    batch: u64,
    projects: PathBuf,
    nudge: Option<PathBuf>,
    tantivy: Option<PathBuf>,
    plain: Option<PathBuf>,
    fts: Option<PathBuf>,
    words: Option<PathBuf>,
}

#[derive(Default, Serialize)]
struct Report {
    rows: u64,
    /// Bytes of the text alone.
    text_bytes: u64,
    nudge_s: f64,
    tantivy_s: f64,
    fts_s: f64,
    peak_bytes: u64,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: prose-store SPEC")?)?;
    let words = Vocabulary::new(spec.words.as_deref())?;
    let prose = Prose::new(&words, spec.rows, &spec.projects)?;
    let source = Batches { prose: &prose, spec: &spec };
    let report = std::thread::scope(|scope| {
        let bare = scope.spawn(|| source.bare());
        let (nudge_s, text_bytes) = source.nudge()?;
        let (tantivy_s, fts_s) = bare.join().map_err(|_| anyhow::anyhow!("the bare engines panicked"))??;
        let peak_bytes = resident::peak_bytes();
        anyhow::Ok(Report { rows: spec.rows, text_bytes, nudge_s, tantivy_s, fts_s, peak_bytes })
    })?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

struct Batches<'s> {
    prose: &'s Prose<'s>,
    spec: &'s Spec,
}

impl Batches<'_> {
    /// Every batch of rows, with the number of its first row.
    fn iter(&self) -> impl Iterator<Item = (u64, Vec<ProseRow>)> {
        let Spec { rows, batch, .. } = *self.spec;
        (0..rows.div_ceil(batch)).map(move |number| {
            let first = number * batch;
            (first, (first..rows.min(first + batch)).map(|number| self.prose.row(number)).collect())
        })
    }

    /// The seconds that Nudge took, and the bytes of all texts.
    fn nudge(&self) -> anyhow::Result<(f64, u64)> {
        let memory = self.spec.nudge.as_deref().map(product::memory).transpose()?;
        let (mut took, mut bytes) = (0.0, 0);
        for (first, rows) in self.iter() {
            bytes += rows.iter().map(|row| row.text.len() as u64).sum::<u64>();
            let captured_events: Vec<CapturedEvent> = rows.into_iter().map(|row| row.captured).collect();
            let Some(memory) = &memory else { continue };
            let start = Instant::now();
            let kept = memory.receive_all(&captured_events).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
            took += start.elapsed().as_secs_f64();
            let stored = kept.iter().filter(|kept| matches!(kept, Kept::Stored(_))).count();
            anyhow::ensure!(
                stored == captured_events.len(),
                "only {stored} of {} were stored",
                captured_events.len()
            );
            if (first + self.spec.batch).is_multiple_of(1_000_000) {
                eprintln!("{} rows kept", first + self.spec.batch);
            }
        }
        Ok((took, bytes))
    }

    /// The seconds that the bare engines took, including the time to build their best layout.
    fn bare(&self) -> anyhow::Result<(f64, f64)> {
        let start = Instant::now();
        if let Some(directory) = &self.spec.tantivy {
            self.tantivy(directory)?;
        }
        let tantivy_s = start.elapsed().as_secs_f64();
        if let Some(db) = &self.spec.plain {
            self.plain(db)?;
        }
        let start = Instant::now();
        if let Some(db) = &self.spec.fts {
            let fts = BareFts::create(db)?;
            for (first, rows) in self.iter() {
                let rows = (first..).zip(&rows);
                fts.add_all(rows.map(|(id, row)| (id, row.text.as_str(), format!("zp{}", row.project))))?;
            }
            fts.finish()?;
        }
        Ok((tantivy_s, start.elapsed().as_secs_f64()))
    }

    fn plain(&self, db: &Path) -> anyhow::Result<()> {
        let plain = BareTable::create(db, false)?;
        for (_, rows) in self.iter() {
            plain.insert_all(rows.iter().map(|row| BareRow {
                at: row.captured.at,
                session: &row.captured.session,
                kind: &row.captured.event,
                text: &row.text,
            }))?;
        }
        Ok(())
    }

    fn tantivy(&self, directory: &Path) -> anyhow::Result<()> {
        let mut writer = BareWriter::create(directory)?;
        for (first, rows) in self.iter() {
            for (id, row) in (first..).zip(&rows) {
                writer.add(id, row.project, &row.title, &row.text)?;
            }
        }
        writer.finish()
    }
}
