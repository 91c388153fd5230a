//! Importing transcripts and memories with the real binary.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::cli::home;

fn fixture(path: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read(folder.join(path)).expect("a fixture")
}

fn captured(path: &str) -> String {
    String::from_utf8(fixture(&format!("nudge-harness/tests/fixtures/{path}"))).expect("text")
}

/// Writes a transcript where the agent would have.
fn put(home: &TestHome, at: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = home.path().join(at);
    fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    fs::write(&path, bytes).expect("written");
    path
}

const CLAUDE: &str = ".claude/projects/-home-dev-project/6ce6a2a9-c4b6-42be-9ce0-d12f363551d0.jsonl";
const CODEX: &str = ".codex/sessions/2026/11/14/rollout-2026-11-14T23-13-03-01a1dc55.jsonl";
const OPENCODE: &str = ".local/share/opencode/opencode.db";

/// A home in which all three agents have worked.
fn stocked() -> TestHome {
    let home = home();
    put(&home, CLAUDE, captured("claude/2.1.325/transcript.jsonl"));
    put(&home, CODEX, captured("codex/0.166.0/transcript-rollout.jsonl"));
    put(&home, OPENCODE, fixture("nudge-cli/tests/fixtures/opencode-1.18.33.db"));
    home
}

fn counts(report: &Value) -> [u64; 5] {
    ["files", "sessions", "prompts", "observations", "known"]
        .map(|key| report[key].as_u64().expect("a count"))
}

/// @import_transcripts @import_report
#[test]
fn each_agents_transcripts_are_found_and_reported() {
    let home = stocked();
    assert_snapshot!("import_claude", home.run(["import", "claude"]).page());
    assert_snapshot!("import_codex", home.run(["import", "codex"]).page());
    assert_snapshot!("import_opencode", home.run(["import", "opencode"]).page());
    assert_snapshot!("import_claude_again", home.run(["import", "claude"]).page());
    for (agent, unchanged) in [("claude", 1), ("codex", 1), ("opencode", 2)] {
        let again = home.run(["import", agent, "--json"]).json();
        assert_eq!(counts(&again), [0; 5], "{agent}");
        assert_eq!(again["unchanged"], unchanged, "{agent}");
    }
}

/// @import_own: the transcripts where the agent keeps them are the user's own; those of a path only
/// with `--mine`. Standing instructions in the user's own become proposals.
#[test]
fn the_users_own_transcripts_yield_proposals() {
    let line = |session: &str| {
        let text = json!({"role": "user", "content": "we use pnpm in this repo, never npm"});
        let line = json!({"type": "user", "sessionId": session, "cwd": "/src/shop", "version": "2.1.325",
            "isSidechain": false, "uuid": session, "timestamp": "2026-11-14T10:00:00.000Z", "message": text});
        format!("{line}\n")
    };
    for (at, options, proposed) in [
        (".claude/projects/p/s.jsonl", &[][..], 1),
        ("given/s.jsonl", &["given"], 0),
        ("given/s.jsonl", &["given", "--mine"], 1),
    ] {
        let home = home();
        put(&home, at, line("s-1"));
        home.nudge([&["import", "claude"], options].concat()).cwd(home.path()).run().ok();
        let proposals = home.run(["review", "--list", "--all", "--json"]).json()["proposals"].clone();
        assert_eq!(proposals.as_array().map(Vec::len), Some(proposed), "{options:?}: {proposals}");
        let prompts = home.run(["search", "pnpm", "--all", "--type", "user_prompt", "--json"]).json();
        let by = prompts[0]["stated_by"].as_str().unwrap_or_default().to_owned();
        assert_eq!(by.contains("an imported file"), proposed == 0, "{options:?}: {prompts}");
    }
    home().run(["import", "claude", "--mine"]).exits(2);
}

