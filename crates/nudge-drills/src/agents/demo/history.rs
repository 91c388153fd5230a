//! Transcripts that two agents wrote before Nudge was installed: three sessions of the last days,
//! in the agents' own formats.
//!
//! In each session the tests fail because a module is missing and pass after the set-up, the same
//! two files are changed, and the user repeats the same request.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use nudge_core::Timestamp;
use serde_json::{Value, json};

use super::shop;

/// The versions that use these formats.
const CLAUDE: &str = "2.1.325";
const CODEX: &str = "0.166.0";

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

/// One action.
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
        let mut deeds = vec![PastAction::Asked(task)];
        if ASKED_FOR_A_REPORT.contains(&number) {
            deeds.push(PastAction::Ran(shop::NO_SUCH_OPTION, REFUSED, 2));
            deeds.push(PastAction::Ran(shop::REPORT, "12 orders since 2026-11-01", 0));
        }
        deeds.extend([
            PastAction::Ran(shop::TESTS, FAILED, 1),
            PastAction::Ran(shop::SET_UP, "", 0),
            PastAction::Ran(shop::TESTS, PASSED, 0),
            PastAction::Changed("cart.py", "# the cart", &mark),
            PastAction::Asked(REPEATED_REQUEST),
            PastAction::Changed("CHANGELOG.md", "# Changes", &note),
            PastAction::Ran(&commit, "", 0),
            PastAction::Answered("Done, and noted in the changelog."),
        ]);
        let script = Script { id: &id, project, began };
        let (path, text) = match writer {
            Writer::Claude => script.claude_transcript(&deeds),
            Writer::Codex => script.codex_transcript(&deeds),
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

    fn claude_transcript(&self, deeds: &[PastAction<'_>]) -> (String, String) {
        let mut lines = Vec::new();
        for (number, deed) in deeds.iter().enumerate() {
            let call = format!("toolu_{}{number:02}", &self.id[35..]);
            let uses = |name: &str, input: Value| json!({"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": name, "input": input}]});
            let result = |text: &str, bad: bool| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": bad}]});
            match deed {
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
                "entrypoint": "cli", "cwd": self.project, "sessionId": self.id, "version": CLAUDE,
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

    fn codex_transcript(&self, deeds: &[PastAction<'_>]) -> (String, String) {
        let mut text = String::new();
        let mut line = |number: usize, kind: &str, payload: Value| {
            let _ =
                writeln!(text, "{}", json!({"timestamp": self.at(number), "type": kind, "payload": payload}));
        };
        let meta = json!({"id": self.id, "session_id": self.id, "timestamp": self.at(0), "cwd": self.project,
            "originator": "codex_cli", "cli_version": CODEX, "source": "cli"});
        line(0, "session_meta", meta);
        for (number, deed) in deeds.iter().enumerate() {
            let call = format!("call_{}{number:02}", &self.id[35..]);
            let item = match deed {
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
