//! A failure that was seen before: the line about the last time reaches the model, before the
//! command or after it.
//!
//! Real pytest fails behind a pipe, for a reason that an earlier session fixed. Shows
//! @failure_before, @failure_after and @run_verdict with the requests that the model received.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;

use super::agent::{Agent, Step, Workspace};
use super::injected::injected;
use super::pytest;

/// A test of a missing module. The animal occurs in no other text.
const TEST: &str = "import quokkakit\n\n\ndef test_total():\n    assert quokkakit.total([1, 2]) == 3\n";

/// The command that fixes it.
const FIX: &str = "printf 'total = sum\\n' > quokkakit.py";

/// A command that never works.
const WRONG: &str = "git status --wombat";

/// Lets Nudge inject into headless sessions.
const INJECT_HEADLESS: &str = "inject.headless = true";

/// Runs two sessions; returns what went wrong.
pub(super) fn walk(nudge: &Path, agent: &dyn Agent) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut wrong = Vec::new();
    let workspace = Workspace::new(nudge, "greeter")?;
    agent.take_up(&workspace)?;
    workspace.configure(INJECT_HEADLESS)?;
    std::fs::write(workspace.file("test_total.py"), TEST)?;
    let run = format!("{} -q -p no:cacheprovider | tail -5", pytest::program()?.display());
    let first = [Step::Run(WRONG), Step::Run(&run), Step::Run(FIX), Step::Run(&run)];
    agent.once(&workspace, &workspace.prompt(agent, "Make the test pass.", &first))?;
    // The fix is lost again.
    std::fs::remove_file(workspace.file("quokkakit.py")).context("the first session mended it")?;
    let before = workspace.model.requests().count()?;
    let again = [Step::Run(WRONG), Step::Run(&run)];
    agent.once(&workspace, &workspace.prompt(agent, "See whether all is well.", &again))?;
    let mut said = Vec::new();
    for request in workspace.model.requests().since(before)? {
        let blocks = injected(&request).map_err(|why| anyhow::anyhow!(why))?;
        said.extend(blocks.into_iter().map(|block| block.inside));
    }
    let has = |words: &[&str]| said.iter().any(|text| words.iter().all(|word| text.contains(word)));
    if !has(&["git status --wombat", "failed here once", "unknown option"]) {
        wrong.push(format!("no warning before `{WRONG}`: {said:?}"));
    }
    if !has(&["No module named 'quokkakit'", "was seen here", "quokkakit.py"]) {
        wrong.push(format!("nothing about the last time after pytest failed: {said:?}"));
    }
    let rows = workspace.nudge_json(&["search", "pytest quokkakit", "--type", "command_error"])?;
    if rows.as_array().is_none_or(Vec::is_empty) {
        wrong.push("a run that failed behind a pipe is no failed command".to_owned());
    }
    println!(
        "{}, failures: {} violations, {:.1} s",
        agent.name(),
        wrong.len(),
        began.elapsed().as_secs_f64()
    );
    Ok(wrong.into_iter().map(|violation| format!("{}: {violation}", agent.name())).collect())
}
