//! Events and what is stored of them.

use nudge_core::event::PromptText;

use nudge_core::Timestamp;

use super::*;
use crate::capture::CapturedVia;
use crate::projects::ProjectRef;

fn here() -> ReadContext {
    let project =
        ProjectRef { key: "k".into(), name: "n".into(), root: "/p".into(), ..ProjectRef::default() };
    ReadContext {
        now: Timestamp::from_millis(5_000),
        project,
        headless: Some(true),
        via: CapturedVia::Hook,
        own_root: None,
        is_own_tool: |_| false,
    }
}

fn event(harness: &str, kind: EventKind) -> HookEvent {
    HookEvent { session: Some("s".into()), ..HookEvent::new(harness, "Event", kind) }
}

fn kept(event: &HookEvent) -> CapturedEvent {
    read(event, "{}", &here()).expect("a moment")
}

#[test]
fn a_compaction_is_reported_before_and_after_it() {
    let trigger = Some("auto".to_owned());
    for harness in ["claude", "codex", "copilot", "unheard of"] {
        let before = kept(&event(harness, EventKind::PreCompact { trigger: trigger.clone() })).what;
        assert_eq!(before, EventBody::Compact { trigger: trigger.clone(), ahead: true }, "{harness}");
    }
    let after = kept(&event("claude", EventKind::PostCompact { trigger: trigger.clone() })).what;
    assert_eq!(after, EventBody::Compact { trigger, ahead: false });
}

#[test]
fn a_session_is_needed_and_a_time_is_not() {
    let mut prompt = event("claude", EventKind::Prompt);
    prompt.prompt = Some(PromptText { text: "hello".into(), by: Speaker::Person });
    let captured = kept(&prompt);
    assert_eq!((captured.at, captured.headless), (5_000, Some(true)));
    assert_eq!(captured.what, EventBody::Prompt { text: "hello".into(), by: Speaker::Person });
    for (reported, at) in [(4_000, 4_000), (6_000, 6_000), (i64::MAX, 5_000), (-1, 5_000)] {
        prompt.at = Some(Timestamp::from_millis(reported));
        assert_eq!(kept(&prompt).at, at, "{reported}");
    }
    for none in [None, Some(String::new())] {
        prompt.session = none;
        assert_eq!(read(&prompt, "{}", &here()), None);
    }
}

#[test]
fn what_another_event_tells_is_not_kept_again() {
    let mut end = event("claude", EventKind::SessionEnd { reason: None });
    end.repeats = true;
    assert_eq!(kept(&end).what, EventBody::Seen);
    assert_eq!(kept(&event("claude", EventKind::Batch { tool_use_ids: Vec::new() })).what, EventBody::Seen);
}

#[test]
fn ids_stay_as_they_are_unless_nobody_made_them() {
    assert_eq!(id("c40166b0########0"), "c40166b0########0");
    assert_eq!(id(&"x".repeat(5_000)).len(), 64);
}
