//! An agent's hypothesis and marked files: a run decides the hypothesis, and a resumed session gets
//! back the files it marked.
//!
//! Real pytest fails and passes. Shows @ghap_outcome, @context_set_tool and @context_resume with
//! the requests that the model received, and @ghap_record with the contents of the memory
//! afterwards.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::{Value, json};

use super::agent::{Agent, Step, Workspace, part};
use super::claude::Claude;
use super::injected::Request;
use super::injected::{around, injected};
use crate::repository;

/// A cart that omits its first price, and its test.
const CART: &str = "def total(prices):\n    return sum(prices[1:])\n";

const TEST: &str = "import cart\n\n\ndef test_total():\n    assert cart.total([1, 2]) == 3\n";

/// The command that the prediction names.
const TEST_COMMAND: &str = ".venv/bin/pytest -q test_cart.py";

/// The agent's hypothesis.
const BELIEF: &str = "the sum leaves the first price out";

/// The edit that fixes it.
const FIX: Step<'_> = Step::Edit("cart.py", "prices[1:]", "prices");

/// The output of pytest for each run, and the words of the line about it.
const FAILED: (&str, &[&str]) = (
    "1 failed",
    &[TEST_COMMAND, "failed", "speaks against the hypothesis", BELIEF, "suggested_action: resolve_falsified"],
);

const PASSED: (&str, &[&str]) =
    ("1 passed", &[TEST_COMMAND, "passed", "as predicted", BELIEF, "is confirmed and resolved"]);

/// A marked file that does not exist.
const MISSING_FILE: &str = "quokka-notes.md";

/// A prompt that asks for no work.
const IDLE: &str = "And now?";

/// Lets Nudge inject into headless sessions.
const INJECT_HEADLESS: &str = "inject.headless = true";

/// Runs a session, resumes it, and runs another; returns what went wrong.
pub(super) fn check(nudge: &Path, agent: &Claude) -> anyhow::Result<Vec<String>> {
    part(&format!("{}, what goes on", agent.name()), || {
        let workspace = Workspace::new(nudge, "shop")?;
        Story { workspace, agent, violations: Vec::new() }.tell()
    })
}

struct Story<'a> {
    workspace: Workspace,
    agent: &'a Claude,
    violations: Vec<String>,
}

