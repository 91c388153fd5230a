//! The steps of the demo, each with its expected result.

use std::time::{Duration, SystemTime};

use anyhow::Context;
use nudge_core::Timestamp;
use serde_json::{Value, json};

use super::super::agent::{self, Agent, Step, Workspace};
use super::super::claude::Claude;
use super::super::codex::Codex;
use super::super::injected::{InjectedEntry, around, injected};
use super::super::installed::{Files, HomeSnapshots, snapshot};
use super::super::stated::{Attended, say};
use super::history;
use super::recording::{Recording, Scene};

/// A lasting rule that the user states to Claude Code.
const RULE: &str = "we keep prices as integers in cents here, never as floats";

/// The user's request, and the request to the other agent to continue.
const GOAL: &str =
    "the total of the cart is too small when there are two prices in it, find out why and fix it";

const GO_ON: &str = "go on, and run the tests when that is done";

const CONTINUE: &str = "continue";

/// The agent's hypothesis, and why it was wrong.
const BELIEF: &str = "rounding loses the cents of the total";

const CAUSE: &str = "nothing is rounded; the sum leaves out the first price";

/// The error in the history.
const ERROR: &str = "ModuleNotFoundError: No module named 'pricekit'";

/// Lets Nudge inject into headless sessions.
const INJECT_HEADLESS: &str = "inject.headless = true";

pub(super) struct Story<'a> {
    pub(super) workspace: Workspace,
    pub(super) claude: &'a Claude,
    pub(super) codex: &'a Codex,
    pub(super) recording: Recording,
    pub(super) violations: Vec<String>,
}

