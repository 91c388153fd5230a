//! Very many small commits and deletions: files do not pile up.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use crate::drill::verdict::Verdict;

/// The stated multiple: the directory is never larger than so many times the text that is in it.
const MULTIPLE: f64 = 4.0;

/// More segments than this would be felt in a search.
const MOST_SEGMENTS: u64 = 24;

/// Has the program do it, and looks at what it tells.
pub(super) fn stay_small(
    program: &Path,
    directory: &Path,
    commits: usize,
    verdict: &mut Verdict,
) -> anyhow::Result<String> {
    std::fs::create_dir(directory)?;
    let output = Command::new(program).arg(directory).arg(commits.to_string()).output();
    let output = output.with_context(|| format!("{} cannot be started", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "the commits failed: {}", said.trim());
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let times = told["times_text"].as_f64().context("how large it became")?;
    let segments = told["segments"].as_u64().context("in how many segments")?;
    let is_whole = told["state"] == "Ready" && told["documents"] == told["kept"];
    verdict.demand(is_whole, format!("after {commits} commits: {told}"));
    verdict.demand(times <= MULTIPLE, format!("the index grew to {times:.2} times its text"));
    verdict.demand(segments <= MOST_SEGMENTS, format!("{segments} segments"));
    Ok(format!(
        "{commits} commits: at most {times:.2} times the text, {segments} segments, {} files; {:.1} ms each",
        told["files"],
        told["milliseconds_each"].as_f64().unwrap_or_default()
    ))
}
