//! Whether the agent's own schema accepts an answer.

use nudge_harness::Harness;
use nudge_harness::spec::HookPoint;
use serde_json::Value;

/// Most agents accept an empty answer, and two expect an object. Only a session start and a prompt
/// get text, in the agent's own format.
pub(crate) fn check(harness: Harness, name: &str, stdout: &str) {
    let silent = match harness {
        Harness::Cline | Harness::Cursor => serde_json::from_str::<Value>(stdout)
            .is_ok_and(|answer| answer == Value::Object(serde_json::Map::new())),
        _ => stdout.is_empty(),
    };
    let name_is = |part: &str| name.to_lowercase().contains(part);
    let point = match () {
        () if name_is("sessionstart") => Some(HookPoint::SessionStart),
        () if name_is("prompt") => Some(HookPoint::Prompt),
        () => None,
    };
    let valid = silent || point.is_some_and(|point| tells(harness, point, stdout));
    assert!(valid, "{name} of {} was answered {stdout:?}", harness.name());
}

fn tells(harness: Harness, point: HookPoint, stdout: &str) -> bool {
    let takes = |event: &nudge_harness::spec::EventSpec| event.point == point && event.context;
    let Ok(Value::Object(answer)) = serde_json::from_str(stdout) else { return false };
    let keys: Vec<&str> = answer.keys().map(String::as_str).collect();
    let text = match harness {
        Harness::Copilot if keys == ["additionalContext"] => &answer["additionalContext"],
        Harness::Cursor if keys == ["additional_context"] => &answer["additional_context"],
        _ if keys == ["systemMessage", "hookSpecificOutput"] => {
            let inner = &answer["hookSpecificOutput"];
            if inner.as_object().is_none_or(|inner| inner.len() != 2)
                || !harness
                    .spec()
                    .events
                    .iter()
                    .any(|event| takes(event) && inner["hookEventName"] == event.name)
            {
                return false;
            }
            &inner["additionalContext"]
        }
        _ => return false,
    };
    harness.spec().events.iter().any(takes)
        && text.as_str().is_some_and(|text| text.starts_with("<nudge-memory id="))
}
