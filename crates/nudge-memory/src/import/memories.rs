//! Imports memories written elsewhere, one JSON object per line, plain or compressed.

mod line;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use flate2::bufread::MultiGzDecoder;
use nudge_core::{Fault, Provenance, Scope, Source, Tier, Timestamp};
use nudge_store::{Durability, EntryDraft, SecretPolicy, Store, Writer};
use serde::Serialize;
use serde_json::{Map, Value};

use super::pace::Pace;
use super::request::{Progress, open, unreadable};
use line::Known;
use nudge_home::Home;

/// The longest line that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

/// How much is read from the disk at once.
const BUFFER: usize = 256 * 1024;

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The result of importing a file of memories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoriesReport {
    /// Whether this was a dry run, which writes nothing.
    pub dry_run: bool,
    /// Lines that were read, without empty ones.
    pub lines: u64,
    /// Memories that are new.
    pub imported: u64,
    /// Memories with a changed text, date or files.
    pub updated: u64,
    /// Memories that were already there, unchanged.
    pub known: u64,
    /// Lines without a valid memory.
    pub bad: Vec<BadLine>,
}

/// A line without a valid memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

/// Imports memories as `known://<project>/<id>`. They keep their own date, but retention counts
/// from the import.
pub fn memories(
    home: &Home,
    file: &Path,
    dry_run: bool,
    now: Timestamp,
    watch: &mut dyn FnMut(Progress),
) -> Result<MemoriesReport, Fault> {
    let mut lines = lines(file)?;
    let store = open(home, dry_run, now)?;
    let mut run = Run {
        store: &store,
        now,
        pace: Pace::new(),
        report: MemoriesReport { dry_run, ..Default::default() },
    };
    let mut waiting = Vec::new();
    let mut number = 0;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut lines).take(LONGEST).read_until(b'\n', &mut bytes);
        match read.map_err(|error| damaged(file, number, error))? {
            0 => break,
            length => number += u64::from(length > 0),
        }
        if bytes.len() as u64 == LONGEST && bytes.last() != Some(&b'\n') {
            let error = std::io::Error::other("the line is longer than 4 MiB");
            return Err(damaged(file, number, error));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        run.report.lines += 1;
        match Known::read(&bytes) {
            Ok(known) => waiting.push(known),
            Err(why) => run.report.bad.push(BadLine { line: number, why }),
        }
        if waiting.len() >= run.pace.size() {
            run.write(&std::mem::take(&mut waiting))?;
            watch(Progress { done: run.report.lines, total: 0 });
        }
    }
    run.write(&waiting)?;
    Ok(run.report)
}

struct Run<'i> {
    store: &'i Store,
    now: Timestamp,
    pace: Pace,
    report: MemoriesReport,
}

impl Run<'_> {
    fn write(&mut self, batch: &[Known]) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        if self.report.dry_run {
            let fates = self.store.read(|reader| {
                batch.iter().map(|known| known.import_result(reader)).collect::<Result<Vec<_>, Fault>>()
            })?;
            fates.into_iter().for_each(|fate| self.count(fate));
            return Ok(());
        }
        let began = Instant::now();
        let now = self.now;
        let fates = self.store.write(Durability::Passive, |writer| {
            batch.iter().map(|known| keep(writer, known, now)).collect::<Result<Vec<_>, Fault>>()
        })?;
        self.pace.adjust(batch.len(), began.elapsed());
        fates.into_iter().for_each(|fate| self.count(fate));
        Ok(())
    }

    fn count(&mut self, fate: ImportResult) {
        match fate {
            ImportResult::New => self.report.imported += 1,
            ImportResult::Changed => self.report.updated += 1,
            ImportResult::Same => self.report.known += 1,
        }
    }
}

/// How importing a memory changes the store.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ImportResult {
    New,
    Changed,
    Same,
}

fn keep(writer: &Writer<'_>, known: &Known, now: Timestamp) -> Result<ImportResult, Fault> {
    let fate = known.import_result(writer)?;
    if fate == ImportResult::Same {
        return Ok(fate);
    }
    writer.enter_project(&known.project_key(), &known.project, "", now)?;
    let mut attributes: Map<String, Value> = known.attributes();
    attributes.insert("imported".to_owned(), now.to_string().into());
    writer.put_entry(&EntryDraft {
        scope: Scope::Project(known.project_key()),
        path: known.path.clone(),
        body: known.text.clone(),
        attributes,
        provenance: Provenance {
            source: Source::FileImport,
            tier: Tier::Client,
            client: Some("import".to_owned()),
            session: None,
            project: Some(known.project_key()),
            machine: None,
        },
        secrets: SecretPolicy::Redact,
        now,
    })?;
    Ok(fate)
}

/// The lines of a file, decompressed if its first bytes say so.
fn lines(file: &Path) -> Result<Box<dyn BufRead>, Fault> {
    let raw: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).map_err(|error| unreadable(file, error))?)
    };
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let begin = raw.fill_buf().map_err(|error| unreadable(file, error))?;
    if begin.starts_with(&GZIP) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw))));
    }
    Ok(Box::new(raw))
}

fn damaged(file: &Path, line: u64, error: std::io::Error) -> Fault {
    Fault::invalid("damaged_file", format!("{} cannot be read after line {line}: {error}", file.display()))
        .because(error)
        .next("the lines before it are saved; correct the file and import it again")
}
