//! Prints search words for a store of made-up prose, one question per line.
//!
//! `ask-words SHAPE COUNT [VOCABULARY]`. The shapes are those of the search bench.

#![allow(clippy::print_stdout, reason = "printing the words is what this program is for")]

use std::path::Path;

use anyhow::Context;
use nudge_bare::questions::{Questions, SHAPES};
use nudge_bare::vocabulary::Vocabulary;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, file @ ..] = &args[..] else {
        anyhow::bail!("usage: ask-words SHAPE COUNT [VOCABULARY]")
    };
    let shape = SHAPES.iter().find(|shape| shape.name == name).context("no such shape")?;
    let words = Vocabulary::new(file.first().map(Path::new))?;
    let questions = Questions::of(&words)?;
    for number in 0..count.parse()? {
        println!("{}", questions.words(shape, number).join(" "));
    }
    Ok(())
}
