//! Whole transcripts, read as if their hooks had reported them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use nudge_core::event::{EventKind, HookEvent, Outcome, Speaker};
use nudge_harness::transcript::{Item, Skip, ToolEnd, reader};
use nudge_harness::{Harness, tool_use};
use serde_json::{Value, json};

use crate::fixtures;

pub(crate) fn captured(harness: Harness, name: &str) -> String {
    fs::read_to_string(fixtures::folder(harness).join(name)).expect("captured")
}

pub(crate) fn read(harness: Harness, path: &str, text: &str) -> Vec<Item> {
    let mut reader = reader(harness, path).expect("an agent whose transcripts are read");
    let mut items: Vec<Item> = text.lines().flat_map(|line| reader.line(line)).collect();
    items.extend(reader.finish());
    items
}

fn events(items: &[Item]) -> Vec<&HookEvent> {
    items
        .iter()
        .filter_map(|item| if let Item::Event(event) = item { Some(&**event) } else { None })
        .collect()
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// The items, one line each, and how many lines were skipped.
fn digest(items: &[Item]) -> String {
    let mut text = String::new();
    let mut skipped = BTreeMap::<&str, u64>::new();
    for item in items {
        match item {
            Item::Event(event) => writeln!(text, "{}", event_line(event)),
            Item::Thinking(thinking) => writeln!(text, "thinking {:?}", thinking.text),
            Item::ToolEnd(end) => writeln!(text, "end {} {:?}", end.id, end.outcome),
            Item::Skipped { why, .. } => {
                *skipped.entry(why.name()).or_default() += 1;
                Ok(())
            }
        }
        .expect("a string takes everything");
    }
    writeln!(text, "skipped {skipped:?}").expect("a string takes everything");
    text
}

fn event_line(event: &HookEvent) -> String {
    let mut line = format!(
        "{} {} session={} turn={} cwd={} at={}",
        event.kind.name(),
        event.name,
        event.session.as_deref().unwrap_or("-"),
        event.prompt_id.as_deref().unwrap_or("-"),
        event.cwd.as_deref().unwrap_or("-"),
        event.at.map_or("-".into(), |at| at.to_string()),
    );
    if let Some(agent) = &event.agent {
        line += &format!(" agent={}/{}", agent.id, agent.kind.as_deref().unwrap_or("-"));
    }
    if let Some(prompt) = &event.prompt {
        line += &format!(" {:?} {:?}", prompt.by, prompt.text.chars().take(20).collect::<String>());
    }
    if let (Some(call), Some(done)) = (&event.tool, tool_use(event)) {
        let id = call.id.as_deref().unwrap_or("-");
        line += &format!(" {} {id} {} {:?}", call.name, done.kind.name(), done.outcome);
        line += &format!(" {}", done.command.or(done.target).unwrap_or_else(|| done.files.join(",").into()));
    }
    line
}

/// @import_claude
#[test]
fn claude_tells_in_its_transcript_what_it_reported_to_its_hooks() {
    let items = read(Harness::Claude, "/t/6ce6.jsonl", &captured(Harness::Claude, "transcript.jsonl"));
    insta::assert_snapshot!(digest(&items));
    let reported = events(&items);
    for name in
        ["PostToolUse-Bash", "PostToolUseFailure-Bash-failing", "PostToolUse-mcp__probe__memory_search"]
    {
        let hook = fixtures::one(Harness::Claude, name).event();
        let id = |event: &HookEvent| event.tool.as_ref().and_then(|tool| tool.id.clone());
        let same = reported.iter().find(|event| id(event) == id(&hook)).expect("the same call");
        assert_eq!((&same.session, &same.cwd, &same.prompt_id), (&hook.session, &hook.cwd, &hook.prompt_id));
        let (ours, theirs) = (tool_use(same).expect("a tool"), tool_use(&hook).expect("a tool"));
        assert_eq!(
            (ours.kind, ours.files, ours.outcome),
            (theirs.kind, theirs.files, theirs.outcome),
            "{name}"
        );
        assert_eq!(
            (ours.command, ours.target, ours.mcp),
            (theirs.command, theirs.target, theirs.mcp),
            "{name}"
        );
        assert_eq!((&same.name, &same.kind), (&hook.name, &hook.kind));
    }
    let hook = fixtures::one(Harness::Claude, "UserPromptSubmit").event();
    assert!(reported.iter().any(|event| event.prompt == hook.prompt && event.prompt_id == hook.prompt_id));
}

/// @import_claude
#[test]
fn a_subagents_transcript_carries_its_label_and_starts_no_session() {
    let text = captured(Harness::Claude, "transcript-subagent.jsonl");
    let call = json!({"type": "assistant", "isSidechain": true, "sessionId": "9fb3", "cwd": "/p",
        "timestamp": "2026-11-14T23:18:00.000Z", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Read",
        "input": {"file_path": "/p/a"}}]}});
    let result = json!({"type": "user", "isSidechain": true, "sessionId": "9fb3", "cwd": "/p",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}});
    let path = "/t/9fb3/subagents/agent-a45fd4c67461358dd.jsonl";
    let items = read(Harness::Claude, path, &(text + &lines(&[call, result])));
    let reported = events(&items);
    let [event] = reported.as_slice() else { panic!("one event: {reported:?}") };
    let agent = event.agent.as_ref().expect("a label");
    assert_eq!((agent.id.as_str(), agent.kind.as_deref()), ("a45fd4c67461358dd", Some("general-purpose")));
    assert_eq!(event.kind, EventKind::PostTool);
}

