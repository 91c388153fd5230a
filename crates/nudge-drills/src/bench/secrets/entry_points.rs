//! Each entry point alone: how many credentials it catches, and how many innocent texts it changes.
//!
//! Every text goes through every entry point of the real binary, each in its own home, so that
//! anything found in its tables and files came through that entry point. A credential is caught if
//! nothing of it is left; an innocent text is changed if its entry reports a removal, or if it is
//! rejected.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use super::case::{Case, Part};
use super::case::{Needles, is_input};
use super::way::{AT_ONCE, each, fire};
use crate::stage::{Home, Programs};

nudge_core::named_enum! {
    /// A way for a text to get into the store.
    pub(super) enum EntryPoint {
        Prompt => "prompt",
        Command => "command",
        Output => "output",
        Edit => "edit",
        Write => "write",
        Mcp => "mcp arguments",
        Set => "set",
        Import => "import of transcripts",
        Hints => "import of hints",
    }
}

impl EntryPoint {
    /// Whether this entry point rejects a credential; the others replace it.
    const fn refuses(self) -> bool {
        matches!(self, Self::Set | Self::Hints)
    }
}

/// Hints in one import: no more than the import lists when it rejects them.
const HINTS_AT_ONCE: usize = 50;

/// The results of one entry point, by the numbers of the cases.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) entry_point: EntryPoint,
    pub(super) leaked: BTreeSet<usize>,
    pub(super) changed: BTreeSet<usize>,
}

/// Sends all cases through one entry point of a new home, and checks what is left there.
pub(super) fn pass(
    entry_point: EntryPoint,
    home: &Home,
    programs: &Programs,
    cases: &[Case],
    needles: &Needles,
) -> anyhow::Result<Passage> {
    std::fs::create_dir_all(home.path().join("project/.git"))?;
    home.run(&["set", "bench", "first", "cargo build"])?;
    let mut passage = Passage { entry_point, leaked: BTreeSet::new(), changed: BTreeSet::new() };
    if entry_point.refuses() {
        let refused = if entry_point == EntryPoint::Set {
            super::way::stated(home, cases)?
        } else {
            hints(home, cases)?
        };
        for (number, (case, refused)) in cases.iter().zip(refused).enumerate() {
            match (case.is_look_alike(), refused) {
                (false, false) => drop(passage.leaked.insert(number)),
                (true, true) => drop(passage.changed.insert(number)),
                _ => {}
            }
        }
    } else {
        if entry_point == EntryPoint::Import {
            import(home, cases)?
        } else {
            hooks(entry_point, home, cases)?
        }
        passage.changed = changed(home, programs, cases)?;
    }
    passage.leaked.extend(left(home, programs, needles)?);
    Ok(passage)
}

