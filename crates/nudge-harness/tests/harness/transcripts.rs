//! What transcripts add to hooks.

use std::fs;

use nudge_core::event::Outcome;
use nudge_harness::transcript::{ToolEnd, tool_ends};
use nudge_harness::{Harness, tool_use};

use crate::fixtures;

fn rollout() -> String {
    fs::read_to_string(fixtures::folder(Harness::Codex).join("transcript-rollout.jsonl")).expect("captured")
}

/// @harness_transcript_outcomes
#[test]
fn codex_writes_down_how_the_commands_of_its_hooks_ended() {
    let ends = tool_ends(Harness::Codex, &rollout());
    let end = |name: &str| {
        let event = fixtures::one(Harness::Codex, name).event();
        assert_eq!(tool_use(&event).expect("a tool").outcome, Outcome::Unknown);
        let id = event.tool.and_then(|tool| tool.id).expect("an id");
        ends.iter().find(|end| end.id == id).map(|end| end.outcome)
    };
    assert_eq!(end("PostToolUse-Bash"), Some(Outcome::Success));
    assert_eq!(end("PostToolUse-Bash-failing"), Some(Outcome::Failed { exit: Some(3) }));
    assert_eq!(end("PreToolUse-mcp__probe__memory_search-failing"), Some(Outcome::Failed { exit: None }));
    assert_eq!(ends.len(), 6);
}

/// @harness_transcript_outcomes
#[test]
fn any_piece_of_a_transcript_is_read_as_far_as_it_goes() {
    let whole = rollout();
    let all = tool_ends(Harness::Codex, &whole);
    let cuts = (0..whole.len()).step_by(997).filter(|at| whole.is_char_boundary(*at));
    for at in cuts {
        let (before, after) = whole.split_at(at);
        let [before, after]: [Vec<ToolEnd>; 2] =
            [before, after].map(|piece| tool_ends(Harness::Codex, piece));
        assert_eq!(all[..before.len()], before);
        assert_eq!(all[all.len() - after.len()..], after);
        assert!(before.len() + after.len() + 1 >= all.len());
    }
}

/// @harness_transcript_outcomes
#[test]
fn other_agents_tell_it_in_their_hooks() {
    for harness in Harness::ALL.into_iter().filter(|harness| *harness != Harness::Codex) {
        assert_eq!(tool_ends(harness, &rollout()), []);
    }
}
