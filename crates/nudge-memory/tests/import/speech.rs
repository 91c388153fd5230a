//! What users say other than by a prompt, in their agents' transcripts.

use std::fs;

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome};
use nudge_harness::Harness;
use nudge_store::PromptRow;
use serde_json::{Value, json};

use crate::import::setup::{ImportBench, captured};

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

fn line(number: usize, kind: &str, content: Value) -> Value {
    let at = format!("2026-11-15T08:{:02}:00.000Z", number % 60);
    json!({"type": kind, "sessionId": "s", "cwd": "/gone/shop", "version": "2.1.30", "uuid": format!("u{number}"),
        "timestamp": at, "message": {"role": kind, "content": content}})
}

fn called(number: usize, id: &str, name: &str, input: Value) -> Value {
    line(number, "assistant", json!([{"type": "tool_use", "id": id, "name": name, "input": input}]))
}

fn result(number: usize, id: &str, text: &str, failed: bool) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed});
    line(number, "user", json!([block]))
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What was stored as the user's: the words, how they were said, and in reply to what.
fn said(prompts: &[PromptRow]) -> Vec<(String, String, String)> {
    let persons = prompts.iter().filter(|prompt| prompt.speaker == Speaker::Person);
    let word =
        |row: &PromptRow, key: &str| row.attributes.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    persons.map(|row| (row.body.clone(), word(row, "said"), word(row, "about"))).collect()
}

fn kept(lines: &[Value]) -> Vec<(String, String, String)> {
    let bench = ImportBench::new();
    let file = bench.file("p/s.jsonl", text(lines));
    bench.import(Harness::Claude, &file);
    said(&bench.session("s").0)
}

fn reported(words: &str, how: &str, about: &str) -> (String, String, String) {
    (words.to_owned(), how.to_owned(), about.to_owned())
}

/// @import_speech: words typed while declining a call are the user's, and name the call; a bare
/// refusal says nothing.
#[test]
fn a_refusal_with_words_is_kept_with_what_was_refused() {
    let words = format!("{REJECTED} To tell you how to proceed, the user said:\nrun the tests first");
    let bare =
        format!("{REJECTED} STOP what you are doing and wait for the user to tell you how to proceed.");
    let noted =
        format!("{words} twice\n\nNote: The user's next message may contain a correction or preference.");
    let lines = [
        called(1, "c1", "Bash", json!({"command": "git push\n# now"})),
        result(2, "c1", &words, true),
        called(3, "c2", "Edit", json!({"file_path": "/gone/shop/a.rs"})),
        result(4, "c2", &bare, true),
        called(5, "c3", "Bash", json!({"command": "git push"})),
        result(6, "c3", &noted, true),
    ];
    assert_eq!(
        kept(&lines),
        [
            reported("run the tests first", "refusal", "Bash: git push"),
            reported("run the tests first twice", "refusal", "Bash: git push"),
        ]
    );
}

/// @import_speech: a message typed while the agent works is stored once, whichever lines report it;
/// a withdrawn one is not.
#[test]
fn a_message_that_reached_the_agent_in_its_turn_is_kept_once() {
    let queue = |number: usize, operation: &str, content: Option<&str>| {
        let mut line = line(number, "queue-operation", Value::Null);
        line["operation"] = operation.into();
        if let Some(content) = content {
            line["content"] = content.into();
        }
        line
    };
    let mut shown = line(5, "attachment", Value::Null);
    shown["attachment"] = json!({"type": "queued_command", "prompt": "use tabs", "commandMode": "prompt"});
    let mut again = line(13, "user", "and push".into());
    again["promptSource"] = "queued".into();
    let lines = [
        line(0, "user", "go".into()),
        queue(1, "enqueue", Some("use tabs")),
        queue(2, "enqueue", Some("<task-notification>\n<task-id>a</task-id>")),
        queue(3, "remove", None),
        queue(4, "remove", None),
        shown,
        queue(6, "enqueue", Some("never mind")),
        queue(7, "popAll", Some("never mind")),
        queue(8, "enqueue", Some("then commit")),
        queue(9, "dequeue", None),
        line(10, "user", "then commit".into()),
        queue(11, "enqueue", Some("and push")),
        queue(12, "remove", Some("and push")),
        again,
    ];
    assert_eq!(
        kept(&lines),
        [
            reported("go", "", ""),
            reported("use tabs", "queued", ""),
            reported("then commit", "", ""),
            reported("and push", "queued", ""),
        ]
    );
}