fn session(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

fn hooks(entry_point: EntryPoint, home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    std::fs::create_dir_all(home.path().join("transcripts"))?;
    each(cases, AT_ONCE, |number, case| {
        let session = Session { id: session(number), home: home.path() };
        let payload = session.through(entry_point, case).context("a hook has a payload")?;
        fire(home, &["hook", "claude"], &payload, true).with_context(|| case.id.clone())
    })?;
    Ok(())
}

fn import(home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    let place = home.path().join("transcripts/-project");
    std::fs::create_dir_all(&place)?;
    for (number, case) in cases.iter().enumerate() {
        let session = session(number);
        let lines = transcript_lines(case, &session, &home.path().join("project"), number);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(place.join(format!("{session}.jsonl")), text)?;
    }
    home.run(&["import", "claude", &place.to_string_lossy()])?;
    Ok(())
}

/// Imports the texts as hints; returns which were rejected.
fn hints(home: &Home, cases: &[Case]) -> anyhow::Result<Vec<bool>> {
    let numbers: Vec<usize> = (0..cases.len()).collect();
    let mut refused = vec![false; cases.len()];
    for part in numbers.chunks(HINTS_AT_ONCE) {
        let mut part = part.to_vec();
        loop {
            let faults = import_hints(home, cases, &part)?;
            let other: Vec<usize> = faults.iter().filter(|(_, secret)| !secret).map(|(n, _)| *n).collect();
            if other.is_empty() {
                faults.into_iter().for_each(|(number, _)| refused[number] = true);
                break;
            }
            // Too long for a hint: no credential is stored either.
            other.iter().for_each(|number| refused[*number] = !cases[*number].is_look_alike());
            part.retain(|number| !other.contains(number));
        }
    }
    Ok(refused)
}

/// Imports these texts; returns the numbers of the rejected ones, and whether a credential was the
/// reason.
fn import_hints(home: &Home, cases: &[Case], numbers: &[usize]) -> anyhow::Result<Vec<(usize, bool)>> {
    let file = home.path().join("project/hints.json");
    let hints: Map<String, Value> =
        numbers.iter().map(|number| (format!("n{number}"), json!({"value": cases[*number].text}))).collect();
    let component = format!("bench{}", numbers.first().copied().unwrap_or(0));
    let payload = json!({"schema_version": "1.0", "components": {component.as_str(): {"hints": hints}}});
    std::fs::write(&file, payload.to_string())?;
    let output = home.nudge(&["import", &file.to_string_lossy(), "--json"]).output()?;
    std::fs::remove_file(&file)?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = [output.stdout, output.stderr].concat();
    let said: Value = serde_json::from_slice(said.trim_ascii()).context("an error is reported as JSON")?;
    let faults = said["error"]["data"]["faults"].as_array().context("the faults are listed")?;
    faults
        .iter()
        .map(|fault| {
            let place = fault["at"].as_str().context("a fault has a place")?;
            let number = place.rsplit_once("/n").context("the place names the hint")?.1.parse()?;
            Ok((number, fault["id"] == "E_SECRET_REJECTED"))
        })
        .collect()
}

/// The innocent texts with entries that report a removal.
fn changed(home: &Home, programs: &Programs, cases: &[Case]) -> anyhow::Result<BTreeSet<usize>> {
    let (mut changed, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for line in printed(home, programs, &["--seen"])?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let number = entry["session"].as_str().and_then(|session| session.get(..8)?.parse::<usize>().ok());
        let Some((number, case)) = number.and_then(|number| Some((number, cases.get(number)?))) else {
            continue;
        };
        seen.insert(number);
        let attributes: Value = serde_json::from_str(entry["attributes"].as_str().unwrap_or("{}"))?;
        let count = |text: &str| text.matches("[REDACTED]").count();
        let marks = count(entry["body"].as_str().unwrap_or_default()) > count(&case.text);
        if case.is_look_alike() && (attributes["redacted"] == true || marks) {
            changed.insert(number);
        }
    }
    ensure!(
        seen.len() * 100 >= cases.len() * 98,
        "only {} of {} texts left an entry",
        seen.len(),
        cases.len()
    );
    Ok(changed)
}

/// The cases with traces in a table, a backup, an export or a file.
fn left(home: &Home, programs: &Programs, needles: &Needles) -> anyhow::Result<BTreeSet<usize>> {
    home.run(&["backup"])?;
    home.run(&["export", "--output", &home.path().join("export.json").to_string_lossy()])?;
    let mut found = BTreeSet::new();
    for line in printed(home, programs, &[])?.lines() {
        let row: Value = serde_json::from_str(line).context("dump-store prints JSON")?;
        found.extend(needles.found(row["text"].as_str().unwrap_or_default().as_bytes()));
    }
    let mut open = vec![home.path().to_path_buf()];
    while let Some(dir) = open.pop() {
        for item in std::fs::read_dir(&dir)?.flatten() {
            let path = item.path();
            if path.is_dir() {
                if !is_input(home, &path) {
                    open.push(path);
                }
            } else if let Ok(content) = std::fs::read(&path) {
                found.extend(needles.found(&content));
            }
        }
    }
    Ok(found)
}

fn printed(home: &Home, programs: &Programs, more: &[&str]) -> anyhow::Result<String> {
    let output = programs.command(home, "dump-store").arg(home.database()).args(more).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the store cannot be read: {}", said.trim());
    Ok(String::from_utf8(output.stdout)?)
}

// The payloads that an agent's hooks would send: those of Claude Code, with a case in its place.

/// A session in its own project.
pub(super) struct Session<'h> {
    pub(super) id: String,
    pub(super) home: &'h Path,
}