impl Story<'_> {
    /// Runs all steps; returns what went wrong.
    pub(super) fn play(mut self) -> anyhow::Result<Vec<String>> {
        let fresh = self.prepare()?;
        self.install()?;
        let installed = snapshot(self.workspace.home.path())?;
        self.fix()?;
        self.warned()?;
        self.rule()?;
        self.compacted()?;
        self.continued()?;
        self.why()?;
        self.uninstall(fresh, installed)?;
        let Self { recording, mut violations, .. } = self;
        violations.extend(recording.end()?);
        Ok(violations)
    }

    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(otherwise());
        }
    }

    /// Checks that a text contains all of these words.
    fn expect_words(&mut self, what: &str, text: &str, words: &[&str]) {
        for word in words {
            self.expect(text.contains(word), || format!("{what}: no {word:?} in {text:?}"));
        }
    }

    /// Runs a command as the user; returns what they see.
    fn typed(&self, args: &[&str]) -> anyhow::Result<String> {
        Ok(self.recording.clean(&history::run_as_user(&self.workspace, args)?))
    }

    /// The blocks injected into the model's requests since then, each once.
    fn injected_since(&self, before: usize) -> anyhow::Result<Vec<InjectedEntry>> {
        let mut blocks: Vec<InjectedEntry> = Vec::new();
        for request in self.workspace.model.requests().since(before)? {
            for mut block in injected(&request).map_err(|why| anyhow::anyhow!(why))? {
                if blocks.iter().all(|known| known.id != block.id) {
                    block.inside = self.recording.clean(&block.inside);
                    blocks.push(block);
                }
            }
        }
        Ok(blocks)
    }

    /// Prepares a home in which both agents have worked; returns its files.
    fn prepare(&self) -> anyhow::Result<Files> {
        history::open(&self.workspace)?;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        let now = Timestamp::from_millis(i64::try_from(since.as_millis())?);
        history::write(self.workspace.home.path(), &self.workspace.project, now)?;
        self.codex.connect(&self.workspace)?;
        self.claude.settle(&self.workspace)?;
        self.codex.settle(&self.workspace)?;
        self.workspace.configure(INJECT_HEADLESS)?;
        // The scripted agents call only tools that are listed.
        self.workspace.configure("profile = \"work\"")?;
        snapshot(self.workspace.home.path())
    }

    fn install(&mut self) -> anyhow::Result<()> {
        let output = self.typed(&["install", "--yes", "--import"])?;
        self.expect_words(
            "install",
            &output,
            &["Claude Code", "Codex", "imported", "from 3 sessions", "CHANGELOG.md and cart.py"],
        );
        self.expect_words("install", &output, &[history::REPEATED_REQUEST, history::TESTS, history::SET_UP]);
        let (done, found) = output.split_once("\n\n\u{1b}[32m✔").unwrap_or((&output, ""));
        self.recording.show(
            Scene::about("Both agents get hooks and the MCP server, and what they wrote down is read.")
                .typed("nudge install --yes --import")
                .printed(done, 26, 0),
        );
        self.recording.show(Scene::about("The last 30 days of both agents: what is in them?").printed(
            &format!("\u{1b}[32m✔{found}"),
            28,
            0,
        ));
        Ok(())
    }

    fn fix(&mut self) -> anyhow::Result<()> {
        let output = self.typed(&["fix", ERROR])?;
        self.expect_words("fix", &output, &["pricekit", history::SET_UP]);
        self.recording.show(
            Scene::about("An error that came before: what helped?")
                .typed(&format!("nudge fix \"{ERROR}\""))
                .printed(&output, 26, 2),
        );
        Ok(())
    }

    /// The model sees the earlier fix before the command runs.
    fn warned(&mut self) -> anyhow::Result<()> {
        let before = self.workspace.model.requests().count()?;
        let steps = [Step::Run(history::NO_SUCH_OPTION), Step::Run(history::REPORT)];
        let words = "how many orders did we have since the first of this month, all in all";
        self.claude.once(&self.workspace, &self.workspace.prompt(self.claude, words, &steps))?;
        let blocks = self.injected_since(before)?;
        let telling = ["failed here", "unrecognized arguments: --month", history::REPORT];
        let line = blocks.iter().find(|block| telling.iter().all(|word| block.inside.contains(word)));
        let line = line.map(|block| block.inside.clone());
        self.expect(line.is_some(), || format!("nothing before the command that failed before: {blocks:?}"));
        self.recording.show(
            Scene::about("Claude Code runs what failed before, and its model hears what helped.")
                .typed(&format!("claude \"{words}\""))
                .label("claude", &format!("runs  {}", history::NO_SUCH_OPTION))
                .label("nudge", "tells the model, from the hook before that command:")
                .given(&line.unwrap_or_default(), 12, &["failed here"])
                .label("claude", &format!("runs  {}", history::REPORT)),
        );
        Ok(())
    }

    /// A rule that was stated to one agent and accepted is given to the other.
    fn rule(&mut self) -> anyhow::Result<()> {
        say(self.claude, &self.workspace, RULE)?;
        let waiting: Value =
            serde_json::from_str(&history::run_as_user(&self.workspace, &["review", "--list", "--json"])?)?;
        let all = waiting["proposals"].as_array().cloned().unwrap_or_default();
        let id = all.iter().find(|one| one["text"] == RULE).and_then(|one| one["id"].as_i64());
        let id = id.with_context(|| format!("the rule is not proposed: {waiting}"))?.to_string();
        let accepted = self.typed(&["review", "accept", &id])?;
        let before = self.workspace.model.requests().count()?;
        let words = "add a price to the catalogue";
        say(self.codex, &self.workspace, words)?;
        let blocks = self.injected_since(before)?;
        let is_stated = |block: &&InjectedEntry| {
            let stated = block.inside.split_once("## Stated by the person\n").map(|(_, rest)| rest);
            stated.is_some_and(|rest| rest.split("\n## ").next().is_some_and(|part| part.contains(RULE)))
        };
        let given = blocks.iter().find(is_stated).map(|block| block.inside.clone());
        self.expect(given.is_some(), || format!("the rule did not reach Codex: {blocks:?}"));
        self.recording.show(
            Scene::about("A rule, said once to Claude Code and accepted, holds for Codex.")
                .typed(&format!("claude \"{RULE}\""))
                .typed(&format!("nudge review accept {id}"))
                .printed(&accepted, 6, 0)
                .typed(&format!("codex \"{words}\""))
                .label("nudge", "tells the model, at the start of the session:")
                .given(&given.unwrap_or_default(), 22, &[RULE]),
        );
        Ok(())
    }

    /// The context is compacted, and the work continues in the same file.
    fn compacted(&mut self) -> anyhow::Result<()> {
        let cart = self.workspace.file("cart.py");
        let read = || json!({"tool": "^Read$", "args": {"file_path": cart}});
        let step = |step| self.claude.call(step, &self.workspace);
        let calls = [
            read(),
            nudge_tool_call("start_ghap", &belief()),
            step(Step::Edit("cart.py", history::SUSPECT, history::TRIED)),
            step(Step::Run(history::SET_UP)),
            step(Step::Run(history::TESTS)),
            nudge_tool_call("resolve_ghap", &refuted()),
            step(Step::Edit("cart.py", history::TRIED, history::SUSPECT)),
        ];
        let mends = [
            read(),
            step(Step::Edit("cart.py", history::WRONG, history::RIGHT)),
            step(Step::Run(history::TESTS)),
        ];
        let mut talk = self.claude.open(&self.workspace)?;
        talk.ask(&agent::prompt(GOAL, &calls))?;
        let heard = self.workspace.model.requests().since(0)?;
        let failed =
            heard.last().is_some_and(|request| around(request).contains("AssertionError: the total is 2"));
        self.expect(failed, || "the tests did not fail for the wrong total".to_owned());
        talk.compact()?;
        let before = self.workspace.model.requests().count()?;
        talk.ask(&agent::prompt(GO_ON, &mends))?;
        talk.close()?;
        let requests = self.workspace.model.requests().since(before)?;
        let blocks = self.injected_since(before)?;
        let names_it = |block: &&InjectedEntry| {
            ["This session before its context was emptied", "was changing cart.py"]
                .iter()
                .all(|words| block.inside.contains(words))
        };
        let given = blocks.iter().find(names_it).map(|block| block.inside.clone());
        self.expect(given.is_some(), || format!("after the compaction cart.py is not named: {blocks:?}"));
        let forgot = requests.first().is_some_and(|request| !around(request).contains(GOAL));
        self.expect(forgot, || "the agent did not forget what it was asked for".to_owned());
        let passed = requests.last().is_some_and(|request| around(request).contains("1 passed"));
        self.expect(passed, || "the tests do not pass in the end".to_owned());
        let now = std::fs::read_to_string(&cart)?;
        self.expect(now.contains(history::RIGHT) && now.contains(history::SUSPECT), || {
            format!("the work did not go on in cart.py: {now}")
        });
        self.recording.show(
            Scene::about(
                "The context is full. What counts comes back, and the work goes on in the same file.",
            )
            .typed(&format!("claude \"{GOAL}\""))
            .label("claude", &format!("believes: {BELIEF}; edits cart.py"))
            .label("claude", "runs the tests: the total is 2, not 3; the hypothesis is refuted")
            .label("claude", "/compact")
            .label("nudge", "tells the model, after the compaction:")
            .given(&given.unwrap_or_default(), 20, &[GOAL, "cart.py", BELIEF])
            .label("claude", &format!("edits cart.py: {}; runs the tests: 1 passed", history::RIGHT.trim())),
        );
        Ok(())
    }

    /// The other agent takes over, and knows the goal, the place in the code, and what is ruled
    /// out.
    fn continued(&mut self) -> anyhow::Result<()> {
        let before = self.workspace.model.requests().count()?;
        say(self.codex, &self.workspace, CONTINUE)?;
        let blocks = self.injected_since(before)?;
        let given = blocks.first().map(|block| block.inside.clone()).unwrap_or_default();
        self.expect_words("Codex goes on", &given, &[GOAL, "cart.py", BELIEF, CAUSE]);
        self.recording.show(
            Scene::about("Codex takes over: it knows the goal, the files and what was ruled out.")
                .typed(&format!("codex \"{CONTINUE}\""))
                .label("nudge", "tells the model, at the start of the session:")
                .given(&given, 26, &[GOAL, "cart.py", BELIEF]),
        );
        Ok(())
    }

    fn why(&mut self) -> anyhow::Result<()> {
        let output = self.typed(&["why"])?;
        self.expect_words("why", &output, &["tokens", "cart.py", "the user stated it", "left out"]);
        let (injected, left) = output.split_once("left out").unwrap_or((&output, ""));
        self.recording.show(
            Scene::about("Every line, with its reason and its price, and what was left out.")
                .typed("nudge why")
                .printed(injected, 21, 1)
                .printed(&format!("left out{left}"), 7, 0),
        );
        Ok(())
    }

    /// Everything is as it was, except for the agents' own changes.
    fn uninstall(&mut self, fresh: Files, installed: Files) -> anyhow::Result<()> {
        let left = self.workspace.home.wait_until_empty(Duration::from_secs(20));
        self.expect(left.is_empty(), || format!("processes left behind: {left:?}"));
        let home = self.workspace.home.path().to_owned();
        let used = snapshot(&home)?;
        let output = self.typed(&["uninstall", "--yes", "--purge"])?;
        let uninstalled = snapshot(&home)?;
        let captured_events = HomeSnapshots { fresh, installed, used, uninstalled };
        let restored = check(captured_events);
        self.violations.extend(restored.violations);
        let memory = self.workspace.home.memory();
        self.expect(!memory.exists(), || format!("{} is still there", memory.display()));
        self.recording.show(
            Scene::about("All of it goes. What nobody else changed is as it was, byte for byte.")
                .typed("nudge uninstall --yes --purge")
                .printed(&output, 20, 4)
                .space()
                .given(&restored.summary, 8, &[]),
        );
        Ok(())
    }
}

