//! The setting of the drill: a home, the contents of its database, and the questions that are
//! repeated.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use anyhow::Context;
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_home::Home as MemoryHome;
use nudge_index::{Index, IndexStatus, State};
use nudge_memory::{Memory, upkeep};
use serde_json::{Value, json};

use super::corpus::{self, Question};
use crate::stage::Home;
use crate::stage::Violations;

/// The largest page of a search.
const PAGE_ROWS: usize = 100;

/// A home, and what is known about it.
pub(super) struct Bench<'v> {
    pub(super) home: Home,
    pub(super) violations: &'v mut Violations,
    /// How many searches were compared.
    pub(super) searches: usize,
    entries: usize,
    rows: Vec<(i64, Vec<String>)>,
    files: tempfile::TempDir,
}

impl<'v> Bench<'v> {
    pub(super) fn new(home: Home, violations: &'v mut Violations) -> anyhow::Result<Self> {
        let files = tempfile::Builder::new().prefix("nudge-drill-").tempdir()?;
        Ok(Self { home, violations, searches: 0, entries: 0, rows: Vec::new(), files })
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.home.memory().join("index")
    }

    pub(super) fn index_status(&self) -> IndexStatus {
        Index::open(&self.directory()).status()
    }

    /// How many entries the database had when it was last read.
    pub(super) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many entries were written so far.
    pub(super) const fn entries(&self) -> usize {
        self.entries
    }

    /// Writes this many more entries, as imported memories.
    pub(super) fn add(&mut self, count: usize) -> anyhow::Result<()> {
        let line = |number: usize| {
            json!({"id": number.to_string(), "project": "drill", "text": corpus::text(number)}).to_string()
        };
        let lines: Vec<String> = (self.entries..self.entries + count).map(line).collect();
        self.import(&lines.join("\n"))?;
        self.entries += count;
        self.read()
    }

    pub(super) fn import(&self, lines: &str) -> anyhow::Result<()> {
        let file = self.files.path().join("memories.jsonl");
        std::fs::write(&file, lines)?;
        self.home.run(&["import", "memories", &file.to_string_lossy()])?;
        Ok(())
    }

    /// Sends one event and waits until it is acknowledged.
    pub(super) fn record(&self, event: &Value) -> anyhow::Result<()> {
        let mut command = self.home.nudge(&["record"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("nudge record cannot be started")?;
        let mut stdin = child.stdin.take().context("standard input is piped")?;
        stdin.write_all(event.to_string().as_bytes())?;
        drop(stdin);
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "an event was not taken: {}", said.trim());
        Ok(())
    }

    /// How many entries the program finds for these words.
    pub(super) fn found(&mut self, query: &str) -> anyhow::Result<usize> {
        self.searches += 1;
        Ok(self.search(query)?.len())
    }

    /// The memory, open for reading.
    pub(super) fn reader(&self) -> anyhow::Result<Memory> {
        let failed = |fault: Fault| anyhow::anyhow!("{}", fault.message);
        let home = MemoryHome::locate(Some(&self.home.memory()), &|_| None).map_err(failed)?;
        let memory = upkeep::open_for_reading(&home, Timestamp::from_millis(0)).map_err(failed)?;
        let memory = memory.context("there is a memory")?;
        memory.store().read(|reader| reader.feed_head())?;
        Ok(memory)
    }

    /// Reads the contents of the database: the reference for all answers.
    pub(super) fn read(&mut self) -> anyhow::Result<()> {
        let memory = self.reader()?;
        self.rows.clear();
        let mut after = i64::MIN;
        loop {
            let found = memory.store().read(|reader| reader.documents_after(EntryId(after), 1_000))?;
            let Some(last) = found.last() else { return Ok(()) };
            after = last.id.0;
            self.rows.extend(found.iter().map(|row| (row.id.0, words(&row.body))));
        }
    }

    /// Asks the first `count` questions and compares the answers with the scan.
    pub(super) fn agree_on(&mut self, count: usize, moment: &str) -> anyhow::Result<()> {
        for question in corpus::questions(self.entries).into_iter().take(count) {
            self.agree(&question, moment)?;
        }
        Ok(())
    }

    /// Asks all questions.
    pub(super) fn agree_on_all(&mut self, moment: &str) -> anyhow::Result<()> {
        self.agree_on(usize::MAX, moment)
    }

    /// Asks one question; returns the number of answers.
    pub(super) fn agree(&mut self, question: &Question, moment: &str) -> anyhow::Result<usize> {
        let wanted: BTreeSet<i64> =
            self.rows.iter().filter(|(_, words)| question.is_answered_by(words)).map(|(id, _)| *id).collect();
        let found = match self.search(&question.typed()) {
            Ok(found) => found,
            Err(error) => {
                self.violations.unless(false, format!("{moment}: {error:#}"));
                return Ok(0);
            }
        };
        self.searches += 1;
        let (missing, more) = (wanted.difference(&found).count(), found.difference(&wanted).count());
        let typed = question.typed();
        self.violations.unless(
            missing + more == 0,
            format!("{moment}: `{typed}` misses {missing} of {} and finds {more} others", wanted.len()),
        );
        Ok(found.len())
    }

    /// Every id that the program finds, page by page.
    fn search(&self, query: &str) -> anyhow::Result<BTreeSet<i64>> {
        let mut all = BTreeSet::new();
        loop {
            let offset = all.len().to_string();
            let page =
                self.home.run(&["search", query, "--ids", "--all", "--limit", "100", "--offset", &offset])?;
            let ids: Vec<i64> = page.lines().map(str::parse).collect::<Result<_, _>>()?;
            let before = all.len();
            all.extend(&ids);
            anyhow::ensure!(all.len() == before + ids.len(), "`{query}`: an id is on two pages");
            if ids.len() < PAGE_ROWS {
                return Ok(all);
            }
        }
    }

    /// Starts the process that updates the index.
    pub(super) fn writer(&self) -> anyhow::Result<Child> {
        let mut command = self.home.nudge(&["keep-index"]);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("nudge keep-index cannot be started")
    }

    /// Has that process update the index, and checks that the index is usable.
    pub(super) fn update_index(&mut self, moment: &str) -> anyhow::Result<()> {
        self.home.run(&["keep-index"])?;
        let status = self.index_status();
        let is_whole = status.state == State::Ready && status.documents == self.rows.len() as u64;
        self.violations.unless(
            is_whole,
            format!("{moment}: not brought up for {} entries: {status:?}", self.rows.len()),
        );
        Ok(())
    }
}

fn words(text: &str) -> Vec<String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty());
    pieces.map(str::to_lowercase).collect()
}
