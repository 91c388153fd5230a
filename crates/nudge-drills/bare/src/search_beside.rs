//! Asks Nudge and bare engines the same questions, one after the other, and prints how long each
//! took.
//!
//! `search-beside SPEC` with `{"nudge", "tantivy", "runs"}` (a database, a directory, the number of
//! questions of each kind) and, each optional, `"fts"` (a database), `"fts_runs"` (the number of
//! questions for FTS5, which is slow) and `"words"` (the vocabulary of the rows).

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use nudge_memory::{Caller, Memory, Surface};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::bare_table::BareFts;
use crate::bare_tantivy::{BareTantivy, In, MAX_HITS};
use crate::figures::Latencies;
use crate::figures::Random;
use crate::prose_store::Vocabulary;
use crate::{figures, product};

/// Questions before the first one that counts.
const WARM_UP: u64 = 50;

#[derive(Deserialize)]
struct Spec {
    nudge: PathBuf,
    tantivy: PathBuf,
    fts: Option<PathBuf>,
    words: Option<PathBuf>,
    runs: u64,
    #[serde(default)]
    fts_runs: u64,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: search-beside SPEC")?)?;
    let words = Vocabulary::new(spec.words.as_deref())?;
    let bench = Bench {
        memory: product::memory(&spec.nudge)?,
        tantivy: BareTantivy::open(&spec.tantivy)?,
        fts: spec.fts.as_deref().map(BareFts::open).transpose()?,
        questions: Questions::of(&words)?,
        spec,
    };
    let mut report = Map::new();
    for shape in &SHAPES {
        eprintln!("asking: {}", shape.name);
        report.insert(shape.name.to_owned(), bench.ask(shape)?);
    }
    report.insert("peak_bytes".to_owned(), figures::peak_bytes().into());
    println!("{}", Value::Object(report));
    Ok(())
}

struct Bench<'v> {
    memory: Memory,
    tantivy: BareTantivy,
    fts: Option<BareFts>,
    questions: Questions<'v>,
    spec: Spec,
}

/// The times of each engine.
#[derive(Default)]
struct Times {
    nudge: Latencies,
    fields: Latencies,
    text: Latencies,
    fts: Latencies,
}

impl Bench<'_> {
    fn ask(&self, shape: &Shape) -> anyhow::Result<Value> {
        let mut times = Times::default();
        for number in 0..WARM_UP {
            self.once(shape, u64::MAX / 2 + number, &mut Times::default())?;
        }
        let (mut found, mut missed) = (0, 0);
        let every = self.spec.runs.div_ceil(self.spec.fts_runs.max(1));
        for number in 0..self.spec.runs {
            let (ours, theirs) = self.once(shape, number, &mut times)?;
            found += ours;
            missed += u64::from(ours == 0 && theirs > 0);
            if self.spec.fts_runs > 0 && number.is_multiple_of(every) {
                self.ask_fts(shape, number, &mut times)?;
            }
        }
        // A search that finds nothing is fast.
        anyhow::ensure!(
            missed * 50 <= self.spec.runs,
            "{missed} of {} questions found nothing in Nudge and something in the bare engine",
            self.spec.runs
        );
        Ok(json!({
            "nudge": times.nudge.figures(),
            "fields": times.fields.figures(),
            "text": times.text.figures(),
            "fts": times.fts.figures(),
            "hits": found as f64 / self.spec.runs as f64,
        }))
    }

    /// Asks one question of Nudge and of the engine below it; returns how many hits each found.
    fn once(&self, shape: &Shape, number: u64, times: &mut Times) -> anyhow::Result<(usize, usize)> {
        let words = self.questions.words(shape, number);
        let params = json!({
            "query": words.join(" "),
            "mode": "text",
            "project": shape.project.map(|project| format!("project-{project}")),
            "limit": MAX_HITS,
        });
        let caller = Caller::new(Surface::Mcp, product::now()?);
        let start = Instant::now();
        let answer = nudge_agent::call(&self.memory, &caller, "search", params);
        times.nudge.push(start.elapsed());
        let answer = answer.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let start = Instant::now();
        let theirs = self.tantivy.search(&words, shape.project, In::TextAndTitle)?;
        times.fields.push(start.elapsed());
        let start = Instant::now();
        self.tantivy.search(&words, shape.project, In::Text)?;
        times.text.push(start.elapsed());
        Ok((answer["results"].as_array().map_or(0, Vec::len), theirs))
    }

    fn ask_fts(&self, shape: &Shape, number: u64, times: &mut Times) -> anyhow::Result<()> {
        let Some(fts) = &self.fts else { return Ok(()) };
        let words = self.questions.words(shape, number);
        let project = shape.project.map(|project| format!("zp{project}"));
        let start = Instant::now();
        fts.search(&words, project.as_deref(), MAX_HITS)?;
        times.fts.push(start.elapsed());
        Ok(())
    }
}

