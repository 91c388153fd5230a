//! Private spans and our own files are never stored.

use nudge_core::Speaker;
use nudge_memory::capture::EventBody;
use serde_json::json;

use crate::captured_events::fixtures::{action, ended, failed, prompted, what};

/// @capture_private
#[test]
fn private_spans_are_kept_nowhere() {
    let span = "<private>hunter2</private>";
    let prompt = what(&prompted(&format!("login with {span} please")));
    assert_eq!(prompt, EventBody::Prompt { text: "login with  please".into(), by: Speaker::Person });
    for payload in [
        ended("Bash", json!({"command": format!("echo {span}; <PRIVATE>hunter2")}), json!("")),
        failed(
            "Bash",
            json!({"command": "x", "description": span.to_owned() + "y"}),
            &format!("Exit code 1\n{span}"),
        ),
        ended(
            "Write",
            json!({"file_path": "/a", "content": "a\n<private>\nhunter2\n</private>\nb\n"}),
            json!({}),
        ),
        ended("Edit", json!({"file_path": "/a", "old_string": "x", "new_string": span}), json!({})),
        ended("Grep", json!({"pattern": format!("a{span}")}), json!("")),
        ended("mcp__db__query", json!({"sql": format!("select {span}")}), json!("")),
        ended("Task", json!({"description": format!("do {span}")}), json!("")),
        ended("WebFetch", json!({"url": format!("https://example.org/{span}")}), json!("")),
        ended("AskUserQuestion", json!({"questions": [{"question": format!("is it {span}?")}]}), json!("")),
        ended(
            "Bash",
            json!({"command": "git commit -q -m x"}),
            json!({"stdout": format!("[main abc1234] {span} done")}),
        ),
    ] {
        let kept = action(&payload);
        assert!(!format!("{kept:?}").contains("hunter2"), "{kept:?}");
    }
}

/// @capture_private
#[test]
fn what_is_wholly_private_leaves_nothing() {
    assert_eq!(what(&prompted("<private>all of it</private>")), EventBody::Seen);
    assert_eq!(what(&prompted(" <private>all of it")), EventBody::Seen);
    assert_eq!(what(&ended("Bash", json!({"command": "<private>x</private>"}), json!(""))), EventBody::Seen);
}

/// @capture_private
#[test]
fn a_change_inside_a_private_span_shows_no_lines() {
    let response = json!({
        "originalFile": "a\n<private>\nkey: old\n</private>\n",
        "structuredPatch": [{"lines": ["-key: old", "+key: hunter2"]}],
    });
    let kept =
        action(&ended("Edit", json!({"file_path": "/a", "old_string": "x", "new_string": "y"}), response));
    assert_eq!((kept.metadata.get("changed"), &kept.metadata["lines_added"]), (None, &json!(1)));
}

/// @capture_bounded
#[test]
fn no_line_of_a_private_key_outlives_a_cut() {
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n",
        "k3yL1ne/\n".repeat(900)
    );
    let response = json!({"structuredPatch": [{"lines": ["-k3yL1ne/", "+k3yL1ne/"]}], "originalFile": key});
    for payload in [
        failed("Bash", json!({"command": "cat key; false"}), &format!("Exit code 1\n{key}")),
        ended("Bash", json!({"command": format!("echo '{key}' > a; echo {key}")}), json!("")),
        ended("Write", json!({"file_path": "/a", "content": key}), json!({})),
        ended("Edit", json!({"file_path": "/a", "old_string": "a", "new_string": "b"}), response),
        ended(
            "Edit",
            json!({"file_path": "/a", "old_string": key, "new_string": key.replace("k3y", "k3yL1ne")}),
            json!({}),
        ),
        ended("mcp__db__query", json!({"sql": key}), json!("")),
    ] {
        let kept = action(&payload);
        assert!(!format!("{kept:?}").contains("k3yL1ne"), "{kept:?}");
    }
}
