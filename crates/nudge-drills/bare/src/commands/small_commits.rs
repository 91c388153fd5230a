//! Makes very many small commits and deletions in one text index. `small-commits DIRECTORY COUNT`
//! prints how large the index became, as JSON.
//!
//! One entry and one commit at a time; every second commit removes an older entry, every tenth
//! changes one.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use nudge_index::{Budget, Document, Index, IndexWriter};
use serde_json::json;

use rows::Rows;

#[path = "../../../src/drill/index/corpus.rs"]
#[expect(dead_code, reason = "shared with the drill")]
mod corpus;
#[path = "../../../src/stage/rows.rs"]
mod rows;

/// The size is checked once there is this much text; with less, the few fixed files dominate.
const FROM_BYTES: usize = 100_000;

/// The number of commits between two checks.
const LOOK_EVERY: usize = 25;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut arguments = args.iter();
    let directory = arguments.next().context("small-commits DIRECTORY COUNT")?;
    let commits: usize = arguments.next().context("COUNT is missing")?.parse()?;
    let directory = Path::new(&directory);
    let mut writer = IndexWriter::acquire(directory)?.context("somebody writes this index")?;
    let (index, mut rows, mut sizes) = (Index::open(directory), Rows::default(), BTreeMap::new());
    let (mut times_text, mut segments, mut files, began) = (0.0_f64, 0, 0, Instant::now());
    for number in 0..commits {
        let mut put = |document: Document| {
            sizes.insert(document.id, document.title.len() + document.body.len());
            rows.put(document);
        };
        put(entry(number));
        if number % 10 == 9 {
            put(Document { body: corpus::text(number + 1), ..entry(number - 1) });
        }
        if number % 2 == 1 {
            rows.remove((number / 2) as i64);
            sizes.remove(&((number / 2) as i64));
        }
        writer.catch_up(&rows, Budget::ALL)?;
        let is_last = number + 1 == commits;
        if number % LOOK_EVERY == 0 || is_last {
            segments = segments.max(index.status().segments);
            let (count, bytes) = size(directory)?;
            files = files.max(count);
            let text: usize = sizes.values().sum();
            if text >= FROM_BYTES || is_last {
                times_text = times_text.max(bytes as f64 / text as f64);
            }
        }
    }
    let each = began.elapsed().as_secs_f64() * 1e3 / commits.max(1) as f64;
    let status = index.status();
    println!(
        "{}",
        json!({
            "times_text": times_text, "segments": segments, "files": files, "milliseconds_each": each,
            "documents": status.documents, "kept": sizes.len(), "state": format!("{:?}", status.state),
        })
    );
    Ok(())
}

/// An entry of ordinary length: a hundred words.
fn entry(number: usize) -> Document {
    let lines: Vec<String> = (0..16).map(|line| corpus::text(number * 16 + line)).collect();
    let (id, title) = (number as i64, corpus::text(number));
    Document { id, at: id, title, body: lines.join("\n"), ..Document::default() }
}

fn size(directory: &Path) -> anyhow::Result<(usize, u64)> {
    let (mut count, mut bytes) = (0, 0);
    for file in std::fs::read_dir(directory)? {
        count += 1;
        bytes += file?.metadata()?.len();
    }
    Ok((count, bytes))
}
