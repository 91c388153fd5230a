//! The least a search can be as a whole process: open the index, look for the words, say how many hits there are.
//!
//! `bare-search DIRECTORY WORD…`. The yardstick of `nudge search`.

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
