//! Transcripts that two agents wrote before Nudge was installed: three sessions of the last days,
//! in the agents' own formats.
//!
//! In each session the tests fail because a module is missing and pass after the set-up, the same
//! two files are changed, and the user repeats the same request.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use nudge_core::Timestamp;
use serde_json::{Value, json};

use super::super::agent::Workspace;
use super::super::terminal::Terminal;
use super::screen::COLUMNS;

/// The versions that use these formats.
const CLAUDE_VERSION: &str = "2.1.325";

const CODEX_VERSION: &str = "0.166.0";

/// The user's request in every session.
pub(super) const REPEATED_REQUEST: &str = "update CHANGELOG.md with every change of the cart";

/// The subject of each session, how many days ago it was, and the agent.
const SESSIONS: [(&str, u64, Writer); 3] = [
    ("let the cart hold gift cards", 5, Writer::Claude),
    ("show the shipping costs in the cart", 3, Writer::Codex),
    ("round the tax of the cart per line", 2, Writer::Claude),
];

/// The sessions that tried a report with a wrong option: too few for it to be injected at every
/// start.
const ASKED_FOR_A_REPORT: [usize; 2] = [0, 1];

/// The output of the tests when they failed, and when they passed.
const FAILED: &str = "Traceback (most recent call last):\n  File \"test_cart.py\", line 1, in <module>\n    import cart\n  File \"cart.py\", line 1, in <module>\n    import pricekit\nModuleNotFoundError: No module named 'pricekit'";

const PASSED: &str = "1 passed";

/// The output of the report for an option that it does not have.
const REFUSED: &str =
    "usage: report.py [-h] [--since SINCE]\nreport.py: error: unrecognized arguments: --month 11";

#[derive(Copy, Clone)]
enum Writer {
    Claude,
    Codex,
}

