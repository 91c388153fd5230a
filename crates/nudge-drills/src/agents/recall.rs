//! The work of one session is found by search, and injected into the next session and into one that
//! lost its context.
//!
//! Shows @injection_hook, @injection_recovery, @injection_causes and @injection_off with the
//! requests that the model received, and @recall_cli_search and @injection_own_text with the
//! agent's actions.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use super::agent::{Agent, Step, Workspace, part};
use super::hypotheses;
use super::injected::{InjectedEntry, Request, injected};

/// The user's first request. The animals occur in no other text.
const FIRST: &str = "Teach the greeter the wombat dialect.";

const FAILS: &str = "echo 'no quokka in the list' >&2; exit 3";

/// The user's request in the next session, until its context is compacted.
const SECOND: &str = "Sing the greeting in the numbat key.";

const FAILS_AGAIN: &str = "cat bilby.txt";

const LAST_COMMAND: &str = "the last command: `cat bilby.txt`, exit 1";

/// A prompt that asks for no work.
const IDLE: &str = "And now?";

/// Lets Nudge inject into headless sessions.
const INJECT_HEADLESS: &str = "inject.headless = true";

const DOES_FIRST: [Step<'_>; 4] = [
    Step::Write("dialect.txt", "wombat: good day"),
    Step::Edit("greeting.txt", "hello", "good day"),
    Step::Run("cat dialect.txt"),
    Step::Run(FAILS),
];

const DOES_NEXT: [Step<'_>; 3] = [
    Step::Write("song.txt", "la la la"),
    Step::Edit("dialect.txt", "wombat: good day", "wombat: good night"),
    Step::Run(FAILS_AGAIN),
];

/// Runs all steps with this agent; returns what went wrong.
pub(super) fn check(nudge: &Path, agent: &dyn Agent) -> anyhow::Result<Vec<String>> {
    part(&format!("{}, recall", agent.name()), || {
        let workspace = Workspace::new(nudge, "greeter")?;
        Story { workspace, agent, violations: Vec::new() }.tell()
    })
}

struct Story<'a> {
    workspace: Workspace,
    agent: &'a dyn Agent,
    violations: Vec<String>,
}

impl Story<'_> {
    fn tell(mut self) -> anyhow::Result<Vec<String>> {
        self.agent.install_nudge(&self.workspace)?;
        let session = self.agent.once(&self.workspace, &self.prompt(FIRST, &DOES_FIRST))?;
        self.is_found(&session)?;
        if self.agent.tells_that_nobody_watches() {
            self.is_not_injected_without_leave()?;
        }
        self.workspace.configure(INJECT_HEADLESS)?;
        let (next, frames) = self.is_injected_and_injected_again()?;
        self.is_not_injected_twice(&next, &frames)?;
        self.is_injected_when_it_overflows(&session)?;
        self.is_not_captured_again()?;
        self.violations.extend(self.workspace.left_behind());
        Ok(self.violations)
    }

    fn prompt(&self, words: &str, steps: &[Step<'_>]) -> String {
        self.workspace.prompt(self.agent, words, steps)
    }

    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(otherwise());
        }
    }

    /// The prompt, a file and a failed command are found, under the agent's own session id.
    fn is_found(&mut self, session: &str) -> anyhow::Result<()> {
        for (word, kind) in
            [("wombat", "user_prompt"), ("dialect", "file_write"), ("quokka", "command_error")]
        {
            let rows = self.workspace.nudge_json(&["search", word])?;
            let is_it = |row: &Value| row["obs_type"] == kind && row["session_id"] == session;
            let found = rows.as_array().is_some_and(|rows| rows.iter().any(is_it));
            self.expect(found, || format!("no {kind} of {session} for {word}: {rows}"));
        }
        Ok(())
    }

    /// A headless session is given nothing unless the user asked for it.
    fn is_not_injected_without_leave(&mut self) -> anyhow::Result<()> {
        let before = self.workspace.model.requests().count()?;
        self.agent.once(&self.workspace, &self.prompt(IDLE, &[]))?;
        for request in self.workspace.model.requests().since(before)? {
            let blocks = injected(&request);
            self.expect(blocks == Ok(vec![]), || format!("without permission the model got {blocks:?}"));
        }
        Ok(())
    }

    /// The next session gets a block about the first one; after `/compact`, a block about itself.
    ///
    /// Returns its id and the names of the frames that it was given.
    fn is_injected_and_injected_again(&mut self) -> anyhow::Result<(String, [Option<String>; 2])> {
        let mut talk = self.agent.open(&self.workspace)?;
        let mut before = self.workspace.model.requests().count()?;
        talk.ask(&self.prompt(SECOND, &DOES_NEXT))?;
        let requests = self.workspace.model.requests().since(before)?;
        let start = self.check(&requests, &[FIRST, "dialect.txt", "greeting.txt", FAILS]);
        talk.compact()?;
        before = self.workspace.model.requests().count()?;
        talk.ask(&self.prompt(IDLE, &[]))?;
        let requests = self.workspace.model.requests().since(before)?;
        let recovery = self
            .check(&requests, &[SECOND, "was changing song.txt", "was changing dialect.txt", LAST_COMMAND]);
        self.expect(start.is_none() || start != recovery, || "the first block is still there".to_owned());
        Ok((talk.close()?, [start, recovery]))
    }

    /// A resumed session still has the injected text in its context and gets nothing more.
    fn is_not_injected_twice(&mut self, session: &str, before: &[Option<String>]) -> anyhow::Result<()> {
        let count = self.workspace.model.requests().count()?;
        self.agent.resume(&self.workspace, session, &self.prompt(IDLE, &[]))?;
        for request in self.workspace.model.requests().since(count)? {
            let blocks = injected(&request);
            let known = |blocks: &Vec<InjectedEntry>| {
                blocks.iter().all(|block| before.contains(&Some(block.id.clone())))
            };
            self.expect(blocks.as_ref().is_ok_and(known), || {
                format!("after a resume the model was given {blocks:?}")
            });
        }
        Ok(())
    }

    /// The same applies when the agent compacts a full context by itself. For that the first
    /// session is resumed; the block that it gets at the resume comes before the one checked here.
    fn is_injected_when_it_overflows(&mut self, session: &str) -> anyhow::Result<()> {
        self.agent.overflow(&self.workspace, session, &self.prompt(IDLE, &[]))?;
        let requests = self.workspace.model.requests();
        let last = requests.since(requests.count()?.saturating_sub(1))?;
        let blocks = last.first().map(injected);
        let recovery = blocks.as_ref().and_then(|blocks| blocks.as_ref().ok()?.last());
        let wanted = [FIRST, "was changing greeting.txt", "was changing dialect.txt", FAILS, ", exit 3"];
        let holds = recovery.is_some_and(|block| wanted.iter().all(|text| block.inside.contains(text)));
        self.expect(holds, || format!("after an overflow the model was given {blocks:?}"));
        Ok(())
    }

    /// Checks that each of these requests has the same block with the first of these texts, and
    /// that the block has the others too; returns the name of its frame.
    fn check(&mut self, requests: &[Request], texts: &[&str]) -> Option<String> {
        self.expect(!requests.is_empty(), || "the model was not asked".to_owned());
        let mut name = None;
        for request in requests {
            // A prompt may have added a separate block.
            let wanted = texts.first().copied().unwrap_or_default();
            let has_it = |block: &InjectedEntry| block.inside.contains(wanted);
            let block = match injected(request).map(|blocks| blocks.into_iter().find(has_it)) {
                Ok(Some(block)) => block,
                Ok(None) => {
                    self.violations.push(format!("{wanted:?} was not injected"));
                    continue;
                }
                Err(why) => {
                    self.violations.push(why);
                    continue;
                }
            };
            for text in texts {
                self.expect(block.inside.contains(text), || format!("{text:?} is not in: {}", block.inside));
            }
            let before = name.get_or_insert_with(|| block.id.clone());
            let same = *before == block.id;
            self.expect(same, || format!("another block in the same turn: {}", block.inside));
        }
        name
    }

    /// Text that Nudge injected is not captured as an event.
    fn is_not_captured_again(&mut self) -> anyhow::Result<()> {
        let rows = self.workspace.nudge_json(&["search", "\"records to look at\""])?;
        self.expect(rows.as_array().is_some_and(Vec::is_empty), || format!("captured again: {rows}"));
        Ok(())
    }
}