/// @import_transcripts
#[test]
fn the_variables_of_the_agents_are_heeded_and_a_path_wins() {
    let home = home();
    let elsewhere = put(&home, "conf/projects/p/s.jsonl", captured("claude/2.1.325/transcript.jsonl"));
    let report = home
        .nudge(["import", "claude", "--json"])
        .env("CLAUDE_CONFIG_DIR", home.path().join("conf"))
        .run()
        .json();
    assert_eq!(counts(&report), [1, 1, 3, 10, 0]);
    let rollout =
        put(&home, "x/sessions/rollout-1.jsonl", captured("codex/0.166.0/transcript-rollout.jsonl"));
    let report =
        home.nudge(["import", "codex", "--json"]).env("CODEX_HOME", home.path().join("x")).run().json();
    assert_eq!(counts(&report), [1, 1, 2, 9, 0]);
    for (agent, path) in [("claude", elsewhere), ("codex", rollout)] {
        let path = path.to_string_lossy().into_owned();
        assert_eq!(home.run(["import", agent, &path, "--json"]).json()["unchanged"], 1);
    }
}

/// @import_dry_run
#[test]
fn a_dry_run_leaves_no_trace() {
    let home = stocked();
    let dry = home.run(["import", "claude", "--dry-run", "--json"]).json();
    assert_eq!(counts(&dry), [1, 1, 3, 10, 0]);
    assert!(!home.memory().join("nudge.db").exists());
    assert_snapshot!("import_dry_run", home.run(["import", "claude", "--dry-run"]).page());
    assert_eq!(counts(&home.run(["import", "claude", "--json"]).json()), [1, 1, 3, 10, 0]);
}

/// @import_resumable
#[test]
fn a_transcript_that_grew_is_read_on() {
    let home = home();
    let text = captured("claude/2.1.325/transcript.jsonl");
    let cut = text.find("toolu_53ef8783d8ab").expect("the second call") + 200;
    put(&home, CLAUDE, &text[..cut]);
    let first = home.run(["import", "claude", "--json"]).json();
    assert_eq!(counts(&first), [1, 1, 1, 2, 0]);
    put(&home, CLAUDE, &text);
    let second = home.run(["import", "claude", "--json"]).json();
    assert_eq!(counts(&second), [1, 1, 2, 8, 0]);
    assert_eq!(counts(&home.run(["import", "claude", "--json"]).json()), [0; 5]);
}

/// @import_idempotent
#[test]
fn what_hooks_captured_is_known_when_it_is_imported() {
    let home = stocked();
    for name in ["UserPromptSubmit", "PostToolUse-Bash", "PostToolUseFailure-Bash-failing", "Stop"] {
        home.nudge(["hook", "claude"]).stdin(captured(&format!("claude/2.1.325/{name}.json"))).run().ok();
    }
    for name in ["UserPromptSubmit", "PostToolUse-Bash", "PostToolUse-Bash-failing", "Stop"] {
        home.nudge(["hook", "codex"]).stdin(captured(&format!("codex/0.166.0/{name}.json"))).run().ok();
    }
    // The prompt, both commands, the result of the turn, and the start of a known session.
    let claude = home.run(["import", "claude", "--json"]).json();
    assert_eq!(counts(&claude), [1, 1, 2, 6, 5]);
    // Codex's hooks do not report how commands end; the transcript does.
    let codex = home.run(["import", "codex", "--json"]).json();
    assert_eq!((counts(&codex), &codex["settled"]), ([1, 1, 1, 5, 3], &Value::from(2)));
}

/// @import_report
#[test]
fn mistakes_are_reported_with_a_way_out() {
    let home = home();
    let outcome = home.run(["import", "claude"]);
    assert_snapshot!("import_nothing_there", outcome.exits(3).page());
    let bad = home.run(["import", "claude", "--since", "yesterday"]);
    assert_snapshot!("import_bad_date", bad.exits(2).page());
    put(&home, OPENCODE, "no database");
    assert!(home.run(["import", "opencode"]).exits(2).page().contains("is not an opencode database"));
}

/// @import_transcripts
#[test]
fn a_running_server_does_not_stand_in_the_way() {
    let home = stocked();
    let _server = home.daemon(&[]);
    assert_eq!(counts(&home.run(["import", "codex", "--json"]).json()), [1, 1, 2, 9, 0]);
}

