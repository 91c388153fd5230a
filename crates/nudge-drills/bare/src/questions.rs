//! The questions for the engines: the same words for each of them.

use crate::random::Random;
use crate::vocabulary::Vocabulary;

/// The share of all text that a rare, a medium and a common word has.
const RARE: (f64, f64) = (0.0, 3e-6);
const MIDDLING: (f64, f64) = (1e-5, 1e-4);
const COMMON: (f64, f64) = (5e-4, 1.0);

/// A kind of question.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name.
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
        let questions = Self { rare: band(RARE), middling: band(MIDDLING), common: band(COMMON) };
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