/// A call of a Nudge tool, under Claude Code's name for it.
fn nudge_tool_call(name: &str, args: &Value) -> Value {
    json!({"tool": format!("^mcp__nudge__{name}$"), "args": args})
}

fn belief() -> Value {
    json!({"domain": "debugging", "strategy": "read-the-error", "goal": GOAL, "hypothesis": BELIEF,
        "action": "round the total in cart.py", "prediction": format!("{} passes", history::TESTS)})
}

fn refuted() -> Value {
    json!({"status": "falsified", "result": "the total is 2, not 3", "surprise": "the total is the second price alone",
        "root_cause": {"category": "wrong-assumption", "description": CAUSE}})
}

// Checks that every file is as it was before Nudge, except for the agents' own changes since then.

/// The file that Codex writes its own settings to.
const SETTINGS: &str = ".codex/config.toml";

/// The result of the check.
struct Restored {
    pub(super) violations: Vec<String>,
    /// The summary for the viewer.
    pub(super) summary: String,
}

/// Compares the home before Nudge, after `install`, after use, and after `uninstall`.
fn check(mut captured_events: HomeSnapshots) -> Restored {
    let summary = summary(&captured_events.fresh, &captured_events.uninstalled);
    if captured_events.installed.get(SETTINGS) == captured_events.used.get(SETTINGS) {
        return Restored { violations: captured_events.violations(), summary };
    }
    let all = [
        &mut captured_events.fresh,
        &mut captured_events.installed,
        &mut captured_events.used,
        &mut captured_events.uninstalled,
    ];
    let read = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let settings = all.map(|files| files.remove(SETTINGS).map(read));
    let mut violations = captured_events.violations();
    match settings {
        [Some(fresh), Some(installed), Some(used), Some(left)] => {
            let ours = lines(&installed).into_iter().filter(|line| !lines(&fresh).contains(line));
            let ours: Vec<&str> = ours.collect();
            let wanted: Vec<&str> = lines(&used).into_iter().filter(|line| !ours.contains(line)).collect();
            if ours.is_empty() || lines(&left) != wanted {
                violations.push(format!("{SETTINGS} differs in more than our server: {left}"));
            }
        }
        _ => violations.push(format!("{SETTINGS} is missing")),
    }
    Restored { violations, summary }
}

