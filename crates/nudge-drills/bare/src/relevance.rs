//! Measures how often the right memory is among the first hits, in Nudge and in bare FTS5.
//!
//! `relevance MEMORIES PROMPTS DB FTS`: two files of JSON lines (plain or gzip), `{id, project,
//! text, files}` and `{id, project, prompt, gold}`; a database that `nudge import memories` has
//! filled with the first file; a database to create. Prompts without gold are skipped. Prints the
//! rank of the first gold entry for every prompt in both engines: `{project, nudge, fts}`, null
//! beyond the tenth.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;
use nudge_core::{EntryId, EntryPath};
use nudge_memory::{Caller, Memory, Surface};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::bare_table::BareFts;
use crate::product;

/// How many hits are checked.
const MAX_HITS: usize = 10;

/// Longer than building the index takes.
const INDEX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

#[derive(Deserialize)]
struct Remembered {
    id: String,
    project: String,
    text: String,
    #[serde(default)]
    files: Vec<String>,
}

#[derive(Deserialize)]
struct Prompt {
    id: String,
    project: String,
    prompt: String,
    gold: HashSet<String>,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let [memories, prompts, db, fts] = args else {
        anyhow::bail!("usage: relevance MEMORIES PROMPTS DB FTS");
    };
    let memories: Vec<Remembered> = lines(Path::new(memories))?;
    let prompts: Vec<Prompt> = lines(Path::new(prompts))?;
    let ours = NudgeSearch::open(Path::new(db), &memories)?;
    let theirs = FtsSearch::fill(Path::new(fts), &memories)?;
    for prompt in prompts.iter().filter(|prompt| !prompt.gold.is_empty()) {
        let (found, refused) = match ours.search(prompt) {
            Ok(found) => (found, false),
            Err(error) => {
                eprintln!("{}: {error:#}", prompt.id);
                (Vec::new(), true)
            }
        };
        let rank = |found: Vec<&str>| found.iter().position(|id| prompt.gold.contains(*id));
        let (nudge, fts) = (rank(found), rank(theirs.search(prompt)?));
        let line = json!({"project": prompt.project, "nudge": nudge, "fts": fts, "refused": refused});
        println!("{line}");
    }
    Ok(())
}

/// The product, filled with all memories.
struct NudgeSearch<'m> {
    memory: Memory,
    ids: HashMap<String, &'m str>,
}

impl<'m> NudgeSearch<'m> {
    fn open(db: &Path, memories: &'m [Remembered]) -> anyhow::Result<Self> {
        let memory = product::memory(db)?;
        // The import may have started a process that builds the index too.
        while memory
            .update_index(INDEX_TIMEOUT, product::now()?)
            .map_err(|fault| anyhow::anyhow!("{fault:?}"))?
            .is_none()
        {
            std::thread::sleep(Duration::from_millis(100));
        }
        let documents = memory.index().status().documents;
        let ids = memories.iter().map(|one| {
            Ok((EntryPath::from_parts("known", &[&one.project, &one.id], None)?.to_string(), one.id.as_str()))
        });
        let ids = ids.collect::<anyhow::Result<HashMap<_, _>>>()?;
        anyhow::ensure!(documents >= ids.len() as u64, "{documents} of {} memories were indexed", ids.len());
        Ok(Self { memory, ids })
    }

    fn search(&self, prompt: &Prompt) -> anyhow::Result<Vec<&'m str>> {
        let params =
            json!({"query": prompt.prompt, "mode": "text", "project": prompt.project, "limit": MAX_HITS});
        let caller = Caller::new(Surface::Mcp, product::now()?);
        let answer = nudge_agent::call(&self.memory, &caller, "search", params)
            .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let results = answer["results"].as_array().context("no results")?;
        results.iter().map(|row| self.id_of(row)).collect()
    }

    /// The memory's own id; the answer has the id of the entry it became.
    fn id_of(&self, row: &Value) -> anyhow::Result<&'m str> {
        let id = EntryId(row["id"].as_i64().context("a result without an id")?);
        let entry = self.memory.store().read(|reader| reader.entry_by_id(id))?.context("no such entry")?;
        self.ids.get(&entry.path.to_string()).copied().context("a result that was never imported")
    }
}

/// Bare FTS5 over text and files.
struct FtsSearch<'m> {
    fts: BareFts,
    memories: &'m [Remembered],
}

impl<'m> FtsSearch<'m> {
    fn fill(db: &Path, memories: &'m [Remembered]) -> anyhow::Result<Self> {
        let fts = BareFts::create(db)?;
        let texts: Vec<String> =
            memories.iter().map(|one| format!("{}\n{}", one.text, one.files.join("\n"))).collect();
        let rows = (0..).zip(texts.iter().zip(memories));
        fts.add_all(rows.map(|(id, (text, one))| (id, text.as_str(), one.project.clone())))?;
        fts.finish()?;
        Ok(Self { fts: BareFts::open(db)?, memories })
    }

    fn search(&self, prompt: &Prompt) -> anyhow::Result<Vec<&'m str>> {
        let lower = prompt.prompt.to_lowercase();
        let mut known = HashSet::new();
        let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty() && known.insert(*word)).collect();
        let found = self.fts.search(&words, Some(&prompt.project), MAX_HITS)?;
        Ok(found.into_iter().map(|id| self.memories[id as usize].id.as_str()).collect())
    }
}

fn lines<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let raw = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut raw = BufReader::new(raw);
    let is_packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let unpacked: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
    let lines = BufReader::new(unpacked).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
