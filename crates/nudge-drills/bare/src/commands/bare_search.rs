//! A minimal search as a whole process: it opens the index, searches for the words and prints the
//! number of hits.
//!
//! `bare-search DIRECTORY WORD…`. The baseline for `nudge search`.

use std::path::Path;

use anyhow::Context;

use crate::bare_tantivy::{BareTantivy, In};

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let directory = args.next().context("usage: bare-search DIRECTORY WORD…")?;
    let words: Vec<&str> = args.map(String::as_str).collect();
    println!("{}", BareTantivy::open(Path::new(&directory))?.search(&words, None, In::TextAndTitle)?);
    Ok(())
}
