//! Checks the agents' specs against each other and against the captured payloads.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use nudge_core::event::{EventKind, StartSource};
use nudge_harness::{Harness, deadline};
use serde_json::Value;

use crate::fixtures;

/// @harness_deadlines
#[test]
fn deadlines_are_shorter_than_any_agents_patience() {
    let kinds = [
        (EventKind::Prompt, 200),
        (EventKind::PreTool, 150),
        (EventKind::PostTool, 150),
        (EventKind::ToolFailure, 150),
        (EventKind::SessionStart { source: StartSource::Startup }, 800),
        (EventKind::Stop, 500),
        (EventKind::SessionEnd { reason: None }, 500),
        (EventKind::SubagentStop, 150),
        (EventKind::Other, 150),
    ];
    for (kind, millis) in &kinds {
        assert_eq!(deadline::of(kind), Duration::from_millis(*millis), "{}", kind.name());
        assert!(deadline::MIN_DEADLINE <= deadline::of(kind));
        for harness in Harness::ALL {
            let timeout = harness.spec().timeout;
            let waits = if matches!(kind, EventKind::SessionEnd { .. }) {
                timeout.session_end
            } else {
                timeout.usual
            };
            assert!(deadline::of(kind) < waits, "{harness:?} {}", kind.name());
        }
    }
}

/// @harness_specs
#[test]
fn every_captured_event_of_an_agent_is_in_its_table() {
    // opencode's bus carries more events than we listen to.
    for fixture in fixtures::all().iter().filter(|fixture| fixture.harness != Harness::Opencode) {
        let event = fixture.event();
        assert!(fixture.harness.spec().event(&event.name).is_some(), "{:?} {}", fixture.harness, event.name);
    }
}

/// @harness_specs
#[test]
fn tables_name_each_thing_once() {
    for harness in Harness::ALL {
        let spec = harness.spec();
        let events: BTreeSet<_> = spec.events.iter().map(|event| event.name).collect();
        let tools: BTreeSet<_> = spec.tools.iter().map(|(name, _)| name).collect();
        assert_eq!((events.len(), tools.len()), (spec.events.len(), spec.tools.len()), "{harness:?}");
        assert_eq!(Harness::from_name(spec.name), Some(harness));
        assert!(!spec.traps.is_empty());
    }
    assert_eq!(Harness::from_name("emacs"), None);
}

/// @harness_session_env
#[test]
fn the_variables_that_carry_the_session_carry_the_one_of_the_payload() {
    let carried = |harness: Harness, payload: &str| {
        let env =
            fs::read_to_string(fixtures::folder(harness).join("env-of-hook-process.json")).expect("captured");
        let env: Value = serde_json::from_str(&env).expect("JSON");
        let [name] = harness.spec().session_env else { panic!("one variable") };
        let session = fixtures::one(harness, payload).event().session;
        assert_eq!(env[*name].as_str(), session.as_deref(), "{harness:?}");
    };
    carried(Harness::Claude, "SessionStart-startup");
    carried(Harness::Gemini, "SessionStart-startup");
    carried(Harness::Qwen, "SessionStart-startup");
}