// A failure that was seen before: the line about the last time reaches the model, before the
// command or after it.
//
// Real pytest fails behind a pipe, for a reason that an earlier session fixed. Shows
// @failure_before, @failure_after and @run_verdict with the requests that the model received.

/// A test of a missing module. The animal occurs in no other text.
const FAILING_TEST: &str =
    "import quokkakit\n\n\ndef test_total():\n    assert quokkakit.total([1, 2]) == 3\n";

const FIXING_COMMAND: &str = "printf 'total = sum\\n' > quokkakit.py";

/// A command that never works. Nothing helps, so it is reported once it failed in two sessions.
const WRONG_COMMAND: &str = "git status --wombat";

/// Runs three sessions; returns what went wrong.
pub(super) fn check_failures(nudge: &Path, agent: &dyn Agent) -> anyhow::Result<Vec<String>> {
    part(&format!("{}, failures", agent.name()), || fail_again(nudge, agent))
}

fn fail_again(nudge: &Path, agent: &dyn Agent) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    let workspace = Workspace::new(nudge, "greeter")?;
    agent.install_nudge(&workspace)?;
    workspace.configure(INJECT_HEADLESS)?;
    std::fs::write(workspace.file("test_total.py"), FAILING_TEST)?;
    let run = format!("{} -q -p no:cacheprovider | tail -5", hypotheses::program()?.display());
    let first = [Step::Run(WRONG_COMMAND), Step::Run(&run), Step::Run(FIXING_COMMAND), Step::Run(&run)];
    agent.once(&workspace, &workspace.prompt(agent, "Make the test pass.", &first))?;
    agent.once(&workspace, &workspace.prompt(agent, "What changed?", &[Step::Run(WRONG_COMMAND)]))?;
    // The fix is lost again.
    std::fs::remove_file(workspace.file("quokkakit.py")).context("the first session fixed it")?;
    let before = workspace.model.requests().count()?;
    let again = [Step::Run(WRONG_COMMAND), Step::Run(&run)];
    agent.once(&workspace, &workspace.prompt(agent, "See whether all is well.", &again))?;
    let mut said = Vec::new();
    for request in workspace.model.requests().since(before)? {
        let blocks = injected(&request).map_err(|why| anyhow::anyhow!(why))?;
        said.extend(blocks.into_iter().map(|block| block.inside));
    }
    let has = |words: &[&str]| said.iter().any(|text| words.iter().all(|word| text.contains(word)));
    if !has(&["git status --wombat", "failed here 2 times", "unknown option"]) {
        violations.push(format!("no warning before `{WRONG_COMMAND}`: {said:?}"));
    }
    if !has(&["No module named 'quokkakit'", "was seen here", "quokkakit.py"]) {
        violations.push(format!("nothing about the last time after pytest failed: {said:?}"));
    }
    let rows = workspace.nudge_json(&["search", "pytest quokkakit", "--type", "command_error"])?;
    if rows.as_array().is_none_or(Vec::is_empty) {
        violations.push("a run that failed behind a pipe is no failed command".to_owned());
    }
    Ok(violations)
}
