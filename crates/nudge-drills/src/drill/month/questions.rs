//! Questions that a user would ask about the month weeks later, and the rank of each answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::Value;

use crate::drill::desktop::Desktop;
use crate::stage::Violations;

const QUESTIONS: &str = include_str!("../../../data/month/questions.txt");

/// How many answers of each list must be in the first row, and how many within how many rows.
const DEMANDS: [(usize, usize, usize); 2] = [(15, 18, 3), (15, 18, 4)];

struct Question {
    repository: &'static str,
    asked: &'static str,
    answer: &'static str,
}

/// The lists of questions.
fn lists() -> anyhow::Result<Vec<Vec<Question>>> {
    let read = |line: &'static str| {
        let mut parts = line.splitn(3, " | ");
        let question = Question { repository: parts.next()?, asked: parts.next()?, answer: parts.next()? };
        Some(question)
    };
    let list = |text: &'static str| -> anyhow::Result<Vec<Question>> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(|line| read(line).with_context(|| format!("not a question: {line}"))).collect()
    };
    QUESTIONS.split("\n---\n").map(list).collect()
}

/// Asks all questions, and prints the rank of each answer.
pub(super) fn ask(
    desktop: &Desktop,
    roots: &BTreeMap<&'static str, PathBuf>,
    violations: &mut Violations,
) -> anyhow::Result<()> {
    for (list, (least, least_within, among)) in lists()?.iter().zip(DEMANDS) {
        let (mut first, mut within) = (0, 0);
        for question in list {
            let found = desktop.person(&roots[question.repository], &["search", question.asked])?;
            let rows = found.as_array().context("a search answers with rows")?;
            let place = rows.iter().position(|row| shows(row, question.answer)).map(|place| place + 1);
            first += usize::from(place == Some(1));
            let shown = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
            println!("{shown:>4}  {}: {}", question.repository, question.asked);
            if place != Some(1) {
                rows.iter().take(among).for_each(|row| println!("        {}", head(row)));
            }
            within += usize::from(place.is_some_and(|place| place <= among));
        }
        println!("{first} of {} answers in the first row, {within} within {among}", list.len());
        violations.unless(first >= least, format!("{first} answers are in the first row; {least} should be"));
        violations.unless(
            within >= least_within,
            format!("{within} answers are within {among} rows; {least_within} should be"),
        );
    }
    Ok(())
}

fn texts(row: &Value) -> [&str; 2] {
    [&row["answer"]["text"], &row["content_preview"]].map(|text| text.as_str().unwrap_or_default())
}

/// Whether a row shows an answer.
fn shows(row: &Value, answer: &str) -> bool {
    texts(row).iter().any(|text| text.to_lowercase().contains(&answer.to_lowercase()))
}

/// A row in one line.
fn head(row: &Value) -> String {
    let [answer, preview] = texts(row).map(|text| text.replace('\n', " "));
    let kind = row["obs_type"].as_str().unwrap_or_default();
    let text = if answer.is_empty() { preview } else { format!("{answer} ← {preview}") };
    format!("{kind}: {}", text.chars().take(140).collect::<String>())
}
