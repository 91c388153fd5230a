//! Questions that a user would ask about the month weeks later, and the rank of each answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;

use crate::drill::desktop::Desktop;
use crate::drill::verdict::Verdict;

const QUESTIONS: &str = include_str!("../../../data/month/questions.txt");

/// How many answers must be the first row, and the rank that every answer must reach.
const ON_TOP: usize = 15;
const AMONG: usize = 3;

struct Question {
    repository: &'static str,
    asked: &'static str,
    answer: &'static str,
}

fn questions() -> anyhow::Result<Vec<Question>> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = |line: &'static str| {
        let mut parts = line.splitn(3, " | ");
        let question = Question { repository: parts.next()?, asked: parts.next()?, answer: parts.next()? };
        Some(question)
    };
    lines.map(|line| read(line).with_context(|| format!("not a question: {line}"))).collect()
}

/// Asks all questions, and prints the rank of each answer.
pub(super) fn ask(
    desktop: &Desktop,
    roots: &BTreeMap<&'static str, PathBuf>,
    verdict: &mut Verdict,
) -> anyhow::Result<()> {
    let questions = questions()?;
    let (mut on_top, mut missed) = (0, Vec::new());
    for question in &questions {
        let found = desktop.person(&roots[question.repository], &["search", question.asked])?;
        let rows = found.as_array().context("a search answers with rows")?;
        let shows = |row: &&serde_json::Value| {
            let text = row["content_preview"].as_str().unwrap_or_default().to_lowercase();
            text.contains(&question.answer.to_lowercase())
        };
        let place = rows.iter().position(|row| shows(&row)).map(|place| place + 1);
        on_top += usize::from(place == Some(1));
        let shown = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
        println!("{shown:>4}  {}: {}", question.repository, question.asked);
        if place.is_none_or(|place| place > AMONG) {
            missed.push(question.asked);
        }
    }
    println!("{on_top} of {} answers on top, {} not among the first {AMONG}", questions.len(), missed.len());
    verdict.demand(on_top >= ON_TOP, format!("{on_top} answers on top, at least {ON_TOP} were to be"));
    verdict.demand(missed.is_empty(), format!("not among the first {AMONG}: {missed:?}"));
    Ok(())
}
