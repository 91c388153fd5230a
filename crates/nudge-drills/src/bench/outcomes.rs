//! The verdicts on test and build runs: real outputs of real tools, each with the right verdict.
//!
//! `cargo xtask bench outcomes [--cases FILE]`: one line per case, `{id, command, output, exit,
//! verdict, passed, failed}`. Every verdict must be right; counts are compared where the case has
//! them. `zero_implied` names counts that a summary leaves out when they are zero: for those, both
//! zero and no count are right.

use std::path::PathBuf;

use anyhow::Context;
use nudge_outcomes::Verdict;
use serde::Deserialize;

use super::sessions::data::lines;

/// The default file of cases, relative to the repository.
const CASES_FILE: &str = "crates/nudge-drills/data/outcomes/cases.jsonl";

#[derive(Deserialize)]
struct Case {
    id: String,
    command: String,
    output: String,
    exit: Option<i32>,
    verdict: String,
    passed: Option<u32>,
    failed: Option<u32>,
    #[serde(default)]
    zero_implied: Vec<String>,
    #[serde(default)]
    documented: bool,
}

impl Case {
    fn is_right(&self, name: &str, found: Option<u32>, expected: Option<u32>) -> bool {
        let implied = self.zero_implied.iter().any(|implied| implied == name);
        found == expected || implied && found.unwrap_or(0) == 0 && expected.unwrap_or(0) == 0
    }
}

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The file of cases.
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
}

/// Reads all cases and prints the wrong verdicts.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let file = options.cases.clone().unwrap_or_else(|| crate::repository::root().join(CASES_FILE));
    let cases: Vec<Case> = lines(&file)?;
    let (mut verdicts, mut counts, mut false_passes) = (0, 0, 0);
    for case in &cases {
        let expected =
            Verdict::from_name(&case.verdict).with_context(|| format!("{}: no verdict", case.id))?;
        let run = nudge_outcomes::read(&case.command, &case.output, case.exit);
        // A command that is not a run has no verdict.
        let verdict = run.as_ref().map_or(Verdict::Unknown, |run| run.verdict);
        if verdict == expected {
            verdicts += 1;
        } else {
            false_passes += usize::from(verdict == Verdict::Passed);
            println!("- {}: read as {}, is {}: {}", case.id, verdict.name(), case.verdict, case.command);
        }
        let (passed, failed) = run.map_or((None, None), |run| (run.passed, run.failed));
        if case.is_right("passed", passed, case.passed) && case.is_right("failed", failed, case.failed) {
            counts += 1;
        } else {
            let shown =
                |count: Option<u32>| count.map_or_else(|| "none".to_owned(), |count| count.to_string());
            let of = |passed, failed| format!("{} passed, {} failed", shown(passed), shown(failed));
            println!("- {}: counted {}, is {}", case.id, of(passed, failed), of(case.passed, case.failed));
        }
    }
    let documented = cases.iter().filter(|case| case.documented).count();
    println!("{} cases, {documented} of them from documented output", cases.len());
    println!(
        "verdicts right: {verdicts}; counts right: {counts}; read as passed and are not: {false_passes}"
    );
    Ok(verdicts == cases.len())
}
