//! Sessions begin in a thousand made-up stores with budgets of every size. No text is over its
//! budget, by the estimate and by a real tokenizer; every line is whole; every omitted entry is in
//! the ledger with its reason. Shows @injection_budget.
//!
//! `begin-within` makes the stores, begins the sessions and compares lines and ledger with all
//! candidates; the tokens of its output are counted here.

use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde::Deserialize;

use crate::args::Size;
use crate::stage::Programs;
use crate::stage::Violations;
use crate::tokenizer::Tokenizer;

/// The number of stores in the full drill, and in the short one.
const FULL_STORES: u64 = 1_000;
const SHORT_STORES: u64 = 100;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The number of stores.
    #[arg(long, value_name = "N", conflicts_with = "short")]
    stores: Option<u64>,
}

/// How many violations are printed.
const MAX_SHOWN: usize = 20;

/// One start, as `begin-within` reports it.
#[derive(Deserialize)]
struct Beginning {
    store: u64,
    trigger: String,
    budget: u64,
    text: Option<String>,
    tokens: Option<u64>,
    injected: u64,
    left_out: u64,
    wrong: Vec<String>,
}

/// Begins sessions in all stores.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let stores = options.stores.unwrap_or(options.size.pick((FULL_STORES, SHORT_STORES)));
    let programs = Programs::baselines()?;
    let began = Instant::now();
    let output = Command::new(programs.bare())
        .args(["begin-within", "0", &stores.to_string()])
        .output()
        .context("begin-within cannot be started")?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "begin-within failed: {}", stderr.trim());
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let all: Vec<Beginning> = lines.map(serde_json::from_slice).collect::<Result<_, _>>()?;
    let mut violations = Violations::default();
    violations.unless(all.len() as u64 == stores * 3, format!("{} beginnings in {stores} stores", all.len()));
    let spoken: Vec<&Beginning> = all.iter().filter(|one| one.text.is_some()).collect();
    // If almost nothing is injected, the drill shows almost nothing.
    violations.unless(spoken.len() * 10 > all.len() * 7, format!("only {} texts", spoken.len()));
    let wrong = all.iter().flat_map(|one| one.wrong.iter().map(move |wrong| (one, wrong)));
    for (one, wrong) in wrong.take(MAX_SHOWN) {
        violations
            .unless(false, format!("store {}, {}, {} tokens: {wrong}", one.store, one.trigger, one.budget));
    }
    let fullest = count(&spoken, &mut violations)?;
    let (injected, left_out) =
        all.iter().fold((0, 0), |sum, one| (sum.0 + one.injected, sum.1 + one.left_out));
    println!("{stores} stores, {} beginnings, {} texts", all.len(), spoken.len());
    println!("{injected} entries injected, {left_out} left out with a reason");
    println!("the fullest text has {fullest:.1} % of its budget by o200k_base");
    println!("in {:.0} s", began.elapsed().as_secs_f64());
    Ok(violations.close("no text is over its budget, no line is cut, and the ledger has what was left out"))
}

/// Counts with the tokenizer; returns how full the fullest text is, in percent of its budget.
fn count(spoken: &[&Beginning], violations: &mut Violations) -> anyhow::Result<f64> {
    let texts: Vec<&str> = spoken.iter().filter_map(|one| one.text.as_deref()).collect();
    let counts = Tokenizer::installed()?.counts(&texts)?;
    let mut fullest: f64 = 0.0;
    let mut over = 0;
    for (one, counted) in spoken.iter().zip(counts) {
        fullest = fullest.max(counted as f64 * 100.0 / one.budget as f64);
        over += usize::from(counted > one.budget);
        violations.unless(counted <= one.budget || over > MAX_SHOWN, {
            let Beginning { store, trigger, budget, tokens, .. } = one;
            format!("store {store}, {trigger}: {counted} tokens of {budget}, estimated {tokens:?}")
        });
    }
    violations.unless(over == 0, format!("{over} texts are over their budget by o200k_base"));
    Ok(fullest)
}