/// @import_claude
#[test]
fn a_result_may_come_late_or_never() {
    let call = |id: &str, command: &str| {
        json!({"type": "assistant", "sessionId": "s", "message": {"content":
            [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}})
    };
    let noise = json!({"type": "queue-operation"});
    let mut values = vec![call("a", "sleep 9"), call("b", "true")];
    values.extend(std::iter::repeat_n(noise, 5_000));
    values.push(json!({"type": "user", "sessionId": "s", "message": {"content":
        [{"type": "tool_result", "tool_use_id": "b", "content": "", "is_error": false}]}}));
    values.push(json!({"type": "user", "sessionId": "s", "message": {"content":
        [{"type": "tool_result", "tool_use_id": "z", "content": "Exit code 2\nno", "is_error": true}]}}));
    let items = read(Harness::Claude, "s.jsonl", &lines(&values));
    let outcomes: Vec<_> = events(&items)
        .iter()
        .filter_map(|event| Some((event.tool.as_ref()?.id.clone()?, tool_use(event)?.outcome)))
        .collect();
    assert_eq!(outcomes, [("b".to_owned(), Outcome::Success), ("a".to_owned(), Outcome::Unknown)]);
    let stray = ToolEnd { id: "z".into(), outcome: Outcome::Failed { exit: Some(2) }, output: None };
    assert!(items.contains(&Item::ToolEnd(stray)));
}

/// @import_codex
#[test]
fn codex_tells_in_its_rollout_what_it_reported_to_its_hooks_and_how_it_ended() {
    let items =
        read(Harness::Codex, "/t/rollout.jsonl", &captured(Harness::Codex, "transcript-rollout.jsonl"));
    insta::assert_snapshot!(digest(&items));
    let reported = events(&items);
    for name in ["PostToolUse-Bash", "PostToolUse-Bash-failing", "PostToolUse-mcp__probe__memory_search"] {
        let hook = fixtures::one(Harness::Codex, name).event();
        let call = hook.tool.as_ref().expect("a call");
        let same = reported
            .iter()
            .find(|event| event.tool.as_ref().is_some_and(|tool| tool.id == call.id))
            .expect("the same call");
        assert_eq!((&same.session, &same.cwd, &same.prompt_id), (&hook.session, &hook.cwd, &hook.prompt_id));
        let (ours, theirs) = (tool_use(same).expect("a tool"), tool_use(&hook).expect("a tool"));
        assert_eq!((ours.kind, ours.command, ours.mcp), (theirs.kind, theirs.command, theirs.mcp), "{name}");
        assert_eq!(same.tool.as_ref().map(|tool| &tool.name), Some(&call.name));
    }
}

/// @import_codex
#[test]
fn older_rollouts_are_read_by_their_calls_and_answers() {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2025-11-14T23:18:00.000Z", "type": kind, "payload": payload});
    let text = lines(&[
        line("session_meta", json!({"id": "old", "cwd": "/p", "cli_version": "0.40.0"})),
        line("turn_context", json!({"cwd": "/p/sub", "model": "m"})),
        line("event_msg", json!({"type": "user_message", "message": "fix it", "kind": "plain"})),
        line("event_msg", json!({"type": "agent_reasoning", "text": "**Look first**"})),
        line(
            "response_item",
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "**Look first**"}]}),
        ),
        line(
            "response_item",
            json!({"type": "function_call", "name": "shell", "call_id": "c1",
            "arguments": "{\"command\":[\"bash\",\"-lc\",\"make\"]}"}),
        ),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1",
            "output": "{\"output\":\"bad\",\"metadata\":{\"exit_code\":2}}"}),
        ),
        line(
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2",
            "input": "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch"}),
        ),
        line(
            "event_msg",
            json!({"type": "patch_apply_end", "call_id": "c2", "success": true, "stdout": "", "changes":
            {"/p/a.rs": {"type": "update", "unified_diff": "@@\n-x\n+y\n"}}}),
        ),
        line(
            "response_item",
            json!({"type": "function_call", "name": "shell", "call_id": "c3",
            "arguments": "{\"command\":[\"bash\",\"-lc\",\"sleep 99\"]}"}),
        ),
    ]);
    insta::assert_snapshot!(digest(&read(Harness::Codex, "r.jsonl", &text)));
}