// The questions for the engines: the same words for each of them.

/// The share of all text that a rare, a medium and a common word has.
const RARE_SHARE: (f64, f64) = (0.0, 3e-6);

const MEDIUM_SHARE: (f64, f64) = (1e-5, 1e-4);

const COMMON_SHARE: (f64, f64) = (5e-4, 1.0);

/// A kind of question.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub name: &'static str,
    rare: usize,
    middling: usize,
    common: usize,
    /// The project to search in; `None` for all projects.
    pub project: Option<u64>,
}

/// Every kind that is measured.
pub const SHAPES: [Shape; 5] = [
    Shape { name: "rare", rare: 1, middling: 0, common: 0, project: None },
    Shape { name: "three", rare: 0, middling: 3, common: 0, project: None },
    PROMPT,
    Shape { name: "large_project", project: Some(0), ..PROMPT },
    Shape { name: "small_project", project: Some(40), ..PROMPT },
];

const PROMPT: Shape = Shape { name: "prompt", rare: 2, middling: 4, common: 2, project: None };

/// The words to choose from.
pub struct Questions<'v> {
    rare: Vec<&'v str>,
    middling: Vec<&'v str>,
    common: Vec<&'v str>,
}

impl<'v> Questions<'v> {
    /// Selects the words of a vocabulary.
    pub fn of(words: &'v Vocabulary) -> anyhow::Result<Self> {
        let band = |(from, to)| words.band(from, to);
        let questions =
            Self { rare: band(RARE_SHARE), middling: band(MEDIUM_SHARE), common: band(COMMON_SHARE) };
        let least = questions.rare.len().min(questions.middling.len()).min(questions.common.len());
        anyhow::ensure!(least >= 20, "the vocabulary has too few words of some band");
        Ok(questions)
    }

    /// The words of the question with that number.
    pub fn words(&self, shape: &Shape, number: u64) -> Vec<&'v str> {
        let mut random = Random::of(number);
        let mut words = Vec::new();
        for (band, count) in
            [(&self.rare, shape.rare), (&self.middling, shape.middling), (&self.common, shape.common)]
        {
            words.extend((0..count).map(|_| *random.any(band)));
        }
        words
    }
}

// Prints search words for a store of made-up prose, one question per line.
//
// `ask-words SHAPE COUNT [VOCABULARY]`. The shapes are those of the search bench.

pub(crate) fn run_ask(args: &[String]) -> anyhow::Result<()> {
    let [name, count, file @ ..] = args else { anyhow::bail!("usage: ask-words SHAPE COUNT [VOCABULARY]") };
    let shape = SHAPES.iter().find(|shape| shape.name == name).context("no such shape")?;
    let words = Vocabulary::new(file.first().map(Path::new))?;
    let questions = Questions::of(&words)?;
    for number in 0..count.parse()? {
        println!("{}", questions.words(shape, number).join(" "));
    }
    Ok(())
}
