//! A home in which an agent has worked, and the events of a new session.

use std::path::{Path, PathBuf};

use nudge_harness::Harness;
use nudge_harness::spec::HookPoint;
use nudge_testkit::{Outcome, TestHome};
use serde_json::{Value, json};

/// A home with a project in it.
pub(crate) struct Scene {
    pub(crate) home: TestHome,
    pub(crate) project: PathBuf,
}

impl Scene {
    /// A scene in which nothing has happened.
    pub(crate) fn empty() -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        let project = home.dir("engine").canonicalize().expect("a directory");
        Self { home, project }
    }

    /// A scene in which one session has asked, edited and run something, and ended.
    pub(crate) fn worked() -> Self {
        let scene = Self::empty();
        scene.work("first", &scene.project);
        scene.record(&json!({"session_id": "first", "cwd": scene.project, "hook_event_name": "SessionEnd", "reason": "exit"}));
        scene
    }

    /// A session asks, edits and runs something.
    pub(crate) fn work(&self, session: &str, cwd: &Path) {
        self.work_on(session, cwd, ["make the parser keep the last token", "src/parse.rs", "cargo test"]);
    }

    /// A session makes this request, edits that file and runs that command, which fails.
    pub(crate) fn work_on(&self, session: &str, cwd: &Path, [limits, file, command]: [&str; 3]) {
        let base = |event: &str| json!({"session_id": session, "cwd": cwd, "hook_event_name": event, "prompt_id": format!("p-{session}")});
        let mut prompt = base("UserPromptSubmit");
        prompt["prompt"] = limits.into();
        let mut edit = base("PostToolUse");
        edit["tool_name"] = "Edit".into();
        edit["tool_use_id"] = format!("e-{session}").into();
        edit["tool_input"] = json!({"file_path": cwd.join(file), "old_string": "a", "new_string": "b"});
        let mut failed = base("PostToolUseFailure");
        failed["tool_name"] = "Bash".into();
        failed["tool_use_id"] = format!("b-{session}").into();
        failed["tool_input"] = json!({"command": command});
        failed["error"] = "Exit code 101\nassertion failed".into();
        for event in [prompt, edit, failed] {
            self.record(&event);
        }
    }

    /// Stores an event with `nudge record`, which has time to wait: on a busy machine a hook could
    /// spool it. Asserts that nothing is printed.
    pub(crate) fn record(&self, event: &Value) {
        assert_eq!(said(self.home.nudge(["record"]).stdin(event.to_string()).run()), "");
    }

    /// Sends an event as Claude Code would; returns the output.
    pub(crate) fn fire(&self, event: &Value) -> String {
        said(self.home.nudge(["hook", "claude"]).stdin(event.to_string()).run())
    }

    /// Starts a session of Claude Code; returns the text injected into the model's context.
    pub(crate) fn begin(&self, session: &str, source: &str) -> String {
        let event = json!({"session_id": session, "cwd": self.project, "hook_event_name": "SessionStart", "source": source});
        context(Harness::Claude, &self.fire(&event))
    }
}

/// A hook's output; asserts exit 0 and nothing on standard error.
#[track_caller]
pub(crate) fn said(outcome: Outcome) -> String {
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    outcome.stdout.trim_end().to_owned()
}

/// The event with which an agent reports a new session, if it accepts text in the answer.
pub(crate) fn start_event(harness: Harness) -> Option<&'static str> {
    let events = harness.spec().events.iter();
    events
        .into_iter()
        .find(|event| event.point == HookPoint::SessionStart && event.context)
        .map(|event| event.name)
}

/// That event for any agent, with every agent's field names at once.
pub(crate) fn starts(harness: Harness, session: &str, cwd: &Path) -> String {
    let name = start_event(harness).unwrap_or(match harness {
        Harness::Cline => "agent_start",
        _ => "session.created",
    });
    json!({
        "session_id": session, "sessionId": session, "sessionID": session, "conversation_id": session, "taskId": session,
        "cwd": cwd, "workspace_roots": [cwd], "directory": cwd,
        "hook_event_name": name, "hookName": name, "event": name, "source": "startup",
        "hook": name, "input": {"sessionID": session, "source": "startup"},
    })
    .to_string()
}

/// The text for the model in an answer of each format; empty when there is none.
pub(crate) fn context(harness: Harness, answer: &str) -> String {
    if answer.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let text = match harness {
        Harness::Copilot => &answer["additionalContext"],
        Harness::Cursor => &answer["additional_context"],
        Harness::Opencode => &answer["context"],
        _ => &answer["hookSpecificOutput"]["additionalContext"],
    };
    text.as_str().unwrap_or_default().to_owned()
}

/// A text without the parts that differ in each run.
pub(crate) fn plain(text: &str) -> String {
    match text.split('"').nth(1) {
        Some(id) => text.replace(id, "ID"),
        None => text.to_owned(),
    }
}
