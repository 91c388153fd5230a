//! The resulting table: a row for each figure, a column for each project, and the two runs side by
//! side in each cell.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use super::interval::{Overall, overall};
use super::score::{Failures, Group, Score, Share};

/// The explanation of how words are matched.
pub(super) const MATCHING_RULE: &str = "\
Words: lower-cased, without stop words and English endings. A statement stands in a text when 0.6 of its words, and two at least, stand in
one line of it. A helpful event was given when, of its ten distinguishing words (in at most one event of a hundred; those of the prompt
first, then the rarest), two that the prompt has too stand in one line, or three in all, or half of them where there are fewer than six;
or two names (files, identifiers) that event and prompt share and one event in twenty has at most.";

/// A project with the scores of its runs.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) sessions: usize,
    pub(super) stored: u64,
    pub(super) unreported: usize,
    /// The run without acceptance and the run with it, or one of them.
    pub(super) runs: Vec<Score>,
}

/// All measurements.
#[derive(Debug)]
pub(super) struct Report<'r> {
    pub(super) projects: &'r [Measured],
    /// The names of the runs.
    pub(super) runs: &'r [&'static str],
}

impl Report<'_> {
    pub(super) fn json(&self) -> Value {
        let of = |measured: &Measured| {
            let runs: serde_json::Map<String, Value> = self
                .runs
                .iter()
                .zip(&measured.runs)
                .map(|(name, score)| ((*name).to_owned(), score.json()))
                .collect();
            json!({"project": measured.name, "sessions": measured.sessions, "stored": measured.stored, "runs": runs})
        };
        self.projects.iter().map(of).collect()
    }

    /// A row: a cell for each project, and the mean over all projects, for each run.
    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        cell: impl Fn(&Score) -> String,
        value: impl Fn(&Score) -> Option<f64>,
        shown: fn(f64) -> String,
    ) -> fmt::Result {
        write!(f, "| {name} |")?;
        for measured in self.projects {
            write!(f, " {} |", side_by_side(measured.runs.iter().map(&cell)))?;
        }
        let mean = |run: usize| {
            let values: Vec<f64> =
                self.projects.iter().filter_map(|measured| value(measured.runs.get(run)?)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            if values.is_empty() { "–".to_owned() } else { shown(mean) }
        };
        writeln!(f, " {} |", side_by_side((0..self.runs.len()).map(mean)))
    }

    fn shares(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.projects.first().and_then(|measured| measured.runs.first()) else {
            return Ok(());
        };
        for (number, (name, _)) in first.shares.iter().enumerate() {
            let share = |score: &Score| score.shares[number].1.share();
            self.row(f, name, |score| counted(share(score)), |score| share(score).value(), hundredths)?;
        }
        Ok(())
    }

    /// Each share over all projects, with its interval, for each run.
    fn intervals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.projects.first().and_then(|measured| measured.runs.first()) else {
            return Ok(());
        };
        writeln!(
            f,
            "\n| with 95 % intervals over sessions | mean of projects | all together |\n|---|---|---|"
        )?;
        for (number, (name, _)) in first.shares.iter().enumerate() {
            let of = |run: usize| {
                let scores = self.projects.iter().filter_map(move |measured| measured.runs.get(run));
                overall(scores.map(|score| &score.shares[number].1))
            };
            let runs: Vec<_> = (0..self.runs.len()).map(of).collect();
            let cell = |shown: fn(Overall) -> String| {
                side_by_side(runs.iter().map(|one| one.map_or_else(|| "–".to_owned(), shown)))
            };
            let (mean, pooled) = (cell(|one| one.mean.to_string()), cell(|one| one.pooled.to_string()));
            writeln!(f, "| {name} | {mean} | {pooled} |")?;
        }
        Ok(())
    }

    fn cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = |score: &Score| format!("{}/{}", score.tokens.len(), score.starts);
        let share = |score: &Score| Some(score.tokens.len() as f64 / score.starts.max(1) as f64);
        self.row(f, "starts that were given something", given, share, hundredths)?;
        for (name, percent) in [("tokens per such start, median", 50), ("the same, p95", 95)] {
            let tokens = |score: &Score| score.tokens_at(percent).map(f64::from);
            let cell = |score: &Score| tokens(score).map_or_else(|| "–".to_owned(), whole);
            self.row(f, name, cell, tokens, whole)?;
        }
        let all =
            self.projects.iter().flat_map(|measured| &measured.runs).flat_map(|score| score.used.keys());
        let sections: BTreeSet<&String> = all.collect();
        for section in sections {
            let share = |score: &Score| {
                let (of, hit) = score.used.get(section).copied().unwrap_or_default();
                Share { hit, of }
            };
            let name = format!("used, of lines of `{section}` that name a file or a command");
            self.row(f, &name, |score| counted(share(score)), |score| share(score).value(), hundredths)?;
        }
        let all = |score: &Score| {
            let sums = score.used.values().fold((0, 0), |sum, (of, hit)| (sum.0 + of, sum.1 + hit));
            Share { hit: sums.1, of: sums.0 }
        };
        let name = "used, of all lines that name a file or a command";
        self.row(f, name, |score| counted(all(score)), |score| all(score).value(), hundredths)
    }

    /// The figures for commands that fail again. Every labelled group has the same weight, whatever
    /// its project.
    fn failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = |measured: &'_ Measured| measured.runs.first().map(|score| score.failures.clone());
        let all: Vec<Failures> = self.projects.iter().filter_map(first).collect();
        let groups: Vec<&Group> = all.iter().flat_map(|one| &one.groups).collect();
        if groups.is_empty() {
            return Ok(());
        }
        let mean = |values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            if values.is_empty() {
                "–".to_owned()
            } else {
                format!("{} ({})", hundredths(mean), values.len())
            }
        };
        let of = |count: usize, group: &Group| count as f64 / group.of as f64;
        let worth = || groups.iter().filter(|group| group.is_worth);
        let fixed = groups.iter().filter_map(|group| Some(of(group.fixed?, group)));
        let sum = |share: fn(&Failures) -> Share| {
            let (hit, of) = all.iter().map(share).fold((0, 0), |sum, one| (sum.0 + one.hit, sum.1 + one.of));
            counted(Share { hit, of })
        };
        writeln!(f, "\n| failures that come back | |\n|---|---|")?;
        let at_command = mean(worth().map(|group| of(group.at_command, group)).collect());
        writeln!(f, "| worth a warning: warned of at the command (mean over groups) | {at_command} |")?;
        let warned = mean(worth().map(|group| of(group.warned, group)).collect());
        writeln!(f, "| the same: there, or earlier in the session, its start included | {warned} |")?;
        writeln!(f, "| with a labelled fix: the fix named | {} |", mean(fixed.collect()))?;
        writeln!(f, "| warnings whose command fails or is worth one | {} |", sum(|one| one.good))?;
        writeln!(f, "| negatives warned of | {} |", sum(|one| one.negatives))?;
        let after: u64 = all.iter().map(|one| one.after).sum();
        writeln!(f, "| lines after a failure | {after} |")?;
        for said in all.iter().flat_map(|one| &one.false_warnings) {
            writeln!(f, "- in vain: {said}")?;
        }
        for group in groups {
            let fixed = group.fixed.map_or_else(|| "–".to_owned(), |fixed| fixed.to_string());
            let worth = if group.is_worth { "worth it" } else { "not worth it" };
            writeln!(
                f,
                "- {}: {} at the command, {} warned, fix {fixed} of {}; {worth}",
                group.name, group.at_command, group.warned, group.of
            )?;
        }
        Ok(())
    }

    fn standing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for measured in self.projects {
            // A statement that the user has accepted is a lasting rule.
            let unaccepted = self.runs.iter().zip(&measured.runs).filter(|(run, _)| **run == super::AS_IT_IS);
            for (event, line) in unaccepted.flat_map(|(_, score)| &score.task_rules_kept) {
                writeln!(f, "- {}, {} {}: {line}", measured.name, event.session, event.seq)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", if self.runs.len() > 1 { self.runs.join(" · ") } else { self.runs.concat() })?;
        for measured in self.projects {
            write!(f, " {} |", measured.name)?;
        }
        writeln!(f, " mean |\n|---|{}---|", "---|".repeat(self.projects.len()))?;
        write!(f, "| sessions, events stored |")?;
        for measured in self.projects {
            write!(f, " {}, {} |", measured.sessions, measured.stored)?;
        }
        writeln!(f, " |")?;
        self.shares(f)?;
        self.cost(f)?;
        self.intervals(f)?;
        self.failures(f)?;
        let in_session: u64 =
            self.projects.iter().filter_map(|measured| Some(measured.runs.first()?.in_session)).sum();
        writeln!(f, "\n{in_session} of the repeats are within one session, where no start can help.")?;
        let unreported: usize = self.projects.iter().map(|measured| measured.unreported).sum();
        writeln!(
            f,
            "{unreported} events are output that belongs to no command; no hook would have reported them."
        )?;
        writeln!(f, "{MATCHING_RULE}\n\nOne-off instructions injected as standing without acceptance:")?;
        let any = self
            .projects
            .iter()
            .flat_map(|measured| measured.runs.first())
            .any(|score| !score.task_rules_kept.is_empty());
        if any { self.standing(f) } else { writeln!(f, "none") }
    }
}

