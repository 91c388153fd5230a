//! Commits always show some content.

use nudge_core::ObservationKind as Kind;
use nudge_memory::capture::EventBody;
use serde_json::{Value, json};

use crate::upkeep::setup::{MINUTE, Scene, did, ended, object, said, touched};

/// What `nudge recent` and a session start show for a project, as one text.
fn shown(scene: &Scene, project: &str) -> (Value, String) {
    let recent = scene.home.run(["recent", "--project", project, "--json"]).json();
    let context = scene.home.run(["context", "--project", project, "--json"]).json();
    (recent, context["text"].as_str().unwrap_or_default().to_owned())
}

/// Hooks store no commit without a message or a hash. @capture_git
#[test]
fn a_commit_without_content_is_a_command() {
    let scene = Scene::new();
    let project = scene.home.dir("shop");
    for (number, (command, said)) in [
        ("git commit -q -m \"$(cat message.txt)\"", ""),
        ("git commit -q -m ''", ""),
        ("git commit -q --amend --no-edit", ""),
        ("git commit -m 'not made' | tail -1", "nothing to commit, working tree clean"),
        (
            "git commit -m 'not made' | tail -1",
            "fatal: not a git repository (or any of the parent directories): .git",
        ),
        ("git commit -q -m 'made in silence'", ""),
        ("git commit --amend --no-edit", "[main 1a2b3c4] made aloud\n 1 file changed, 1 insertion(+)"),
    ]
    .into_iter()
    .enumerate()
    {
        let event = json!({
            "session_id": "s-1", "cwd": project, "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": format!("toolu_{number}"), "tool_input": {"command": command},
            "tool_response": {"stdout": said, "stderr": "", "interrupted": false},
        });
        scene.home.nudge(["record"]).stdin(event.to_string()).run().ok();
    }
    let trace = scene.home.run(["trace", "s-1", "--json"]).json().to_string();
    assert_eq!(trace.matches("\"git_commit\"").count(), 2, "{trace}");
    let (recent, context) = shown(&scene, "shop");
    for text in ["made in silence", "made aloud"] {
        assert!(context.contains(text) || recent.to_string().contains(text), "{text}: {context}\n{recent}");
    }
}

/// A row stored before that rule shows its command. @capture_git
#[test]
fn a_row_with_an_empty_message_shows_its_command() {
    for message in ["", " \\n"] {
        let scene = Scene::new();
        let at = scene.now - 60 * MINUTE;
        let command = "git commit -q -m \"$(cat message.txt)\"";
        let mut commit = did("s-1", "shop", at + 3 * MINUTE, Kind::GitCommit, command);
        let EventBody::Action(action) = &mut commit.what else { panic!("an action") };
        action.metadata = object(&format!("{{\"commit_message\":\"{message}\"}}"));
        scene.keep(&[
            said("s-1", "shop", at + MINUTE, "fix the failing tests of the cart parser"),
            touched("s-1", "shop", at + 2 * MINUTE, Kind::FileEdit, "/w/shop/cart.rs"),
            did("s-1", "shop", at + 2 * MINUTE + 1, Kind::Command, "cargo test"),
            commit,
            ended("s-1", "shop", at + 4 * MINUTE),
        ]);
        let (_, context) = shown(&scene, "shop");
        assert!(context.contains("git commit -q -m"), "{context}");
        scene.home.run(["maintain"]).ok();
        let summaries = scene.summaries();
        let commits = &summaries.first().expect("a summary").1["commits"];
        assert_eq!(commits, &json!([{"message": command}]), "{summaries:?}");
    }
}