impl Session<'_> {
    /// The path of its transcript.
    pub(super) fn transcript(&self) -> std::path::PathBuf {
        self.home.join("transcripts").join(format!("{}.jsonl", self.id))
    }

    /// All payloads of a case, in order. Those stored word for word come first.
    pub(super) fn payloads(&self, case: &Case) -> Vec<Value> {
        let text = case.text.as_str();
        let mut all = vec![self.prompt(case, text)];
        match case.part {
            Part::Prompt => {}
            Part::Command | Part::Env => {
                all.push(self.tool(case, 1, "Bash", json!({"command": text}), shell("")))
            }
            Part::Header => {
                let lines: Vec<String> = text.lines().map(|line| format!("-H '{line}'")).collect();
                let command = format!("curl -sS {} https://api.corvid.example/v1", lines.join(" "));
                all.push(self.tool(case, 1, "Bash", json!({"command": command}), shell("")));
            }
            Part::File => {
                let file = self.home.join("project/settings.txt");
                let input = json!({"file_path": file, "content": text});
                all.push(self.tool(
                    case,
                    1,
                    "Write",
                    input,
                    json!({"type": "create", "filePath": file, "content": text}),
                ));
                let input =
                    json!({"file_path": file, "old_string": "x", "new_string": text, "replace_all": false});
                let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
                let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": lines.len(), "lines": lines}]);
                all.push(self.tool(
                    case,
                    2,
                    "Edit",
                    input,
                    json!({"filePath": file, "structuredPatch": patch}),
                ));
                let read = json!({"type": "text", "file": {"filePath": file, "content": text}});
                all.push(self.tool(case, 3, "Read", json!({"file_path": file}), read));
            }
            Part::Path => {
                all.push(self.tool(
                    case,
                    1,
                    "Read",
                    json!({"file_path": text}),
                    json!({"type": "text", "file": {"filePath": text}}),
                ));
                all.push(self.tool(
                    case,
                    2,
                    "Write",
                    json!({"file_path": text, "content": "x\n"}),
                    json!({"filePath": text}),
                ));
            }
            Part::Url => {
                let input = json!({"url": text, "prompt": "sum it up"});
                all.push(self.tool(
                    case,
                    1,
                    "WebFetch",
                    input,
                    json!({"url": text, "code": 200, "result": "done"}),
                ));
            }
            Part::Json => {
                let input = serde_json::from_str(text).unwrap_or_else(|_| json!({"body": text}));
                let response = Value::String(text.to_owned());
                all.push(self.tool(case, 1, "mcp__probe__send", input, response));
            }
            Part::Thinking => all.push(self.stop(case)),
            Part::Output => {
                let error = format!("Exit code 1\n{text}");
                all.push(self.failure(case, 1, json!({"command": "./deploy.sh"}), &error));
                all.push(self.tool(
                    case,
                    2,
                    "Bash",
                    json!({"command": "./deploy.sh --verbose"}),
                    shell(text),
                ));
            }
        }
        all
    }

    /// The one event that carries a text through an entry point.
    pub(super) fn through(&self, entry_point: EntryPoint, case: &Case) -> Option<Value> {
        let text = case.text.as_str();
        let file = self.home.join("project/settings.txt");
        Some(match entry_point {
            EntryPoint::Prompt => self.prompt(case, text),
            EntryPoint::Command => self.tool(case, 1, "Bash", json!({"command": text}), shell("")),
            EntryPoint::Output => {
                self.failure(case, 1, json!({"command": "./deploy.sh"}), &format!("Exit code 1\n{text}"))
            }
            EntryPoint::Edit => {
                let input =
                    json!({"file_path": file, "old_string": "x", "new_string": text, "replace_all": false});
                let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
                let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": lines.len(), "lines": lines}]);
                self.tool(case, 1, "Edit", input, json!({"filePath": file, "structuredPatch": patch}))
            }
            EntryPoint::Write => {
                let input = json!({"file_path": file, "content": text});
                let made = json!({"type": "create", "filePath": file, "content": text});
                self.tool(case, 1, "Write", input, made)
            }
            EntryPoint::Mcp => {
                let input = json!({"channel": "ops", "message": text});
                self.tool(case, 1, "mcp__chat__send", input, json!("sent"))
            }
            EntryPoint::Set | EntryPoint::Import | EntryPoint::Hints => return None,
        })
    }

    fn common(&self, case: &Case, event: &str) -> Value {
        json!({
            "session_id": self.id,
            "transcript_path": self.transcript(),
            "cwd": self.home.join("project"),
            "prompt_id": format!("prompt-{}", case.id),
            "permission_mode": "default",
            "hook_event_name": event,
        })
    }

    fn prompt(&self, case: &Case, text: &str) -> Value {
        with(self.common(case, "UserPromptSubmit"), json!({"prompt": text}))
    }

    fn stop(&self, case: &Case) -> Value {
        with(self.common(case, "Stop"), json!({"stop_hook_active": false, "last_assistant_message": "Done."}))
    }

    fn tool(&self, case: &Case, number: usize, tool: &str, input: Value, response: Value) -> Value {
        let call = json!({
            "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": format!("toolu_{}_{number}", case.id), "duration_ms": 5,
        });
        with(self.common(case, "PostToolUse"), call)
    }

    fn failure(&self, case: &Case, number: usize, input: Value, error: &str) -> Value {
        let call = json!({
            "tool_name": "Bash", "tool_input": input, "error": error, "is_interrupt": false,
            "tool_use_id": format!("toolu_{}_{number}", case.id), "duration_ms": 5,
        });
        with(self.common(case, "PostToolUseFailure"), call)
    }
}

