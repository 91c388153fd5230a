//! A minimal search as a whole process: it opens the index, searches for the words and prints the
//! number of hits.
//!
//! `bare-search DIRECTORY WORD…`. The baseline for `nudge search`.

#![allow(clippy::print_stdout, reason = "printing the number is what this program is for")]

use std::path::Path;

use anyhow::Context;
use nudge_bare::bare_tantivy::{BareTantivy, In};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().context("usage: bare-search DIRECTORY WORD…")?;
    let words: Vec<String> = args.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    println!("{}", BareTantivy::open(Path::new(&directory))?.search(&words, None, In::TextAndTitle)?);
    Ok(())
}