/// A value that is equal in both runs is shown once.
fn side_by_side(cells: impl Iterator<Item = String>) -> String {
    let mut cells: Vec<String> = cells.collect();
    cells.dedup();
    cells.join(" · ")
}

fn counted(share: Share) -> String {
    if share.of == 0 { "–".to_owned() } else { format!("{}/{}", share.hit, share.of) }
}

fn hundredths(value: f64) -> String {
    format!("{value:.2}")
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

#[cfg(test)]
mod tests {
    use super::super::score::Tally;
    use super::*;

    fn score(hit: u64, of: u64, tokens: &[u32]) -> Score {
        Score {
            shares: vec![("repeats", Tally::of(hit, of))],
            tokens: tokens.to_vec(),
            starts: 4,
            used: [("project".to_owned(), (4, 1))].into(),
            ..Score::default()
        }
    }

    #[test]
    fn runs_stand_side_by_side_and_means_are_over_projects() {
        let measured = |name: &str, runs| Measured {
            name: name.to_owned(),
            sessions: 4,
            stored: 9,
            unreported: 0,
            runs,
        };
        let projects = [
            measured("a", vec![score(1, 4, &[10, 20]), score(3, 4, &[10, 30])]),
            measured("b", vec![score(0, 0, &[]), score(0, 0, &[])]),
        ];
        let report =
            Report { projects: &projects, runs: &[super::super::AS_IT_IS, super::super::ACCEPTED_RUN] };
        let expected = "\
| as it is · accepted | a | b | mean |
|---|---|---|---|
| sessions, events stored | 4, 9 | 4, 9 | |
| repeats | 1/4 · 3/4 | – | 0.25 · 0.75 |
| starts that were given something | 2/4 | 0/4 | 0.25 |
| tokens per such start, median | 10 | – | 10 |
| the same, p95 | 20 · 30 | – | 20 · 30 |
| used, of lines of `project` that name a file or a command | 1/4 | 1/4 | 0.25 |
| used, of all lines that name a file or a command | 1/4 | 1/4 | 0.25 |
";
        assert!(report.to_string().starts_with(expected), "{report}");
        assert!(report.to_string().ends_with("without acceptance:\nnone\n"));
    }
}