/// @import_codex
#[test]
fn a_subagents_rollout_belongs_to_the_session_that_started_it() {
    let text = lines(&[
        json!({"type": "session_meta", "payload": {"id": "child", "cwd": "/p", "source":
            {"subagent": {"thread_spawn": {"parent_thread_id": "main", "agent_role": "default"}}}}}),
        json!({"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "t", "item": {"type": "CommandExecution",
            "id": "exec-1", "command": ["/bin/bash", "-lc", "ls"], "status": "completed", "exit_code": 0}}}),
    ]);
    let items = read(Harness::Codex, "r.jsonl", &text);
    let reported = events(&items);
    let [event] = reported.as_slice() else { panic!("one event: {reported:?}") };
    let agent = event.agent.as_ref().expect("a label");
    assert_eq!(
        (event.session.as_deref(), agent.id.as_str(), agent.parent.as_deref()),
        (Some("main"), "child", Some("main"))
    );
}

/// @import_opencode
#[test]
fn opencode_keeps_prompts_calls_and_reasoning_in_rows() {
    let rows = captured(Harness::Opencode, "transcript-rows.jsonl");
    let tool = |call: &str, name: &str, state: Value| json!({"data": json!({"type": "tool", "callID": call, "tool": name, "state": state}).to_string()});
    let message = json!({"message": {"id": "m9", "data": json!({"role": "assistant", "parentID": "m8", "time": {"created": 1000},
        "path": {"cwd": "/p/sub"}}).to_string()}, "parts": [
        {"data": "{\"type\":\"reasoning\",\"text\":\"Look first.\",\"time\":{\"start\":1,\"end\":1500}}"},
        tool("c1", "bash", json!({"status": "completed", "input": {"command": "make"}, "output": "bad",
            "metadata": {"exit": 2}, "time": {"start": 2000, "end": 2500}})),
        tool("c2", "probe_memory_search", json!({"status": "completed", "input": {"query": "x"}, "output": "y", "metadata": {}})),
        tool("c3", "edit", json!({"status": "error", "input": {"filePath": "/p/a"}, "error": "no such text"})),
        tool("c4", "bash", json!({"status": "running", "input": {"command": "sleep 99"}})),
    ]});
    let compact = json!({"message": {"id": "m10", "data": {"role": "user", "time": {"created": 3000}}},
        "parts": [{"data": {"type": "compaction", "auto": true}}]});
    let summary =
        json!({"message": {"id": "m11", "data": {"role": "assistant", "summary": true}}, "parts": []});
    let child = json!({"session": {"id": "ses_child", "parent_id": "ses_main", "agent": "explore", "directory": "/p", "time_created": 4000}});
    let task = json!({"message": {"id": "m12", "data": {"role": "user", "time": {"created": 4001}}},
        "parts": [{"data": {"type": "text", "text": "look around"}}]});
    let text = rows + &lines(&[message, compact, summary, child, task]);
    insta::assert_snapshot!(digest(&read(Harness::Opencode, "/t/opencode.db", &text)));
}