/// @import_speech: each answer is stored with its question, even when two questions get the same
/// answer.
#[test]
fn answers_are_kept_with_their_questions() {
    let asked = json!({"questions": [{"question": "Which store?"}, {"question": "Keep the old one?"}, {"question": "Now?"}]});
    let mut answered = result(2, "c1", "User has answered your questions: …", false);
    answered["toolUseResult"] = json!({"questions": asked["questions"],
        "answers": {"Which store?": "SQLite", "Keep the old one?": "Yes", "Now?": "Yes"},
        "annotations": {"Which store?": {"notes": "one file, please"}}});
    let clarify = format!(
        "{REJECTED} To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n    Questions asked:\n- \"Which port?\"\n  Answer: 8080\n- \"Why?\"\n  (No answer provided)"
    );
    let sentence =
        "User has answered your questions: \"Which \"host\"?\"=\"the second, \"b\"\". You can now continue.";
    let lines = [
        called(5, "c3", "AskUserQuestion", json!({"questions": [{"question": "Which \"host\"?"}]})),
        result(6, "c3", sentence, false),
        called(1, "c1", "AskUserQuestion", asked),
        answered,
        called(3, "c2", "AskUserQuestion", json!({"questions": [{"question": "Which port?"}]})),
        result(4, "c2", &clarify, true),
    ];
    let mut found = kept(&lines);
    found.sort();
    assert_eq!(
        found,
        [
            reported("8080", "answer", "Which port?"),
            reported("SQLite", "answer", "Which store?"),
            reported("Yes", "answer", "Keep the old one?"),
            reported("Yes", "answer", "Now?"),
            reported("one file, please", "answer", "Which store?"),
            reported("the second, \"b\"", "answer", "Which \"host\"?"),
        ]
    );
}

/// @import_speech: text next to a result, arguments of commands, shell lines and notes are the
/// user's.
#[test]
fn what_is_said_in_other_ways_is_kept() {
    let beside = json!([
        {"type": "tool_result", "tool_use_id": "c1", "content": "ok"},
        {"type": "text", "text": "and tell me why"},
    ]);
    let command = |name: &str, arguments: &str| {
        format!(
            "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n<command-args>{arguments}</command-args>"
        )
    };
    let mut local = line(7, "system", Value::Null);
    local["subtype"] = "local_command".into();
    local["content"] = command("rename", "parser work").into();
    let lines = [
        called(1, "c1", "Bash", json!({"command": "make"})),
        line(2, "user", beside),
        line(3, "user", command("review", "the parser, not the tests").into()),
        line(4, "user", command("exit", "").into()),
        line(5, "user", "<bash-input>git pull</bash-input>".into()),
        line(6, "user", "<user-memory-input>we use pnpm</user-memory-input>".into()),
        local,
    ];
    assert_eq!(
        kept(&lines),
        [
            reported("and tell me why", "beside_result", "Bash: make"),
            reported("/review the parser, not the tests", "command", "/review"),
            reported("git pull", "shell", ""),
            reported("we use pnpm", "note", ""),
            reported("/rename parser work", "command", "/rename"),
        ]
    );
}

/// @import_speech: text that a program wrote in the user's place does not count as the user's.
#[test]
fn what_programs_write_is_not_the_persons() {
    let marked = |number, mark: &str| {
        let mut line = line(number, "user", "Read the skill and follow it".into());
        line[mark] = true.into();
        line
    };
    let mut sent = line(1, "user", "go on".into());
    sent["origin"] = json!({"kind": "auto-continuation"});
    let mut inner = line(2, "user", "look for the parser".into());
    inner["isSidechain"] = true.into();
    let mut lines =
        vec![sent, inner, marked(3, "isMeta"), marked(4, "isSynthetic"), marked(5, "isCompactSummary")];
    let texts = [
        "[Request interrupted by user for tool use]",
        "<task-notification>\n<task-id>a</task-id>",
        "<agent-notification>\n<agent-id>a</agent-id>",
        "<local-command-stdout>Goodbye!</local-command-stdout>",
        "<bash-stdout>done</bash-stdout><bash-stderr></bash-stderr>",
        "Operation stopped by hook: another session is active",
        "Implement the following plan:\n\n# Plan: use pnpm, never npm",
        "<system-reminder>always be brief</system-reminder>",
        "This session is being continued from a previous conversation that ran out of context.",
    ];
    lines.extend(texts.iter().enumerate().map(|(at, text)| line(10 + at, "user", (*text).into())));
    lines.push(line(30, "user", "<ide_opened_file>The user opened a.rs</ide_opened_file>\nfix it".into()));
    let blocks = json!([
        {"type": "text", "text": "<ide_selection>let a = 1;</ide_selection>"},
        {"type": "text", "text": "rename it"},
    ]);
    lines.push(line(31, "user", blocks));
    assert_eq!(kept(&lines), [reported("fix it", "", ""), reported("rename it", "", "")]);
}

