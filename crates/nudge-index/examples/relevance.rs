//! Search quality: `relevance --memory FILE --prompts FILE`, both JSON lines, prints the hit rate
//! at 1, 3, 5 and 10.
//!
//! A memory is `{id, project, date, text, files}`, a prompt `{project, prompt, gold: [id]}`;
//! prompts without gold are skipped.

#![expect(clippy::print_stdout, reason = "a measuring program prints its figures")]

use std::collections::{HashMap, HashSet};
use std::error::Error;

use nudge_index::{Budget, Document, Filters, Index, IndexWriter, Order, Page, Query};
use serde::Deserialize;

#[path = "../tests/recall/memory.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod memory;

#[derive(Deserialize)]
struct Row {
    id: String,
    project: String,
    text: String,
    files: Vec<String>,
}

#[derive(Deserialize)]
struct Prompt {
    project: String,
    prompt: String,
    gold: HashSet<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows: Vec<Row> = lines(&argument("--memory")?)?;
    let prompts: Vec<Prompt> = lines(&argument("--prompts")?)?;
    let mut projects: HashMap<&str, i64> = HashMap::new();
    let store = memory::Memory::default();
    for (number, row) in rows.iter().enumerate() {
        let next = projects.len() as i64 + 1;
        let project = *projects.entry(&row.project).or_insert(next);
        store.put(Document { project, files: row.files.clone(), ..memory::note(number as i64, &row.text) });
    }
    let home = tempfile::tempdir()?;
    let mut writer = IndexWriter::acquire(home.path())?.ok_or("the index is being written")?;
    writer.catch_up(&store, Budget::ALL)?;
    let index = Index::open(home.path());
    let depths = [1, 3, 5, 10];
    let (mut hits, mut asked) = ([0; 4], 0);
    for prompt in prompts.iter().filter(|prompt| !prompt.gold.is_empty()) {
        asked += 1;
        let Some(query) = Query::of_prompt(&prompt.prompt) else { continue };
        let filters = Filters {
            projects: projects.get(&*prompt.project).copied().into_iter().collect(),
            ..Filters::default()
        };
        let found =
            index.search(&store, &query, &filters, Order::Relevance, Page { limit: 10, offset: 0 }, 0)?;
        let at = found.hits.iter().position(|hit| prompt.gold.contains(&rows[hit.id as usize].id));
        for (hits, depth) in hits.iter_mut().zip(depths) {
            *hits += usize::from(at.is_some_and(|at| at < depth));
        }
    }
    for (hits, depth) in hits.iter().zip(depths) {
        println!("hit@{depth:<2} {:.3}", *hits as f64 / asked.max(1) as f64);
    }
    Ok(())
}

fn argument(name: &str) -> Result<String, String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    arguments.next().ok_or_else(|| format!("{name} FILE is missing"))
}

fn lines<T: for<'de> Deserialize<'de>>(file: &str) -> Result<Vec<T>, Box<dyn Error>> {
    std::fs::read_to_string(file)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
