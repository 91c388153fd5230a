//! `cargo xtask fit`: fits the constants that decide what is injected, and writes them to
//! `crates/nudge-core/src/fitted.rs`.
//!
//! Real sessions are replayed, and everything that each labelled prompt could have been given is
//! compared with what helps with it. A logistic regression learns the chance that an entry helps.
//! The figures are of projects left out: the weights are fitted on the others, and measured on it.
//! The least chance at which something is injected answers at most one new topic in five there. A
//! mean over projects would hang on single prompts, because most have only a few new topics.
//!
//! `fit --check` fails if the file is not what would be written.

mod regression;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use nudge_context::{MAX_FOUND_LINES, MIN_FURTHER_CHANCE};

use crate::bench::sessions::labelled::{Expected, LabelledPrompt, labelled_prompts};
use regression::{Model, Row};

/// The written file, relative to the repository.
const FITTED_FILE: &str = "crates/nudge-core/src/fitted.rs";

/// How much weights are held back that few prompts support.
const RIDGE: f64 = 20.0;

/// The share of all new topics that may be answered, each with its project left out.
const MAX_NEW_TOPICS: f64 = 0.20;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A directory of sessions; by default both sets.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// Writes nothing; fails if the file is not what would be written.
    #[arg(long)]
    check: bool,
    /// Also writes every prompt with its candidates, as lines of JSON.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

/// A prompt, and the chance of each of its candidates.
type Judged<'p> = (&'p LabelledPrompt, Vec<f64>);

/// Replays, fits, prints the figures and writes the file.
pub(crate) fn run(options: &Options) -> anyhow::Result<bool> {
    let prompts = labelled_prompts(&options.data)?;
    if let Some(file) = &options.rows {
        let lines: String = prompts.iter().map(|prompt| format!("{}\n", prompt.json())).collect();
        std::fs::write(file, lines)?;
    }
    let first = prompts.iter().find_map(|prompt| prompt.candidates.first());
    let first = first.context("no prompt found anything")?;
    let names: Vec<&str> = first.features.iter().map(|(name, _)| name.as_str()).collect();
    let judged = judged_by_others(&prompts);
    let least = threshold(&judged);
    print!("{}", table(&judged, least));
    let model = Model::fit(&rows(prompts.iter()), RIDGE);
    let written = text(&names, &model, least);
    let file = crate::repository::root().join(FITTED_FILE);
    if !options.check {
        std::fs::write(&file, written).with_context(|| format!("cannot write {}", file.display()))?;
        return Ok(true);
    }
    let is_current = is_same(&std::fs::read_to_string(&file)?, &written);
    if !is_current {
        println!("VIOLATION: {FITTED_FILE} is not what `cargo xtask fit` writes");
    }
    Ok(is_current)
}

/// Whether two files say the same. Numbers may differ in what another processor rounds otherwise.
fn is_same(one: &str, other: &str) -> bool {
    const ROUNDING: f64 = 0.01;
    let words =
        |text: &str| text.split([' ', '\n', ',', ';', '(', ')']).map(str::to_owned).collect::<Vec<_>>();
    let is_alike = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= ROUNDING * one.abs().max(1.0),
        _ => one == other,
    };
    let (one, other) = (words(one), words(other));
    one.len() == other.len() && one.iter().zip(&other).all(is_alike)
}

/// The chances that weights give which were fitted without the prompt's project.
fn judged_by_others(prompts: &[LabelledPrompt]) -> Vec<Judged<'_>> {
    let mut by_project: BTreeMap<&str, Vec<&LabelledPrompt>> = BTreeMap::new();
    for prompt in prompts {
        by_project.entry(&prompt.project).or_default().push(prompt);
    }
    let mut judged = Vec::new();
    for (project, own) in by_project {
        let model = Model::fit(&rows(prompts.iter().filter(|prompt| prompt.project != project)), RIDGE);
        let chances = |prompt: &LabelledPrompt| {
            prompt.candidates.iter().map(|one| model.chance(&one.values())).collect::<Vec<_>>()
        };
        judged.extend(own.into_iter().map(|prompt| (prompt, chances(prompt))));
    }
    judged
}

