//! Answers in each agent's own dialect.

use nudge_core::event::EventKind;
use nudge_harness::{Harness, Reply, parse, reply};
use serde_json::{Map, Value, json};

use crate::fixtures;

/// The events at which each agent passes context to the model without side effects.
const CONTEXT_AT: &[(Harness, &[&str])] = &[
    (
        Harness::Claude,
        &[
            "SessionStart",
            "Setup",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "SubagentStart",
            "Notification",
            "PostModelSwitch",
        ],
    ),
    (Harness::Codex, &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"]),
    (
        Harness::Opencode,
        &[
            "chat.message",
            "experimental.chat.system.transform",
            "tool.execute.after",
            "session.started",
            "experimental.session.compacting",
        ],
    ),
    (
        Harness::Copilot,
        &[
            "SessionStart",
            "sessionStart",
            "UserPromptSubmit",
            "userPromptSubmitted",
            "PreToolUse",
            "preToolUse",
            "PostToolUse",
            "postToolUse",
            "SubagentStart",
            "subagentStart",
        ],
    ),
    (Harness::Gemini, &["SessionStart", "BeforeAgent", "AfterTool"]),
    (Harness::Qwen, &["SessionStart", "UserPromptSubmit", "PostToolUse"]),
    (Harness::Cline, &["tool_call", "tool_result"]),
    (
        Harness::Cursor,
        &[
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "subagentStart",
        ],
    ),
];

/// Checks an answer against the part of each agent's schema that we use.
fn assert_valid(harness: Harness, event: &str, printed: &str) {
    if printed.is_empty() {
        assert!(!matches!(harness, Harness::Cline | Harness::Cursor), "{harness:?} wants an object");
        return;
    }
    let answer: Map<String, Value> = serde_json::from_str(printed).expect("an object");
    let (_, at) = CONTEXT_AT.iter().find(|(of, _)| *of == harness).expect("every agent");
    let keys: Vec<_> = answer.keys().map(String::as_str).collect();
    let allowed: &[&str] = match harness {
        Harness::Claude | Harness::Codex | Harness::Gemini | Harness::Qwen => {
            &["systemMessage", "hookSpecificOutput"]
        }
        Harness::Copilot => &["additionalContext"],
        Harness::Cursor => &["additional_context"],
        Harness::Cline | Harness::Opencode => &["context"],
    };
    assert!(keys.iter().all(|key| allowed.contains(key)), "{harness:?} {event}: {printed}");
    if let Some(inner) = answer.get("hookSpecificOutput") {
        let text = &inner["additionalContext"];
        assert_eq!(inner, &json!({"hookEventName": event, "additionalContext": text}));
        assert!(text.is_string());
    }
    if keys.iter().any(|key| *key != "systemMessage") {
        assert!(at.contains(&event), "{harness:?} takes no context at {event}");
    }
}

/// @harness_silence
#[test]
fn saying_nothing_is_valid_everywhere() {
    for fixture in fixtures::all() {
        let printed = reply(fixture.harness, &fixture.event(), &Reply::NOTHING);
        let silence = if matches!(fixture.harness, Harness::Cline | Harness::Cursor) { "{}" } else { "" };
        assert_eq!(printed, silence, "{}", fixture.name);
    }
}

/// @harness_dialects
#[test]
fn every_answer_to_every_payload_is_valid_for_its_agent() {
    let both = Reply { context: Some("remember \"this\"\n".into()), notice: Some("hello".into()) };
    for fixture in fixtures::all() {
        let event = fixture.event();
        for said in [&Reply::NOTHING, &Reply::context("x"), &Reply::notice("y"), &both] {
            assert_valid(fixture.harness, &event.name, &reply(fixture.harness, &event, said));
        }
    }
}

/// @harness_dialects
#[test]
fn context_goes_out_at_the_events_that_take_it_and_at_no_other() {
    for (harness, at) in CONTEXT_AT {
        let declared: Vec<_> =
            harness.spec().events.iter().filter(|event| event.context).map(|event| event.name).collect();
        let (mut declared, mut at) = (declared, at.to_vec());
        declared.sort_unstable();
        at.sort_unstable();
        assert_eq!(declared, at, "{harness:?}");
    }
}

/// @harness_dialects
#[test]
fn each_agent_hears_it_in_its_own_words() {
    let said = Reply { context: Some("ctx".into()), notice: Some("msg".into()) };
    let answers = [
        (Harness::Claude, "UserPromptSubmit"),
        (Harness::Codex, "UserPromptSubmit"),
        (Harness::Opencode, "chat.message"),
        (Harness::Copilot, "PUserPromptSubmit"),
        (Harness::Gemini, "BeforeAgent"),
        (Harness::Qwen, "UserPromptSubmit"),
        (Harness::Cline, "PostToolUse-run_commands"),
        (Harness::Cursor, "beforeSubmitPrompt"),
    ]
    .map(|(harness, name)| {
        format!("{}: {}", harness.name(), reply(harness, &fixtures::one(harness, name).event(), &said))
    });
    insta::assert_snapshot!(answers.join("\n"));
}

/// @harness_no_context
#[test]
fn nothing_is_given_to_a_turn_that_nobody_asked_for() {
    for (harness, name) in [
        (Harness::Qwen, "UserPromptSubmit-toolresult-continuation"),
        (Harness::Claude, "subagent--UserPromptSubmit-task-notification"),
        (Harness::Claude, "Stop"),
        (Harness::Gemini, "AfterAgent"),
        (Harness::Codex, "Stop"),
        (Harness::Codex, "compact--PostCompact-auto"),
        (Harness::Opencode, "tool.execute.after-probe_memory_search"),
        (Harness::Copilot, "agentStop"),
    ] {
        assert_eq!(reply(harness, &fixtures::one(harness, name).event(), &Reply::context("x")), "", "{name}");
    }
    let unknown = r#"{"hook_event_name": "Tomorrow", "session_id": "s", "cwd": "/p"}"#;
    let unknown = parse(Harness::Codex, unknown).expect("an event");
    assert_eq!(unknown.kind, EventKind::Other);
    assert_eq!(reply(Harness::Codex, &unknown, &Reply::context("x")), "");
}

/// @harness_limits
#[test]
fn a_text_over_the_limit_is_left_out_and_never_cut() {
    for (harness, name, most) in [
        (Harness::Claude, "UserPromptSubmit", 10_000),
        (Harness::Codex, "UserPromptSubmit", 10_000),
        (Harness::Cursor, "beforeSubmitPrompt", 10_000),
        (Harness::Cline, "PostToolUse-run_commands", 50_000),
    ] {
        let event = fixtures::one(harness, name).event();
        let whole = reply(harness, &event, &Reply::context(&"x".repeat(most)));
        assert!(whole.len() > most, "{harness:?}");
        let over = reply(harness, &event, &Reply::context(&"x".repeat(most + 1)));
        assert_eq!(over, harness.spec().silence, "{harness:?}");
    }
    for harness in Harness::ALL {
        assert!(harness.spec().limit.admits(&"x".repeat(9_000)), "{harness:?}");
    }
}