impl Story<'_> {
    fn tell(mut self) -> anyhow::Result<Vec<String>> {
        self.agent.install_nudge(&self.workspace)?;
        self.workspace.configure(INJECT_HEADLESS)?;
        self.workspace.configure("profile = \"work\"")?;
        std::fs::write(self.workspace.file("cart.py"), CART)?;
        std::fs::write(self.workspace.file("test_cart.py"), TEST)?;
        std::os::unix::fs::symlink(environment()?, self.workspace.file(".venv"))?;
        let session = self.runs_decide()?;
        self.is_resolved()?;
        let given = self.is_given_on_resume(&session)?;
        self.is_not_given_twice(&session, given)?;
        self.is_given_to_next_session()?;
        self.violations.extend(self.workspace.left_behind());
        Ok(self.violations)
    }

    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(otherwise());
        }
    }

    /// The agent states its hypothesis, sees the run fail and then pass, and marks two files. The
    /// request with the result of a run also has one line about what it means, once. Returns the id
    /// of the session.
    fn runs_decide(&mut self) -> anyhow::Result<String> {
        let started = ours("start_ghap", &belief());
        let marked = ours(
            "set_relevant_context",
            &json!({"setName": "files", "items": [self.workspace.file("cart.py"), self.workspace.file(MISSING_FILE)]}),
        );
        let [run, fix] = [Step::Run(TEST_COMMAND), FIX].map(|step| self.agent.call(step, &self.workspace));
        let prompt = super::agent::prompt("Make the test pass.", &[started, run.clone(), fix, run, marked]);
        let session = self.agent.once(&self.workspace, &prompt)?;
        let requests = self.workspace.model.requests().since(0)?;
        for (result, words) in [FAILED, PASSED] {
            let Some(at) = requests.iter().position(|request| around(request).contains(result)) else {
                self.violations.push(format!("pytest never reported {result:?}"));
                continue;
            };
            let before = at.checked_sub(1).and_then(|index| requests.get(index));
            for (request, wanted) in [(before, 0), (requests.get(at), 1), (requests.last(), 1)] {
                let lines = lines(request)?;
                let found = lines.iter().filter(|line| has(line, words)).count();
                self.expect(found == wanted, || {
                    format!("{found} lines, not {wanted}, of what {result:?} means: {lines:?}")
                });
            }
        }
        let heard = requests.last().map(around).unwrap_or_default();
        for answer in ["ghap_", "Set files: 2 items"] {
            self.expect(heard.contains(answer), || format!("no tool answered {answer:?}: {heard}"));
        }
        Ok(session)
    }

    /// The memory has the hypothesis with the outcome of the run.
    fn is_resolved(&mut self) -> anyhow::Result<()> {
        let listed = self.workspace.nudge_json(&["hypotheses"])?;
        let one = &listed["results"][0];
        let result = one["result"].as_str().unwrap_or_default();
        let holds = listed["count"] == 1
            && one["status"] == "confirmed"
            && one["confidence_tier"] == "gold"
            && has(result, &[TEST_COMMAND, "1 passed"]);
        self.expect(holds, || format!("not one hypothesis that a run confirmed: {listed}"));
        Ok(())
    }

    /// The resumed session gets the files it marked; returns how many lines from Nudge the model
    /// then has.
    fn is_given_on_resume(&mut self, session: &str) -> anyhow::Result<usize> {
        let before = self.workspace.model.requests().count()?;
        let prompt = self.workspace.prompt(self.agent, IDLE, &[]);
        self.agent.resume(&self.workspace, session, &prompt)?;
        self.has_marked("taken up again", before)
    }

    /// Resumed once more, the session has them in its context and gets nothing.
    fn is_not_given_twice(&mut self, session: &str, given: usize) -> anyhow::Result<()> {
        let before = self.workspace.model.requests().count()?;
        let prompt = self.workspace.prompt(self.agent, IDLE, &[]);
        self.agent.resume(&self.workspace, session, &prompt)?;
        let after = self.has_marked("taken up once more", before)?;
        self.expect(after == given, || format!("taken up once more it got {after} lines, not {given}"));
        Ok(())
    }

    /// A new session gets the files that the last one marked.
    fn is_given_to_next_session(&mut self) -> anyhow::Result<()> {
        let before = self.workspace.model.requests().count()?;
        let prompt = self.workspace.prompt(self.agent, IDLE, &[]);
        self.agent.once(&self.workspace, &prompt)?;
        self.has_marked("a new session", before).map(drop)
    }

    /// Every request since then has the existing file and the number of missing ones, once; returns
    /// how many lines from Nudge the last request has.
    fn has_marked(&mut self, who: &str, before: usize) -> anyhow::Result<usize> {
        let requests = self.workspace.model.requests().since(before)?;
        self.expect(!requests.is_empty(), || format!("{who}: the model was not asked"));
        let file = format!("- {}", self.workspace.file("cart.py").display());
        let wanted = ["Relevant files:", file.as_str(), "(1 file not found)"];
        let mut count = 0;
        for request in &requests {
            let lines = lines(Some(request))?;
            for text in wanted {
                let found = lines.iter().filter(|line| line.as_str() == text).count();
                self.expect(found == 1, || format!("{who}: {found} times {text:?} in {lines:?}"));
            }
            let names_it = lines.iter().any(|line| line.contains(MISSING_FILE));
            self.expect(!names_it, || format!("{who}: a file that is not there is named: {lines:?}"));
            count = lines.len();
        }
        Ok(count)
    }
}

/// Every line from Nudge in a request.
fn lines(request: Option<&Request>) -> anyhow::Result<Vec<String>> {
    let Some(request) = request else { return Ok(Vec::new()) };
    let blocks = injected(request).map_err(|why| anyhow::anyhow!(why))?;
    Ok(blocks.iter().flat_map(|block| block.inside.lines().map(str::to_owned)).collect())
}

/// A call of a Nudge tool, under Claude Code's name for it.
fn ours(name: &str, args: &Value) -> Value {
    json!({"tool": format!("^mcp__nudge__{name}$"), "args": args})
}

fn belief() -> Value {
    json!({
        "domain": "debugging",
        "strategy": "read-the-error",
        "goal": "the cart adds up",
        "hypothesis": BELIEF,
        "action": "sum all prices in cart.py",
        "prediction": format!("{TEST_COMMAND} passes"),
    })
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| text.contains(word))
}

// Real pytest, from PyPI, in its own directory.

/// The version that the tests run.
const PYTEST: &str = "pytest==9.2.0";

pub(super) fn program() -> anyhow::Result<PathBuf> {
    Ok(environment()?.join("bin/pytest"))
}

/// The virtual environment with pytest.
pub(super) fn environment() -> anyhow::Result<PathBuf> {
    let dir = repository::root().join("target/agents/pytest");
    if !dir.join("bin/pytest").is_file() {
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(&dir)
            .status()
            .context("python3 cannot be run")?;
        anyhow::ensure!(made.success(), "a virtual environment cannot be made");
        let pip = Command::new(dir.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check", PYTEST])
            .status()?;
        anyhow::ensure!(pip.success(), "{PYTEST} cannot be installed");
    }
    Ok(dir)
}
