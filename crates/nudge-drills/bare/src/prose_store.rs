//! Writes the same rows into Nudge, a bare Tantivy index, a bare FTS5 table and a bare table
//! without a text index.
//!
//! `prose-store SPEC` with `{"rows", "batch", "projects"}` (the directory of the projects) and,
//! each optional, `"nudge"`, `"plain"`, `"fts"` (databases to create), `"tantivy"` (a directory)
//! and `"words"` (a vocabulary). Nudge runs on one thread, the bare engines one after the other on
//! another. Prints how long each took.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use nudge_core::{ObservationKind, Outcome, Speaker};
use nudge_memory::capture::{Action, CapturedEvent, EventBody, StoreOutcome};
use nudge_testkit::EventBuilder;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::bare_table::{BareFts, BareRow, BareTable};
use crate::bare_tantivy::BareWriter;
use crate::figures::Random;
use crate::{figures, product};

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
        let peak_bytes = figures::peak_bytes();
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
            let stored = kept.iter().filter(|kept| matches!(kept, StoreOutcome::Stored(_))).count();
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

// A made-up history of prose: rows of 8 to 47 words, in sessions of two hundred rows, in fifty
// projects of very different sizes.

const SESSION_ROWS: u64 = 200;

/// The number of projects. The largest has 18 % of all rows, the smallest 0.5 %.
pub const PROJECTS: u64 = 50;

/// The number of words in the first line.
const TITLE_WORDS: usize = 8;

/// The whole history falls within this time, so that no row is too old for anything.
const HISTORY_SPAN: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The longest time from one row to the next, in milliseconds.
const MAX_STEP: u64 = 2_000;

/// One row, in the forms for Nudge and for a bare engine. Both index the same words.
#[derive(Clone, Debug)]
pub struct ProseRow {
    /// The event as Nudge gets it.
    pub captured: CapturedEvent,
    /// The number of its project.
    pub project: u64,
    /// Its first line.
    pub title: String,
    /// The whole text: the first line, the rest, and the file.
    pub text: String,
}

/// Makes rows by number; the same number gives the same row, except for its time.
#[derive(Debug)]
pub struct Prose<'v> {
    words: &'v Vocabulary,
    /// The directory that contains the projects.
    projects: PathBuf,
    begins: i64,
    step: u64,
}

impl<'v> Prose<'v> {
    /// Makes this many rows up to now, in projects below this directory.
    pub fn new(words: &'v Vocabulary, rows: u64, projects: &Path) -> anyhow::Result<Self> {
        let step = (HISTORY_SPAN.as_millis() as u64 / rows.max(1)).clamp(1, MAX_STEP);
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let begins = i64::try_from(now.as_millis())? - (rows * step).cast_signed();
        Ok(Self { words, projects: projects.to_owned(), begins, step })
    }

    /// The row with this number.
    pub fn row(&self, number: u64) -> ProseRow {
        let mut random = Random::of(number);
        let count = 8 + random.below(40) as usize;
        let words: Vec<&str> = (0..count).map(|_| self.words.draw(&mut random)).collect();
        let (title, rest) = words.split_at(count.min(TITLE_WORDS));
        let (title, rest) = (title.join(" "), rest.join(" "));
        let file = format!("src/m{:x}.rs", random.next() & 0xff_ffff);
        let session = number / SESSION_ROWS;
        let project = project_of(session);
        let root = project_root(&self.projects, project);
        let text = format!("{title}\n{rest} {file}");
        let what = match random.below(100) {
            0..8 => EventBody::Prompt { text: text.clone(), by: Speaker::Person },
            roll => EventBody::Action(action(roll, format!("{title}\n{rest}"), file)),
        };
        let root = root.to_string_lossy().into_owned();
        let is_prompt = matches!(what, EventBody::Prompt { .. });
        let event = EventBuilder::new(what)
            .harness_version("2.1.325")
            .named(if is_prompt { "UserPromptSubmit" } else { "PostToolUse" })
            .session(&format!("5e551011-0000-4000-8000-{session:012}"))
            .repository(&root)
            .at(self.begins + (number * self.step).cast_signed())
            .number(random.next().cast_signed())
            .turn(&format!("turn-{session}-{}", number / 20))
            .headless(false);
        ProseRow { captured: event.build(), project, title, text }
    }
}

/// The directory of a project.
pub fn project_root(projects: &Path, project: u64) -> PathBuf {
    projects.join(format!("project-{project}"))
}

