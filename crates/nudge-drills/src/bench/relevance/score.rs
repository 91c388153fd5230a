//! Helped prompts, false injections, precision, and cost.

use std::fmt;

use nudge_core::tokens;

use crate::bench::table::verdict;

/// The aims: the share of prompts with an answer that get it, the share of prompts without one that
/// get something, and the share of given entries that are right.
const HELPED: f64 = 0.75;
const FALSE: f64 = 0.02;
const PRECISE: f64 = 0.80;

/// A prompt and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) project: String,
    /// Whether anything in the memory helps with it.
    pub(super) has_gold: bool,
    /// The position of the first right entry among those it got.
    pub(super) right: Option<usize>,
    /// What it got; empty for nothing.
    pub(super) text: String,
}

impl Asked {
    const fn was_given(&self) -> bool {
        !self.text.is_empty()
    }

    pub(super) const fn is_false(&self) -> bool {
        !self.has_gold && self.was_given()
    }

    pub(super) const fn is_missed(&self) -> bool {
        self.has_gold && self.right.is_none()
    }
}

/// The numbers of the entries that a block names, in order.
pub(super) fn entries(text: &str) -> Vec<i64> {
    let lines = text.lines().filter(|line| line.starts_with("- "));
    lines.filter_map(|line| line.rsplit_once('#')?.1.trim().parse().ok()).collect()
}

/// The figures over some prompts.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    helped: f64,
    false_ones: f64,
    precise: f64,
    tokens: f64,
}

impl Figures {
    fn of<'a>(asked: impl Iterator<Item = &'a Asked> + Clone) -> Self {
        let share = |some: usize, all: usize| if all == 0 { 0.0 } else { some as f64 / all as f64 };
        let with = asked.clone().filter(|asked| asked.has_gold).count();
        let without = asked.clone().filter(|asked| !asked.has_gold).count();
        let given = asked.clone().filter(|asked| asked.was_given()).count();
        let right = asked.clone().filter(|asked| asked.right.is_some()).count();
        let tokens: u32 = asked.clone().map(|asked| tokens::estimate(&asked.text).0).sum();
        Self {
            helped: share(right, with),
            false_ones: share(asked.filter(|asked| asked.is_false()).count(), without),
            precise: share(right, given),
            tokens: if given == 0 { 0.0 } else { f64::from(tokens) / given as f64 },
        }
    }
}

/// The result.
pub(super) struct Score {
    rows: Vec<(String, Figures)>,
}

impl Score {
    pub(super) fn of(asked: &[Asked]) -> Self {
        let mut projects: Vec<&str> = asked.iter().map(|asked| asked.project.as_str()).collect();
        projects.sort_unstable();
        projects.dedup();
        let mut rows = vec![("all".to_owned(), Figures::of(asked.iter()))];
        rows.extend(projects.into_iter().map(|project| {
            (project.to_owned(), Figures::of(asked.iter().filter(move |asked| asked.project == project)))
        }));
        Self { rows }
    }

    pub(super) fn meets_aims(&self) -> bool {
        self.rows
            .first()
            .is_some_and(|(_, all)| all.helped >= HELPED && all.false_ones <= FALSE && all.precise >= PRECISE)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| prompts | helped | false | precision | tokens per injection |\n|---|---|---|---|---|"
        )?;
        for (name, figures) in &self.rows {
            let Figures { helped, false_ones, precise, tokens } = figures;
            writeln!(f, "| {name} | {helped:.3} | {false_ones:.3} | {precise:.3} | {tokens:.0} |")?;
        }
        writeln!(
            f,
            "\naims: helped ≥ {HELPED:.2}, false ≤ {FALSE:.2}, precision ≥ {PRECISE:.2}: {}",
            verdict(self.meets_aims())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(has_gold: bool, right: Option<usize>, text: &str) -> Asked {
        Asked { project: "p".to_owned(), has_gold, right, text: text.to_owned() }
    }

    #[test]
    fn shares_are_of_what_they_say() {
        let asked = [
            asked(true, Some(1), "- one #1"),
            asked(true, None, "- two #2"),
            asked(true, None, ""),
            asked(false, None, "- three #3"),
            asked(false, None, ""),
        ];
        let figures = Figures::of(asked.iter());
        assert!((figures.helped - 1.0 / 3.0).abs() < 1e-9 && (figures.false_ones - 0.5).abs() < 1e-9);
        assert!((figures.precise - 1.0 / 3.0).abs() < 1e-9);
        assert!(!Score::of(&asked).meets_aims());
    }

    #[test]
    fn entries_are_read_from_the_ends_of_lines() {
        let text = "# nudge context\n## Earlier work\n- [2d ago] stated: \"fixes #12\" (shares: a) #34\nThe whole of a #number: x";
        assert_eq!(entries(text), [34]);
    }
}
