//! Nudge does not capture itself.

use nudge_core::Speaker;
use nudge_memory::capture::{EventBody, speech};
use serde_json::json;

use crate::captured_events::fixtures::{action, ended, failed, prompted, what};

const FRAMED: &str = "<nudge-memory id=\"k3\">you once ran make\n</nudge-memory id=\"k3\">";

/// @capture_own_text
#[test]
fn what_nudge_put_there_does_not_come_back() {
    let prompt = what(&prompted(&format!("{FRAMED}\nfix it")));
    assert_eq!(prompt, EventBody::Prompt { text: "fix it".into(), by: Speaker::Person });
    assert_eq!(what(&prompted(FRAMED)), EventBody::Seen);
    let open = "fix it <nudge-memory id=\"k3\">you once";
    assert_eq!(
        speech(Speaker::Person, open),
        Some(EventBody::Prompt { text: "fix it".into(), by: Speaker::Person })
    );
    let thought = speech(Speaker::Agent, &format!("I see {FRAMED} so I run it"));
    assert_eq!(thought, Some(EventBody::Prompt { text: "I see  so I run it".into(), by: Speaker::Agent }));
    let kept = action(&failed("Bash", json!({"command": "x"}), &format!("Exit code 1\nno{FRAMED}")));
    assert_eq!(kept.metadata["response"], "Exit code 1\nno");
}

/// @capture_own_text
#[test]
fn our_own_tools_and_files_are_not_captured() {
    let own = "/home/dev/.local/share/nudge";
    for payload in [
        ended("mcp__nudge__set_hint", json!({"component": "a"}), json!("")),
        ended("mcp__plugin_nudge_nudge__search", json!({"query": "a"}), json!("")),
        ended("Read", json!({"file_path": format!("{own}/nudge.db")}), json!("")),
        ended("Grep", json!({"pattern": "x", "path": own}), json!("")),
    ] {
        assert_eq!(what(&payload), EventBody::Seen, "{payload}");
    }
    assert!(matches!(
        what(&ended("Read", json!({"file_path": format!("{own}-other/x")}), json!(""))),
        EventBody::Action(_)
    ));
}

/// @capture_own_text
#[test]
fn prompts_of_the_program_are_not_the_persons() {
    let note = "<task-notification>\n<task-id>a</task-id>";
    assert_eq!(what(&prompted(note)), EventBody::Prompt { text: note.into(), by: Speaker::Program });
    assert_eq!(what(&prompted("<system-reminder>mind the gap</system-reminder>")), EventBody::Seen);
    assert_eq!(what(&prompted(" ")), EventBody::Seen);
}