/// @import_noise
#[test]
fn what_nobody_said_or_did_is_not_taken() {
    let user = |extra: Value| {
        let mut line = json!({"type": "user", "sessionId": "s", "cwd": "/p"});
        for (key, value) in extra.as_object().expect("an object") {
            line[key] = value.clone();
        }
        line
    };
    let said = |text: &str| json!({"content": text});
    let text = lines(&[
        json!({"type": "attachment", "sessionId": "s", "cwd": "/p", "attachment": {"type": "hook_additional_context", "content": ["Nudge knows: x"]}}),
        user(json!({"isMeta": true, "message": said("Caveat")})),
        user(json!({"isCompactSummary": true, "message": said("This session is being continued")})),
        user(json!({"message": said("<command-name>/compact</command-name>")})),
        user(json!({"message": said("<local-command-stdout>done</local-command-stdout>")})),
        user(json!({"message": said("[Request interrupted by user]")})),
        json!({"type": "summary", "summary": "x", "leafUuid": "y"}),
        json!({"type": "assistant", "sessionId": "s", "message": {"content": [{"type": "text", "text": "Sure."}]}}),
        json!({"type": "assistant", "sessionId": "s", "message": {"content": [{"type": "tool_use", "id": "d", "name": "Bash", "input": {}}]}}),
        user(json!({"message": {"content": [{"type": "tool_result", "tool_use_id": "d", "is_error": true,
            "content": "The user doesn't want to proceed with this tool use. The tool use was rejected."}]}})),
        json!({"type": "something-new"}),
        json!(["not", "an", "object"]),
    ]) + "{\"cut off\n\n";
    let items = read(Harness::Claude, "s.jsonl", &text);
    let reported: Vec<_> = events(&items).iter().map(|event| event.kind.name()).collect();
    assert_eq!(reported, ["session_start"]);
    let why: Vec<_> = items
        .iter()
        .filter_map(|item| if let Item::Skipped { line, why } = item { Some((*line, *why)) } else { None })
        .collect();
    let expected = [
        (1, Skip::Injected),
        (2, Skip::ProgramText),
        (3, Skip::Summary),
        (4, Skip::ProgramText),
        (5, Skip::ProgramText),
        (6, Skip::ProgramText),
        (7, Skip::Summary),
        (8, Skip::Answer),
        (10, Skip::Declined),
        (11, Skip::Unknown),
        (12, Skip::Malformed),
        (13, Skip::Malformed),
    ];
    assert_eq!(why, expected);
}

/// @import_noise
#[test]
fn a_prompt_keeps_the_persons_words_only() {
    let text = lines(&[
        json!({"type": "user", "sessionId": "s", "message": {"content": [{"type": "text", "text": "look at this"}, {"type": "image", "source": {}}]}}),
        json!({"type": "user", "sessionId": "s", "message": {"content": "<task-notification>\n<task-id>a</task-id>"}}),
    ]);
    let items = read(Harness::Claude, "s.jsonl", &text);
    let prompts: Vec<_> = events(&items).into_iter().filter_map(|event| event.prompt.clone()).collect();
    assert_eq!(prompts[0].text, "look at this");
    assert_eq!(
        prompts.iter().map(|prompt| prompt.by).collect::<Vec<_>>(),
        [Speaker::Person, Speaker::Program]
    );
}

/// @import_noise
#[test]
fn a_line_of_fifty_megabytes_is_a_line() {
    let long = "x".repeat(50 * 1024 * 1024);
    let text = lines(&[
        json!({"type": "user", "sessionId": "s", "message": {"content": long}}),
        json!({"type": "user", "sessionId": "s", "message": {"content": "short"}}),
    ]);
    let items = read(Harness::Claude, "s.jsonl", &text);
    assert_eq!(events(&items).iter().filter(|event| event.kind == EventKind::Prompt).count(), 2);
}

/// @import_noise
#[test]
fn agents_whose_transcripts_are_not_imported_have_no_reader() {
    let readable: Vec<_> =
        Harness::ALL.into_iter().filter(|harness| reader(*harness, "x").is_some()).collect();
    assert_eq!(
        readable,
        [Harness::Claude, Harness::Codex, Harness::Opencode, Harness::Copilot, Harness::Gemini]
    );
}
