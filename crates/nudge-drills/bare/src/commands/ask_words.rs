//! Prints search words for a store of made-up prose, one question per line.
//!
//! `ask-words SHAPE COUNT [VOCABULARY]`. The shapes are those of the search bench.

use std::path::Path;

use anyhow::Context;

use crate::questions::{Questions, SHAPES};
use crate::vocabulary::Vocabulary;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let [name, count, file @ ..] = args else { anyhow::bail!("usage: ask-words SHAPE COUNT [VOCABULARY]") };
    let shape = SHAPES.iter().find(|shape| shape.name == name).context("no such shape")?;
    let words = Vocabulary::new(file.first().map(Path::new))?;
    let questions = Questions::of(&words)?;
    for number in 0..count.parse()? {
        println!("{}", questions.words(shape, number).join(" "));
    }
    Ok(())
}