/// @import_plans: a plan is stored whether it was approved or not, and so is the user's comment on
/// it.
#[test]
fn a_plan_is_kept_with_what_was_said_to_it() {
    let bench = ImportBench::new();
    let plan = json!({"plan": "# Plan: one file per noun\n\n1. move the rows"});
    let words = format!("{REJECTED} To tell you how to proceed, the user said:\nno new crate");
    let approved = json!([
        {"type": "tool_result", "tool_use_id": "c2", "content": "User has approved your plan."},
        {"type": "text", "text": "but keep the names"},
    ]);
    let lines = [
        called(1, "c1", "ExitPlanMode", plan.clone()),
        result(2, "c1", &words, true),
        called(3, "c2", "ExitPlanMode", plan),
        line(4, "user", approved),
    ];
    let file = bench.file("p/s.jsonl", text(&lines));
    bench.import(Harness::Claude, &file);
    let (prompts, seen) = bench.session("s");
    let about = "ExitPlanMode: # Plan: one file per noun";
    assert_eq!(
        said(&prompts),
        [
            reported("no new crate", "plan_comment", about),
            reported("but keep the names", "plan_comment", about)
        ]
    );
    let plans: Vec<_> = seen.iter().filter(|row| row.kind == ObservationKind::ToolOther).collect();
    assert_eq!(plans.len(), 2);
    assert!(plans.iter().all(|row| row.body.ends_with("1. move the rows")));
    assert_eq!(plans[1].outcome, Outcome::Success);
}

/// @import_cancelled: a call that never began, because a parallel call failed, is not a failed
/// command.
#[test]
fn a_call_that_a_failing_sibling_cancelled_is_no_failure() {
    let bench = ImportBench::new();
    let error = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let lines = [
        called(1, "c1", "Bash", json!({"command": "make"})),
        called(1, "c2", "Bash", json!({"command": "make docs"})),
        result(2, "c1", "Exit code 2\nno rule", true),
        result(2, "c2", error, true),
    ];
    let file = bench.file("p/s.jsonl", text(&lines));
    let report = bench.import(Harness::Claude, &file);
    let (_, seen) = bench.session("s");
    let commands: Vec<_> =
        seen.iter().filter(|row| row.body.starts_with("make")).map(|row| &row.body).collect();
    assert_eq!(commands, ["make"]);
    assert_eq!(report.skipped["cancelled"], 1);
}

/// @import_one_project: worktrees that are gone and directories inside a repository belong to it.
#[test]
fn one_repository_is_one_project() {
    let bench = ImportBench::new();
    let shop = bench.path().join("shop");
    fs::create_dir_all(shop.join(".git")).expect("made");
    let at = |dir: &std::path::Path, session: &str, first: &std::path::Path| {
        let of = |number, dir: &std::path::Path, words: &str| {
            let mut line = line(number, "user", words.into());
            line["cwd"] = dir.to_string_lossy().into_owned().into();
            line["sessionId"] = session.into();
            line
        };
        bench.file(&format!("p/{session}.jsonl"), text(&[of(1, first, "first"), of(2, dir, "then")]));
    };
    at(&shop.join(".worktrees/1"), "a", &shop.join(".worktrees/1"));
    at(&shop.join("removed/dir"), "b", &shop);
    at(&bench.path().join("elsewhere"), "c", &shop);
    at(&bench.path().join("shop.worktrees/fix"), "d", &bench.path().join("shop.worktrees/fix"));
    bench.import(Harness::Claude, &bench.path().join("p"));
    let projects = bench.store().read(|reader| reader.projects()).expect("read");
    let roots: Vec<_> = projects.iter().map(|project| project.root.as_str()).collect();
    let shop = shop.canonicalize().expect("there");
    assert_eq!(roots, [shop.to_str().expect("a text")]);
}