/// The lines that are not empty.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

fn summary(fresh: &Files, after: &Files) -> String {
    let hash = |files: &Files, name: &str| files.get(name).map(|bytes| blake3::hash(bytes));
    let (same, other): (Vec<&String>, Vec<&String>) =
        fresh.keys().partition(|name| hash(fresh, name) == hash(after, name));
    let other: Vec<String> = other.into_iter().map(|name| format!("~/{name}")).collect();
    let mut summary =
        format!("{} of {} files have the hash that they had before the install", same.len(), fresh.len());
    if !other.is_empty() {
        summary.push_str(&format!("; the agents wrote into {}", other.join(" and ")));
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_settings(texts: [&str; 4]) -> Vec<String> {
        let [fresh, installed, used, uninstalled] =
            texts.map(|text| Files::from([(SETTINGS.to_owned(), text.as_bytes().to_vec())]));
        check(HomeSnapshots { fresh, installed, used, uninstalled }).violations
    }

    #[test]
    fn only_what_is_ours_may_be_missing() {
        let (with, used) = ("a = 1\n\n[nudge]\nb = 2\n", "a = 1\n\n[nudge]\nb = 2\n\n[own]\nc = 3\n");
        assert!(check_settings(["a = 1\n", with, used, "a = 1\n\n[own]\nc = 3\n"]).is_empty());
        assert_eq!(check_settings(["a = 1\n", with, used, "a = 1\n"]).len(), 1);
        assert_eq!(check_settings(["a = 1\n", with, used, used]).len(), 1);
        assert_eq!(check_settings(["a = 1\n", with, with, "\na = 1\n"]).len(), 1, "not the same bytes");
    }
}