enum PastAction<'a> {
    Asked(&'a str),
    /// A command, its output and its exit status.
    Ran(&'a str, &'a str, i32),
    /// A file, the old line and the new one.
    Changed(&'a str, &'a str, &'a str),
    Answered(&'a str),
}

/// Writes the transcripts where the agents would have.
pub(super) fn write(home: &Path, project: &Path, now: Timestamp) -> anyhow::Result<()> {
    for (number, (task, days, writer)) in SESSIONS.iter().enumerate() {
        let began = now.minus(Duration::from_secs((days * 24 + 1) * 60 * 60));
        let id = format!("5e550000-0000-4000-8000-00000000000{number}");
        let note = format!("- {task}");
        let mark = format!("# {task}");
        let commit = format!("git commit -qam '{task}'");
        let mut actions = vec![PastAction::Asked(task)];
        if ASKED_FOR_A_REPORT.contains(&number) {
            actions.push(PastAction::Ran(NO_SUCH_OPTION, REFUSED, 2));
            actions.push(PastAction::Ran(REPORT, "12 orders since 2026-11-01", 0));
        }
        actions.extend([
            PastAction::Ran(TESTS, FAILED, 1),
            PastAction::Ran(SET_UP, "", 0),
            PastAction::Ran(TESTS, PASSED, 0),
            PastAction::Changed("cart.py", "# the cart", &mark),
            PastAction::Asked(REPEATED_REQUEST),
            PastAction::Changed("CHANGELOG.md", "# Changes", &note),
            PastAction::Ran(&commit, "", 0),
            PastAction::Answered("Done, and noted in the changelog."),
        ]);
        let script = Script { id: &id, project, began };
        let (path, text) = match writer {
            Writer::Claude => script.claude_transcript(&actions),
            Writer::Codex => script.codex_transcript(&actions),
        };
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().context("a transcript lies in a folder")?)?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

struct Script<'a> {
    id: &'a str,
    project: &'a Path,
    began: Timestamp,
}

impl Script<'_> {
    /// Actions are twenty seconds apart.
    fn at(&self, number: usize) -> String {
        let seconds = u64::try_from(number).unwrap_or_default() * 20;
        self.began.plus(Duration::from_secs(seconds)).to_string()
    }

    fn claude_transcript(&self, actions: &[PastAction<'_>]) -> (String, String) {
        let mut lines = Vec::new();
        for (number, action) in actions.iter().enumerate() {
            let call = format!("toolu_{}{number:02}", &self.id[35..]);
            let uses = |name: &str, input: Value| json!({"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name, "input": input}]});
            let result = |text: &str, bad: bool| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": bad}]});
            match action {
                PastAction::Asked(text) => {
                    lines.push((number, "user", json!({"role": "user", "content": text}), None))
                }
                PastAction::Answered(text) => {
                    let said = json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
                    lines.push((number, "assistant", said, None));
                }
                PastAction::Ran(command, output, exit) => {
                    lines.push((number, "assistant", uses("Bash", json!({"command": command})), None));
                    let (said, injected) = if *exit == 0 {
                        ((*output).to_owned(), json!({"stdout": output, "stderr": "", "interrupted": false}))
                    } else {
                        let said = format!("Exit code {exit}\n{output}");
                        (said.clone(), json!(format!("Error: {said}")))
                    };
                    lines.push((number, "user", result(&said, *exit != 0), Some(injected)));
                }
                PastAction::Changed(file, old, new) => {
                    let path = self.project.join(file);
                    let input = json!({"file_path": path, "old_string": old, "new_string": new});
                    lines.push((number, "assistant", uses("Edit", input.clone()), None));
                    let injected =
                        json!({"filePath": path, "oldString": old, "newString": new, "structuredPatch": []});
                    lines.push((number, "user", result("The file has been updated.", false), Some(injected)));
                }
            }
        }
        let mut text = String::new();
        for (number, (at, kind, message, injected)) in lines.into_iter().enumerate() {
            let mut line = json!({
                "type": kind, "uuid": format!("{}-{number}", self.id), "isSidechain": false, "userType": "external",
                "entrypoint": "cli", "cwd": self.project, "sessionId": self.id, "version": CLAUDE_VERSION,
                "gitBranch": "main", "timestamp": self.at(at), "message": message,
            });
            if let Some(injected) = injected {
                line["toolUseResult"] = injected;
            }
            let _ = writeln!(text, "{line}");
        }
        let slug: String = self
            .project
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        (format!(".claude/projects/{slug}/{}.jsonl", self.id), text)
    }

    fn codex_transcript(&self, actions: &[PastAction<'_>]) -> (String, String) {
        let mut text = String::new();
        let mut line = |number: usize, kind: &str, payload: Value| {
            let _ =
                writeln!(text, "{}", json!({"timestamp": self.at(number), "type": kind, "payload": payload}));
        };
        let meta = json!({"id": self.id, "session_id": self.id, "timestamp": self.at(0), "cwd": self.project,
            "originator": "codex_cli", "cli_version": CODEX_VERSION, "source": "cli"});
        line(0, "session_meta", meta);
        for (number, action) in actions.iter().enumerate() {
            let call = format!("call_{}{number:02}", &self.id[35..]);
            let item = match action {
                PastAction::Asked(text) => {
                    json!({"type": "UserMessage", "id": call, "content": [{"type": "text", "text": text}]})
                }
                PastAction::Answered(text) => {
                    json!({"type": "AgentMessage", "id": call, "content": [{"type": "Text", "text": text}]})
                }
                PastAction::Ran(command, output, exit) => {
                    json!({"type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", command],
                    "status": if *exit == 0 { "completed" } else { "failed" }, "aggregated_output": output, "exit_code": exit})
                }
                PastAction::Changed(file, old, new) => {
                    let path = self.project.join(file).to_string_lossy().into_owned();
                    let diff = format!("@@ -1,1 +1,1 @@\n-{old}\n+{new}\n");
                    json!({"type": "FileChange", "id": call, "status": "completed",
                        "changes": {path: {"type": "update", "unified_diff": diff}}})
                }
            };
            line(number, "event_msg", json!({"type": "item_completed", "thread_id": self.id, "item": item}));
        }
        let (date, stamp) = (self.at(0)[..10].replace('-', "/"), self.at(0)[..19].replace(':', "-"));
        (format!(".codex/sessions/{date}/rollout-{stamp}-{}.jsonl", self.id), text)
    }
}

// The project of the demo: a cart that omits a price, a module that must be set up first, and a
// report.

/// The test command, and the command that must come before it.
pub(super) const TESTS: &str = "python3 test_cart.py";

pub(super) const SET_UP: &str = "sh setup.sh";

/// A report with an option that does not exist, and with one that does.
pub(super) const NO_SUCH_OPTION: &str = "python3 report.py --month 11";

pub(super) const REPORT: &str = "python3 report.py --since 2026-11-01";

/// The two lines that are changed: one that was wrongly suspected, and the one with the bug.
pub(super) const SUSPECT: &str = "    return pricekit.cents(amount)";

pub(super) const TRIED: &str = "    return round(pricekit.cents(amount))";

pub(super) const WRONG: &str = "    amount = sum(prices[1:])";

pub(super) const RIGHT: &str = "    amount = sum(prices)";

const CHANGES: &str = "# Changes\n\n- nothing since 1.4\n";

const TEST: &str = "import cart\n\ntotal = cart.total([1, 2])\nassert total == 3, f\"the total is {total}, not 3\"\nprint(\"1 passed\")\n";

const SETUP: &str = "printf 'def cents(amount):\\n    return amount\\n' > pricekit.py\n";

const REPORTS: &str = "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument(\"--since\")\nprint(\"12 orders since\", parser.parse_args().since)\n";

/// Writes the files and commits them.
pub(super) fn open(workspace: &Workspace) -> anyhow::Result<()> {
    let cart = format!("import pricekit\n\n\ndef total(prices):\n{WRONG}\n{SUSPECT}\n");
    let files = [
        ("cart.py", cart.as_str()),
        ("test_cart.py", TEST),
        ("setup.sh", SETUP),
        ("report.py", REPORTS),
        ("CHANGELOG.md", CHANGES),
        (".gitignore", "__pycache__/\npricekit.py\n"),
    ];
    for (name, text) in files {
        std::fs::write(workspace.file(name), text)?;
    }
    std::fs::remove_file(workspace.file("greeting.txt"))?;
    for args in [&["branch", "-m", "main"][..], &["add", "-A"], &["commit", "-qm", "a cart"]] {
        let status = Command::new("git").args(args).current_dir(&workspace.project).status()?;
        anyhow::ensure!(status.success(), "git {args:?} failed: {status}");
    }
    Ok(())
}

// Commands that the user types in their own terminal, and what they see.

/// Puts programs on the path of the user's shell, next to the project.
pub(super) fn add_to_path(workspace: &Workspace, programs: &[PathBuf]) -> anyhow::Result<()> {
    std::fs::create_dir(bin(workspace)?)?;
    for program in programs {
        let name = program.file_name().context("a program has a name")?;
        std::os::unix::fs::symlink(program, bin(workspace)?.join(name))?;
    }
    Ok(())
}

fn bin(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    Ok(workspace.project.parent().context("a project lies in a folder")?.join("bin"))
}

/// What Nudge prints to the user in the project, with its colours. Fails if the command fails.
///
/// This program may itself be run by an agent, which may not decide; in a separate terminal Nudge
/// does not see that agent.
pub(super) fn run_as_user(workspace: &Workspace, args: &[&str]) -> anyhow::Result<String> {
    let dir = tempfile::Builder::new().prefix("nudge-typed-").tempdir()?;
    let nudge = workspace.home.nudge(&["--color", "always"]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("\"$@\" >\"$0/out\" 2>&1; echo $? >\"$0/status\"").arg(dir.path());
    shell.arg(nudge.get_program()).args(nudge.get_args()).args(args);
    shell.current_dir(&workspace.project).env_clear();
    for (name, value) in nudge.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    let mut places = vec![bin(workspace)?];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    shell.env("PATH", std::env::join_paths(places)?);
    shell.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env("COLUMNS", COLUMNS.to_string());
    Terminal::start(&shell)?.wait_for_end()?;
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).context("nothing was run");
    let said = read("out")?;
    anyhow::ensure!(read("status")?.trim() == "0", "nudge {} failed: {said}", args.join(" "));
    Ok(said)
}
