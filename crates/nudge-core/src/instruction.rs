//! Standing instructions: what a person says to an agent that seems meant to hold.
//!
//! Most of what people say is about the task at hand. Some of it is meant to hold beyond it: a rule
//! ("don't amend commits"), a fact ("we use pnpm here"), a preference ("keep answers short"). Key
//! words do not tell these apart: "the command should always print a line" is about the product, and
//! "don't write code yet" about this turn. So the grammar of a sentence is weighed: who is spoken
//! of, whether one thing or a whole kind of thing is meant, whether a word binds it to this task.
//!
//! Nothing here decides anything for good: what is found is a proposal to the person.
//!
//! `prose` cuts a text into the sentences that its author wrote, `words` levels a sentence, `signs`
//! is the table of what speaks for and against, `weigh` adds it up.

mod directory;
mod pattern;
mod prose;
mod request;
mod signs;
mod subject;
mod weigh;
mod words;

#[cfg(test)]
mod tests;

use prose::Sentence;
pub use request::{Request, request};
pub use subject::{Subject, contradicts, plain_words, same};
use weigh::{ENOUGH, Weighed, weigh};

use crate::text::first_chars;

/// Something that a person said and that seems meant to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The sentence that carries it, in the person's own words: at most [`LONGEST`] characters.
    pub text: String,
    /// The directory it was made for, if it names one: `frontend/`.
    pub directory: Option<String>,
    /// It has a word of permanence: "always", "never", "from now on", "after each".
    pub permanence: bool,
    /// What it is.
    pub kind: Kind,
}

/// What a standing instruction is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What to do, or not to do.
    Rule,
    /// What is so.
    Fact,
    /// What the person likes better.
    Preference,
}

/// How many characters of an instruction are kept.
pub const LONGEST: usize = 300;

/// More than this many in one text are a document's, not a person's.
const MOST: usize = 3;

/// The longer a text is, the more of it is about the task: what is taken off, from so many bytes on.
const LENGTHS: [(usize, i32); 2] = [(1_200, 2), (400, 1)];

/// The standing instructions in what a person said: at most three, in the order in which they were
/// said.
pub fn standing(text: &str) -> Vec<Instruction> {
    let sentences = prose::sentences(text);
    let weighed: Vec<Weighed> = sentences.iter().map(weigh).collect();
    let mut found: Vec<(usize, i32)> = (0..sentences.len())
        .map(|at| (at, total(&weighed, at) - length(text)))
        .filter(|(at, score)| *score >= ENOUGH && !prose::has_gap(sentences[*at].text))
        .collect();
    found.sort_by_key(|(_, score)| -score);
    found.truncate(MOST);
    found.sort_unstable();
    found.into_iter().map(|(at, _)| instruction(&sentences, &weighed[at], at)).collect()
}

/// What a sentence weighs together with what stands beside it.
fn total(weighed: &[Weighed], at: usize) -> i32 {
    let beside = [at.checked_sub(1), at.checked_add(1)];
    let heaviest =
        beside.into_iter().flatten().filter_map(|at| weighed.get(at)).map(|weighed| weighed.beside).max();
    weighed[at].score + heaviest.unwrap_or(0)
}

fn length(text: &str) -> i32 {
    LENGTHS.iter().find(|(from, _)| text.len() > *from).map_or(0, |(_, less)| *less)
}

fn instruction(sentences: &[Sentence<'_>], weighed: &Weighed, at: usize) -> Instruction {
    let sentence = prose::without_opening(sentences[at].text);
    let text = match sentences.get(at + 1) {
        Some(next) if next.follows && prose::gives_reason(next.text) => format!("{sentence} {}", next.text),
        _ => sentence.to_owned(),
    };
    let text = if text.chars().count() > LONGEST { cut(sentence).to_owned() } else { text };
    Instruction {
        directory: directory::directory(&text),
        text,
        permanence: weighed.permanence,
        kind: weighed.kind.unwrap_or(Kind::Rule),
    }
}

/// A sentence that is too long ends where its last clause or word that fits ends.
fn cut(sentence: &str) -> &str {
    let head = first_chars(sentence, LONGEST);
    if head.len() == sentence.len() {
        return head;
    }
    let end =
        head.rfind([',', ';', '(', '–', '—']).filter(|end| *end > head.len() / 2).or_else(|| head.rfind(' '));
    head[..end.unwrap_or(head.len())].trim_end()
}