/// An example for each candidate that a session did or said.
fn rows<'p>(prompts: impl Iterator<Item = &'p LabelledPrompt>) -> Vec<Row> {
    let candidates = prompts.flat_map(|prompt| &prompt.candidates);
    candidates.map(|one| Row { values: one.values(), is_yes: one.helps }).collect()
}

/// The most likely candidates of a prompt, if the first is likely enough.
fn shown((prompt, chances): &Judged<'_>, least: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..prompt.candidates.len()).collect();
    order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]));
    let speaks = order.first().is_some_and(|first| chances[*first] >= least);
    let lines =
        order.into_iter().filter(|one| speaks && chances[*one] >= least * f64::from(MIN_FURTHER_CHANCE));
    lines.take(MAX_FOUND_LINES).collect()
}

/// The share of the prompts with this label for which `is` holds: as a mean over projects, and of
/// all together.
fn share(judged: &[Judged<'_>], expected: Expected, is: impl Fn(&Judged<'_>) -> bool) -> (f64, f64) {
    let mut by_project: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for one in judged.iter().filter(|(prompt, _)| prompt.expected == expected) {
        let (yes, all) = by_project.entry(&one.0.project).or_default();
        *yes += f64::from(u8::from(is(one)));
        *all += 1.0;
    }
    let mean = by_project.values().map(|(yes, all)| yes / all).sum::<f64>() / by_project.len().max(1) as f64;
    let (yes, all) = by_project.values().fold((0.0, 0.0), |(yes, all), (one, of)| (yes + one, all + of));
    (mean, yes / f64::max(all, 1.0))
}

fn helped(judged: &[Judged<'_>], least: f64) -> (f64, f64) {
    let helps = |one: &Judged<'_>| shown(one, least).iter().any(|place| one.0.candidates[*place].helps);
    share(judged, Expected::Helped, helps)
}

fn answered(judged: &[Judged<'_>], expected: Expected, least: f64) -> (f64, f64) {
    share(judged, expected, |one| !shown(one, least).is_empty())
}

/// The least chance, in steps of a hundredth, that keeps to [`MAX_NEW_TOPICS`].
fn threshold(judged: &[Judged<'_>]) -> f64 {
    let holds = |least: &f64| answered(judged, Expected::NewTopic, *least).1 <= MAX_NEW_TOPICS;
    (1..100).map(|step| f64::from(step) / 100.0).find(holds).unwrap_or(1.0)
}

/// The figures around the chosen threshold.
fn table(judged: &[Judged<'_>], least: f64) -> String {
    let mut text = String::from(
        "| least chance | helped | new topics answered | controls answered |\n|---|---|---|---|\n",
    );
    for shift in [-0.15, -0.10, -0.05, -0.02, 0.0, 0.02, 0.05, 0.10, 0.15] {
        let at = least + shift;
        let mark = if shift == 0.0 { " (chosen)" } else { "" };
        let both = |(mean, all): (f64, f64)| format!("{mean:.2} ({all:.2})");
        let new = both(answered(judged, Expected::NewTopic, at));
        let controls = both(answered(judged, Expected::Control, at));
        let _ = writeln!(text, "| {at:.2}{mark} | {} | {new} | {controls} |", both(helped(judged, at)));
    }
    let _ =
        writeln!(text, "means of projects left out, and of all prompts together; {} prompts", judged.len());
    text
}

/// The file.
fn text(names: &[&str], model: &Model, least: f64) -> String {
    let mut text = String::from(
        "//! Constants that `cargo xtask fit` writes, from real sessions with whole projects left out. Do\n\
         //! not edit.\n\n\
         /// How much each feature of an entry counts for the chance that it helps with a \
         prompt.\n",
    );
    let _ = writeln!(text, "pub const HELPS_WEIGHTS: [(&str, f32); {}] = [", names.len());
    for (name, weight) in names.iter().zip(&model.weights) {
        let _ = writeln!(text, "    (\"{name}\", {weight:.3}),");
    }
    let _ = write!(
        text,
        "];\n\n/// What is added to the weighted features.\npub const HELPS_BIAS: f32 = {:.3};\n\n\
         /// The least chance at which something is injected with a prompt.\n\
         pub const MIN_HELPS: f32 = {least:.2};\n",
        model.bias
    );
    text
}
