//! Very many small commits and deletions: files do not pile up.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use crate::drill::verdict::Verdict;

/// The documented limit: the directory is never larger than this many times its text.
const MULTIPLE: f64 = 4.0;

/// More segments than this would slow a search noticeably.
const MOST_SEGMENTS: u64 = 24;

/// Runs the program and checks its report.
pub(super) fn stay_small(
    program: &Path,
    directory: &Path,
    commits: usize,
    verdict: &mut Verdict,
) -> anyhow::Result<String> {
    std::fs::create_dir(directory)?;
    let output = Command::new(program).arg("small-commits").arg(directory).arg(commits.to_string()).output();
    let output = output.with_context(|| format!("{} cannot be started", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "the commits failed: {}", said.trim());
    let reported: Value = serde_json::from_slice(&output.stdout)?;
    let times = reported["times_text"].as_f64().context("how large it became")?;
    let segments = reported["segments"].as_u64().context("in how many segments")?;
    let is_whole = reported["state"] == "Ready" && reported["documents"] == reported["kept"];
    verdict.demand(is_whole, format!("after {commits} commits: {reported}"));
    verdict.demand(times <= MULTIPLE, format!("the index grew to {times:.2} times its text"));
    verdict.demand(segments <= MOST_SEGMENTS, format!("{segments} segments"));
    Ok(format!(
        "{commits} commits: at most {times:.2} times the text, {segments} segments, {} files; {:.1} ms each",
        reported["files"],
        reported["milliseconds_each"].as_f64().unwrap_or_default()
    ))
}
