//! Imports memories written elsewhere, one JSON object per line, plain or compressed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use flate2::bufread::MultiGzDecoder;
use nudge_core::{EntryPath, Fault, Provenance, Scope, Source, Tier, Timestamp};
use nudge_home::Home;
use nudge_store::{Durability, EntryDraft, Reader, SecretPolicy, Store, Writer};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::request::{Progress, open, unreadable};
use super::writer::Pace;
use crate::capture;

/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 4 * 1024 * 1024;

/// How much is read from the disk at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// The first bytes of a compressed file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

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
        let read = (&mut lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes);
        match read.map_err(|error| damaged(file, number, error))? {
            0 => break,
            length => number += u64::from(length > 0),
        }
        if bytes.len() as u64 == MAX_LINE_BYTES && bytes.last() != Some(&b'\n') {
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
    let mut raw = BufReader::with_capacity(BUFFER_BYTES, raw);
    let begin = raw.fill_buf().map_err(|error| unreadable(file, error))?;
    if begin.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(raw))));
    }
    Ok(Box::new(raw))
}

fn damaged(file: &Path, line: u64, error: std::io::Error) -> Fault {
    Fault::invalid("damaged_file", format!("{} cannot be read after line {line}: {error}", file.display()))
        .because(error)
        .next("the lines before it are saved; correct the file and import it again")
}

// One memory.

/// The longest text of a memory, in bytes. Longer ones are documents.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// A memory, checked.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    project: String,
    path: EntryPath,
    text: String,
    date: Option<String>,
    files: Vec<String>,
}

impl Known {
    /// Parses a line, or says what is wrong with it. The error does not quote the line, which may
    /// contain a secret.
    fn read(line: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("not JSON, at column {}", error.column()))?;
        let Value::Object(mut fields) = value else { return Err("not a JSON object".to_owned()) };
        let id = match fields.remove("id") {
            Some(Value::Number(id)) => id.to_string(),
            id => required("id", id)?,
        };
        let project = required("project", fields.remove("project"))?;
        let text = required("text", fields.remove("text"))?;
        let text = capture::without_private(&text).into_owned();
        if text.trim().is_empty() {
            return Err("all of `text` is private".to_owned());
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(format!("`text` is longer than {MAX_TEXT_BYTES} bytes"));
        }
        let path = EntryPath::from_parts("known", &[&project, &id], None)
            .map_err(|error| format!("`project` and `id` do not make a path: {error}"))?;
        Ok(Self {
            project,
            path,
            text,
            date: date(fields.remove("date"))?,
            files: files(fields.remove("files"))?,
        })
    }

    /// The project key that belongs to the given project name.
    fn project_key(&self) -> String {
        capture::project::key_of_name(&self.project)
    }

    /// What is stored with the text.
    fn attributes(&self) -> Map<String, Value> {
        let mut attributes = Map::new();
        if let Some(date) = &self.date {
            attributes.insert("date".to_owned(), date.clone().into());
        }
        if !self.files.is_empty() {
            attributes.insert("files".to_owned(), self.files.clone().into());
        }
        attributes
    }

    /// How importing it changes the store.
    fn import_result(&self, reader: &Reader<'_>) -> Result<ImportResult, Fault> {
        let Some(entry) = reader.entry(&Scope::Project(self.project_key()), &self.path)? else {
            return Ok(ImportResult::New);
        };
        let before = |key: &str| entry.attributes.get(key).cloned();
        // The stored text is without credentials.
        let clean = |text: &str| nudge_secrets::redact(text).into_owned();
        let files = before("files").unwrap_or_else(|| json!([]));
        let cleaned = || self.files.iter().map(|file| clean(file)).collect::<Vec<_>>();
        let same = (entry.body == self.text || entry.body == clean(&self.text))
            && before("date") == self.date.clone().map(Value::from)
            && (files == json!(self.files) || files == json!(cleaned()));
        Ok(if same { ImportResult::Same } else { ImportResult::Changed })
    }
}

fn required(name: &str, value: Option<Value>) -> Result<String, String> {
    match value {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        Some(Value::String(_)) => Err(format!("`{name}` is empty")),
        None | Some(Value::Null) => Err(format!("`{name}` is missing")),
        Some(_) => Err(format!("`{name}` is not a string")),
    }
}

/// A day, or a time with an offset.
fn date(value: Option<Value>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => {
            let is_time =
                Timestamp::parse(&text).is_some() || Timestamp::parse(&format!("{text}T00:00:00Z")).is_some();
            if is_time { Ok(Some(text)) } else { Err("`date` is not an ISO date".to_owned()) }
        }
        Some(_) => Err("`date` is not a string".to_owned()),
    }
}

fn files(value: Option<Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(files)) => {
            let file = |file: Value| match file {
                Value::String(file) => Ok(file),
                _ => Err("`files` contains an item that is not a string".to_owned()),
            };
            files.into_iter().map(file).collect()
        }
        Some(_) => Err("`files` is not a list".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_memory_or_says_why_not() {
        let read = |line: &str| Known::read(line.as_bytes()).map(|known| known.path.to_string());
        assert_eq!(read(r#"{"id":"a/b","project":"p q","text":"x"}"#), Ok("known://p%20q/a%2Fb".into()));
        assert_eq!(
            read(r#"{"id":7,"project":"p","text":"x","date":"2026-01-02","files":["a"]}"#),
            Ok("known://p/7".into())
        );
        for (line, why) in [
            ("{", "not JSON, at column 1"),
            ("[]", "not a JSON object"),
            (r#"{"project":"p","text":"x"}"#, "`id` is missing"),
            (r#"{"id":"a","project":" ","text":"x"}"#, "`project` is empty"),
            (r#"{"id":"a","project":"p","text":5}"#, "`text` is not a string"),
            (r#"{"id":"a","project":"p","text":"<private>x</private>"}"#, "all of `text` is private"),
            (r#"{"id":"a","project":"p","text":"x","date":"soon"}"#, "`date` is not an ISO date"),
            (r#"{"id":"a","project":"p","text":"x","files":"f"}"#, "`files` is not a list"),
        ] {
            assert_eq!(read(line), Err(why.to_owned()), "{line}");
        }
    }
}