/// @import_recognised: transcripts are recognised by their content, not by their name; one agent's
/// import ignores the others' files.
#[test]
fn transcripts_are_known_by_their_content() {
    let bench = ImportBench::new();
    bench.file("all/renamed.jsonl", captured(Harness::Codex, "transcript-rollout.jsonl"));
    bench.file("all/events-copy.jsonl", captured(Harness::Copilot, "transcript-events.jsonl"));
    bench.file("all/chat.jsonl", captured(Harness::Gemini, "transcript-session.jsonl"));
    bench.file("all/s.jsonl", text(&[line(1, "user", "fix it".into())]));
    for harness in [Harness::Codex, Harness::Copilot, Harness::Gemini, Harness::Claude] {
        let report = bench.import(harness, &bench.path().join("all"));
        assert_eq!((report.files, report.sessions), (1, 1), "{harness:?}");
        assert!(report.prompts > 0, "{harness:?}");
    }
}

/// @import_gemini: a Gemini CLI session is read from lines and from one document; repeated content
/// counts once.
#[test]
fn a_session_of_gemini_is_there_as_a_document() {
    let bench = ImportBench::new();
    let call = json!({"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}, "status": "success",
        "result": [{"functionResponse": {"response": {"output": "Output: a\nExit Code: 1"}}}]});
    let document = json!({"sessionId": "g", "projectHash": "h", "startTime": "2026-11-15T08:00:00Z", "messages": [
        {"id": "m1", "timestamp": "2026-11-15T08:00:01Z", "type": "user", "content": "list the files"},
        {"id": "m2", "timestamp": "2026-11-15T08:00:02Z", "type": "gemini", "content": "", "toolCalls": [call]},
        {"id": "m3", "timestamp": "2026-11-15T08:00:03Z", "type": "info", "content": "Update available!"},
    ]});
    let file = bench.file("chats/session-1.json", serde_json::to_string_pretty(&document).expect("JSON"));
    let report = bench.import(Harness::Gemini, file.parent().expect("a folder"));
    assert_eq!((report.prompts, report.observations), (1, 2));
    let (prompts, seen) = bench.session("g");
    assert_eq!(said(&prompts), [reported("list the files", "", "")]);
    assert_eq!(seen[1].kind, ObservationKind::CommandError);
    assert_eq!(bench.import(Harness::Gemini, &file).unchanged, 1);
}

/// @import_copilot: a Copilot CLI session is imported with its prompts, its calls and how they
/// ended.
#[test]
fn a_session_of_copilot_is_there() {
    let bench = ImportBench::new();
    let file = bench.file("x/events.jsonl", captured(Harness::Copilot, "transcript-events.jsonl"));
    let report = bench.import(Harness::Copilot, &file);
    assert_eq!((report.files, report.sessions, report.prompts), (1, 1, 1));
    let store = bench.store();
    let session =
        store.read(|reader| reader.agent_sessions_after(nudge_store::SessionId(0), 9)).expect("read");
    let (_, seen) = bench.session(&session[0].name);
    let failed = seen.iter().find(|row| row.kind == ObservationKind::CommandError).expect("a failed command");
    assert_eq!((failed.body.as_str(), failed.outcome), ("exit 3", Outcome::Failed { exit: Some(3) }));
}

/// @import_headless: the stream that `claude -p` prints is read, and marked as unattended.
#[test]
fn the_stream_of_a_headless_run_is_read() {
    let bench = ImportBench::new();
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "h", "cwd": "/gone/shop"}),
        json!({"type": "assistant", "session_id": "h", "message": {"content": [
            {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}]}}),
        json!({"type": "user", "session_id": "h", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "Exit code 2\nno rule", "is_error": true}]}}),
        json!({"type": "result", "session_id": "h", "result": "done"}),
    ];
    let file = bench.file("out.jsonl", text(&lines));
    bench.import(Harness::Claude, &file);
    let (_, seen) = bench.session("h");
    assert!(seen.iter().any(|row| row.kind == ObservationKind::CommandError && row.body == "make"));
    let session =
        bench.store().read(|reader| reader.agent_session_by_name("h")).expect("read").expect("there");
    assert_eq!(session.headless, Some(true));
}