/// The response of a shell.
fn shell(stdout: &str) -> Value {
    json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false})
}

/// Transcript lines with the same content as a session: prompt, thinking, call, result.
pub(super) fn transcript_lines(case: &Case, session: &str, cwd: &Path, number: usize) -> Vec<Value> {
    let text = case.text.as_str();
    let minute = number / 60 % 60;
    let at = |second: usize| {
        format!("2026-11-14T{:02}:{minute:02}:{:02}.{second:03}Z", number / 3600, number % 60)
    };
    let line = |part: usize, kind: &str, content: Value| {
        json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "sessionId": session, "cwd": cwd, "version": "2.1.325",
            "uuid": format!("{session}-{number}-{part}"), "timestamp": at(part), "userType": "external", "gitBranch": "main",
            "promptId": format!("import-{}", case.id),
            "message": {"role": kind, "id": format!("msg_{number}_{part}"), "type": "message", "model": "m", "content": content},
        })
    };
    let call = format!("toolu_import_{}", case.id);
    vec![
        line(1, "user", json!(text)),
        line(2, "assistant", json!([{"type": "thinking", "thinking": text, "signature": "x"}])),
        line(
            3,
            "assistant",
            json!([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text}}]),
        ),
        line(
            4,
            "user",
            json!([{"type": "tool_result", "tool_use_id": call, "is_error": true, "content": text}]),
        ),
    ]
}

fn with(mut payload: Value, more: Value) -> Value {
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    payload
}