/// The project of a session: a few projects have most of the sessions.
fn project_of(session: u64) -> u64 {
    let share = (session.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64;
    (PROJECTS as f64).powf(share) as u64 - 1
}

fn action(roll: u64, body: String, file: String) -> Action {
    let (kind, tool, outcome) = match roll {
        8..50 => (ObservationKind::Command, "Bash", Outcome::Success),
        50..54 => (ObservationKind::CommandError, "Bash", Outcome::Failed { exit: Some(1) }),
        54..80 => (ObservationKind::FileEdit, "Edit", Outcome::Success),
        _ => (ObservationKind::McpCall, "mcp__tracker__search_issues", Outcome::Success),
    };
    Action {
        kind,
        tool: Some(tool.to_owned()),
        call: None,
        body,
        files: vec![file],
        outcome,
        metadata: Map::new(),
    }
}

// Words with their frequencies: read from a file, or made up.

/// How many words are made up, and how fast they get rarer. The values come from a count over the
/// sources and commits of a large project (44,000 words; the hundredth has a frequency of 1 in 500;
/// one in ten is seen three times in a million).
const MADE_UP: u64 = 44_000;

const ZIPF_EXPONENT: f64 = 1.05;

/// Words in any order.
#[derive(Debug)]
pub struct Vocabulary {
    words: Vec<String>,
    /// The running total of the counts up to each word.
    sums: Vec<u64>,
}

impl Vocabulary {
    /// The words of a file of `word<TAB>count` lines, or made-up ones.
    pub fn new(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file else { return Ok(Self::made_up()) };
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let counted = text.lines().map(|line| {
            let (word, count) = line.split_once('\t').with_context(|| format!("no tab in {line:?}"))?;
            Ok((word.to_owned(), count.parse()?))
        });
        let vocabulary = Self::of(counted.collect::<anyhow::Result<Vec<_>>>()?);
        anyhow::ensure!(vocabulary.total() > 0, "{} has no words", file.display());
        Ok(vocabulary)
    }

    fn made_up() -> Self {
        let count = |rank: u64| (3e8 / (rank as f64 + 2.7).powf(ZIPF_EXPONENT)) as u64 + 1;
        Self::of((0..MADE_UP).map(|rank| (word(rank), count(rank))).collect())
    }

    fn of(counted: Vec<(String, u64)>) -> Self {
        let mut sum = 0;
        let (words, sums) = counted
            .into_iter()
            .map(|(word, count)| {
                sum += count;
                (word, sum)
            })
            .unzip();
        Self { words, sums }
    }

    /// A random word; frequent words come more often.
    pub fn draw(&self, random: &mut Random) -> &str {
        let at = (random.next() >> 11) % self.total();
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }

    /// Words with a share of all text between two bounds.
    pub fn band(&self, from: f64, to: f64) -> Vec<&str> {
        let before = |at: usize| if at > 0 { self.sums[at - 1] } else { 0 };
        let share = |at: usize| (self.sums[at] - before(at)) as f64 / self.total() as f64;
        let is_in = |&at: &usize| (from..to).contains(&share(at)) && self.words[at].len() > 2;
        (0..self.words.len()).filter(is_in).map(|at| self.words[at].as_str()).collect()
    }

    fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or_default()
    }
}

/// A pronounceable word, a different one for each rank; none has an ending that a stemmer removes.
fn word(rank: u64) -> String {
    const HEADS: [&str; 16] =
        ["b", "br", "ch", "d", "f", "g", "gr", "h", "k", "m", "n", "p", "qu", "r", "t", "v"];
    const TAILS: [&str; 8] = ["ab", "ok", "un", "ip", "ath", "om", "uz", "arp"];
    let mut left = rank;
    let mut word = String::new();
    loop {
        word.push_str(HEADS[(left % 16) as usize]);
        word.push_str(TAILS[(left / 16 % 8) as usize]);
        left /= 128;
        if left == 0 {
            return word;
        }
        left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_largest_project_has_a_fifth_of_the_sessions() {
        let sessions = 10_000;
        let of = |project| (0..sessions).filter(|&session| project_of(session) == project).count();
        assert!((1_600..2_000).contains(&of(0)), "{}", of(0));
        assert!((30..100).contains(&of(PROJECTS - 2)), "{}", of(PROJECTS - 2));
        assert!((0..sessions).all(|session| project_of(session) < PROJECTS));
    }

    #[test]
    fn made_up_words_are_many_and_of_all_bands() {
        let vocabulary = Vocabulary::made_up();
        let distinct: HashSet<&String> = vocabulary.words.iter().collect();
        assert_eq!(distinct.len() as u64, MADE_UP);
        for (from, to, least) in [(0.0, 3e-6, 1_000), (1e-5, 1e-4, 1_000), (5e-4, 1.0, 50)] {
            assert!(vocabulary.band(from, to).len() > least, "{from}..{to}");
        }
    }

    #[test]
    fn frequent_words_are_drawn_often() {
        let vocabulary = Vocabulary::of(vec![("rare".to_owned(), 1), ("often".to_owned(), 99)]);
        let mut random = Random::of(1);
        let rare = (0..10_000).filter(|_| vocabulary.draw(&mut random) == "rare").count();
        assert!((50..200).contains(&rare), "{rare}");
    }
}
