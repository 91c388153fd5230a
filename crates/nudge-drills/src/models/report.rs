//! The figures of all models, as a table or as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::acted::{self, Acted};
use super::asked::Asked;
use super::asked::Reading;
use super::scene::GRADED;
use super::scene::MAX_TURNS;

/// One model in one mode.
pub(super) struct Sitting {
    model: String,
    constrained: bool,
    asked: Vec<Asked>,
    acted: Vec<Acted>,
    /// Whether the server of Nudge still answered at the end.
    pub(super) survived: bool,
}

impl Sitting {
    pub(super) fn new(model: &str, constrained: bool) -> Self {
        Self { model: model.to_owned(), constrained, asked: Vec::new(), acted: Vec::new(), survived: false }
    }

    pub(super) fn add(&mut self, asked: Asked) {
        self.asked.push(asked);
    }

    /// The same for a task.
    pub(super) fn add_acted(&mut self, acted: Acted) {
        self.acted.push(acted);
    }

    pub(super) const fn mode(&self) -> &'static str {
        if self.constrained { "grammar" } else { "free" }
    }

    /// The turns so far.
    pub(super) fn turns(&self) -> usize {
        self.asked.iter().map(|asked| asked.readings.len()).sum()
    }

    fn count(&self, is: impl Fn(&Reading) -> bool) -> usize {
        self.asked.iter().flat_map(|asked| &asked.readings).filter(|reading| is(reading)).count()
    }

    /// The verdicts by status.
    fn verdicts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for asked in &self.asked {
            let shown = match (asked.has_ended, asked.outcome.as_str()) {
                (false, _) => "deadline".to_owned(),
                (true, "") => asked.status.to_string(),
                (true, word) if word == asked.status.to_string() => word.to_owned(),
                (true, word) => format!("{} {word}", asked.status),
            };
            *counts.entry(shown).or_default() += 1;
        }
        counts
    }

    fn graded(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| asked.is_graded)
    }

    /// What is wrong with Nudge, not with the model.
    fn violations(&self) -> Vec<String> {
        let whose = format!("{} {}", self.model, self.mode());
        let bad = |asked: &&Asked| !asked.has_ended || asked.status >= 500 || asked.status < 200;
        let mut found: Vec<String> = self
            .asked
            .iter()
            .filter(bad)
            .map(|asked| format!("{whose}: no verdict on {:?}: {asked}", asked.question.text))
            .collect();
        found.extend(self.acted.iter().filter_map(|acted| Some(format!("{whose}: {}", acted.violation()?))));
        if !self.survived {
            found.push(format!("{whose}: the server of Nudge does not answer any more"));
        }
        found
    }

    fn json(&self) -> Value {
        let graded: Vec<Value> = self.graded().map(graded_json).collect();
        json!({
            "model": self.model,
            "mode": self.mode(),
            "questions": self.asked.len(),
            "turns": self.turns(),
            "verdicts": self.verdicts(),
            "usable_with_healing": self.count(|reading| reading.healed),
            "usable_without_healing": self.count(|reading| reading.strict),
            "with_update": self.count(|reading| reading.has_update),
            "with_losses": self.count(|reading| reading.has_losses),
            "right": self.graded().filter(|asked| asked.is_right()).count(),
            "graded": graded,
            "tasks": self.acted.iter().map(Acted::json).collect::<Vec<_>>(),
            "tasks_done": self.acted.iter().filter(|acted| acted.is_done).count(),
            "prompt_tokens": self.asked.iter().map(|asked| asked.prompt_tokens).sum::<u64>(),
            "completion_tokens": self.asked.iter().map(|asked| asked.completion_tokens).sum::<u64>(),
            "seconds": self.seconds().round(),
        })
    }

    fn seconds(&self) -> f64 {
        self.asked.iter().map(|asked| asked.took.as_secs_f64()).sum()
    }

    fn row(&self) -> String {
        let turns = self.turns();
        let share = |count: usize| format!("{count} ({:.0} %)", 100.0 * count as f64 / turns.max(1) as f64);
        let verdicts: Vec<String> =
            self.verdicts().iter().map(|(verdict, count)| format!("{count}× {verdict}")).collect();
        let graded = self.graded().count();
        let right = self.graded().filter(|asked| asked.is_right()).count();
        let tokens = |of: fn(&Asked) -> u64| self.graded().map(of).sum::<u64>() / graded.max(1) as u64;
        let seconds = self.graded().map(|asked| asked.took.as_secs_f64()).sum::<f64>() / graded.max(1) as f64;
        let cells = [
            format!("{}, {}", self.model, self.mode()),
            format!("{} / {turns}", self.asked.len()),
            verdicts.join(", "),
            share(self.count(|reading| reading.healed)),
            share(self.count(|reading| reading.strict)),
            share(self.count(|reading| reading.has_update)),
            format!("{right} of {graded}"),
            format!("{} + {}", tokens(|asked| asked.prompt_tokens), tokens(|asked| asked.completion_tokens)),
            format!("{seconds:.0}"),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

fn graded_json(asked: &Asked) -> Value {
    json!({
        "question": asked.question.text,
        "wanted": asked.question.words(),
        "right": asked.is_right(),
        "status": asked.status,
        "answer": asked.answer,
        "turns": asked.readings.len(),
        "prompt_tokens": asked.prompt_tokens,
        "completion_tokens": asked.completion_tokens,
        "seconds": asked.took.as_secs_f64().round(),
        "dump": asked.dump,
    })
}

/// All sittings.
#[derive(Default)]
pub(super) struct Report {
    sittings: Vec<Sitting>,
}

impl Report {
    pub(super) fn add(&mut self, sitting: Sitting) {
        if sitting.acted.is_empty() {
            eprintln!("{}", sitting.row());
        }
        self.sittings.push(sitting);
    }

    /// Prints everything, and returns whether every loop ended.
    pub(super) fn print(&self, as_json: bool) -> anyhow::Result<bool> {
        let violations: Vec<String> = self.sittings.iter().flat_map(Sitting::violations).collect();
        if as_json {
            let sittings: Vec<Value> = self.sittings.iter().map(Sitting::json).collect();
            let all = json!({"max_turns": MAX_TURNS, "sittings": sittings, "violations": violations});
            println!("{}", serde_json::to_string_pretty(&all)?);
            return Ok(violations.is_empty());
        }
        self.print_failures();
        if self.sittings.iter().any(|sitting| !sitting.acted.is_empty()) {
            println!(
                "\nEvery proposal was accepted. All but the first column are means of a task.\n\n{}",
                acted::HEAD
            );
            for sitting in &self.sittings {
                println!("{}", acted::row(&format!("{}, {}", sitting.model, sitting.mode()), &sitting.acted));
            }
            return Ok(self.verdict(&violations));
        }
        println!("\nA right answer has these words, chosen beforehand:");
        for question in GRADED {
            println!("  {}  [{}]", question.text, question.words());
        }
        println!(
            "\nAt most {MAX_TURNS} turns for each question. Tokens and seconds are means of the graded ones.\n"
        );
        println!(
            "| model, mode | questions / turns | verdicts | usable, healed | usable, strict | update | right | tokens in + out | seconds |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for sitting in &self.sittings {
            println!("{}", sitting.row());
        }
        Ok(self.verdict(&violations))
    }

    fn verdict(&self, violations: &[String]) -> bool {
        for violation in violations {
            println!("VIOLATION: {violation}");
        }
        if violations.is_empty() {
            println!("passed: every loop ended in a verdict, and the server still answers");
        }
        violations.is_empty()
    }

    fn print_failures(&self) {
        for sitting in &self.sittings {
            for failure in sitting.acted.iter().filter_map(Acted::failure) {
                println!("\n{} {} {failure}", sitting.model, sitting.mode());
            }
            for asked in sitting.graded() {
                if let Some(dump) = &asked.dump {
                    println!("\n{} {}: {:?}: {asked}", sitting.model, sitting.mode(), asked.question.text);
                    println!("{}", dump.trim_end());
                }
            }
        }
    }
}