/// @import_memories
#[test]
fn memories_are_imported_and_bad_lines_named() {
    let home = home();
    let text = "{\"id\":\"1\",\"project\":\"web\",\"text\":\"Cache the index\"}\n{\"id\":\"2\"}\nnonsense\n";
    let file = put(&home, "m.jsonl", text).to_string_lossy().into_owned();
    assert_snapshot!("import_memories_dry", home.run(["import", "memories", &file, "--dry-run"]).page());
    assert!(!home.memory().join("nudge.db").exists());
    assert_snapshot!("import_memories", home.run(["import", "memories", &file]).page());
    let again = home.run(["import", "memories", &file, "--json"]).json();
    assert_eq!((&again["imported"], &again["known"]), (&Value::from(0), &Value::from(1)));
    assert_eq!(again["bad"][1], serde_json::json!({"line": 3, "why": "not JSON, at column 2"}));
    let piped = home.nudge(["import", "memories", "-", "--json"]).stdin(text).run().json();
    assert_eq!(piped["known"], 1);
}

/// @import_report
#[test]
fn a_file_that_is_called_like_an_agent_can_still_be_imported() {
    let home = home();
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    let exported = home.run(["export"]).ok();
    put(&home, "claude", exported);
    assert_eq!(home.run(["import", "./claude"]).page(), "✔ imported 0 hints, 1 unchanged\n");
}

/// @import_resumable
#[test]
fn an_import_that_is_killed_loses_nothing() {
    let home = home();
    let mut text = String::new();
    for n in 0..3_000 {
        let at = format!("2026-11-14T{:02}:{:02}:{:02}.000Z", n / 3_600, n / 60 % 60, n % 60);
        let common = format!("\"sessionId\":\"s\",\"cwd\":\"/home/dev/p\",\"timestamp\":\"{at}\"");
        text += &format!(
            "{{\"type\":\"assistant\",{common},\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\",\"input\":{{\"command\":\"make part-{n}\"}}}}]}}}}\n"
        );
        text += &format!(
            "{{\"type\":\"user\",{common},\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t{n}\",\"content\":\"ok\"}}]}}}}\n"
        );
    }
    put(&home, CLAUDE, &text);
    let mut child = home
        .command()
        .args(["import", "claude", "--json"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    std::thread::sleep(std::time::Duration::from_millis(400));
    child.kill().expect("killed, or done");
    child.wait().expect("ended");
    let rest = home.run(["import", "claude", "--json"]).json();
    assert!(rest["observations"].as_u64().expect("a count") <= 3_001);
    // A copy in another place, read from its start, adds nothing new.
    let copy = put(&home, "copy.jsonl", &text).to_string_lossy().into_owned();
    assert_eq!(counts(&home.run(["import", "claude", &copy, "--json"]).json()), [1, 0, 0, 0, 3_001]);
}

/// @import_resumable A session that is in two files begins once, whether they are imported together
/// or one after the other.
#[test]
fn a_session_begins_once_however_its_files_come() {
    let line = |n: u32| {
        let common = format!(
            "\"sessionId\":\"s\",\"cwd\":\"/home/dev/p\",\"timestamp\":\"2026-11-14T10:00:0{n}.000Z\""
        );
        format!(
            "{{\"type\":\"user\",{common},\"uuid\":\"u{n}\",\"message\":{{\"content\":\"question {n}\"}}}}\n"
        )
    };
    let total = |apart: bool| {
        let home = home();
        let first = put(&home, ".claude/projects/-p/a.jsonl", line(1));
        put(&home, ".claude/projects/-p/b.jsonl", line(2));
        if apart {
            home.run(["import".as_ref(), "claude".as_ref(), first.as_os_str()]).ok();
        }
        home.run(["import", "claude"]).ok();
        let trace = home.run(["trace", "s", "--json"]).ok();
        (trace.matches("session_start").count(), trace.matches("user_prompt").count())
    };
    assert_eq!(total(false), total(true));
    assert_eq!(total(true).0, 1);
}
