//! A hook's answer at the start of a session.

use nudge_core::Timestamp;
use nudge_harness::Harness;
use nudge_testkit::store::StoreError;
use nudge_testkit::{StoredMemory, TEST_DEADLINE, git};
use serde_json::{Value, json};

use crate::inject::kit::{Scene, context, plain, said, start_event, starts};

/// @injection_hook: every agent that accepts text at a session's start gets it in its own format;
/// the others get their empty answer.
#[test]
fn every_agent_is_injected_in_its_own_dialect() {
    let scene = Scene::worked();
    for harness in Harness::ALL {
        let session = format!("new-{}", harness.name());
        let payload = starts(harness, &session, &scene.project);
        let answer = said(scene.home.nudge(["hook", harness.name()]).stdin(payload).run());
        let injected = context(harness, &answer);
        if start_event(harness).is_none() {
            assert_eq!(answer, harness.spec().silence, "{}", harness.name());
            continue;
        }
        assert!(
            injected.starts_with("<nudge-memory id=\"") && injected.contains("src/parse.rs"),
            "{}: {answer}",
            harness.name()
        );
        let keys: Vec<String> = match serde_json::from_str::<Value>(&answer).expect("JSON") {
            Value::Object(answer) => answer.keys().cloned().collect(),
            other => panic!("{other}"),
        };
        let expected: &[&str] = match harness {
            Harness::Copilot => &["additionalContext"],
            Harness::Cursor => &["additional_context"],
            Harness::Opencode => &["context"],
            _ => &["systemMessage", "hookSpecificOutput"],
        };
        assert_eq!(keys, expected, "{}", harness.name());
        // An entry that nobody used in three starts is withheld, so this session uses it before the
        // next agent's turn.
        scene.record(&json!({"session_id": session, "cwd": scene.project, "hook_event_name": "PostToolUse", "tool_name": "Read",
                           "tool_use_id": "r", "tool_input": {"file_path": scene.project.join("src/parse.rs")}, "tool_response": {}}));
        scene.record(&json!({"session_id": session, "cwd": scene.project, "hook_event_name": "SessionEnd", "reason": "exit"}));
    }
}

/// @injection_hook: the user sees the cost in one line; the model sees the state of the work.
#[test]
fn the_person_sees_the_price() {
    let scene = Scene::worked();
    let event = json!({"session_id": "new", "cwd": scene.project, "hook_event_name": "SessionStart", "source": "startup"});
    let answer: Value = serde_json::from_str(&scene.fire(&event)).expect("JSON");
    let notice = answer["systemMessage"].as_str().expect("a line");
    assert!(notice.starts_with("nudge: 3 lines, 1") && notice.ends_with(" tokens"), "{notice}");
    let delivered = context(Harness::Claude, &answer.to_string());
    let price = nudge_core::tokens::estimate(&delivered).0;
    assert_eq!(
        notice,
        format!("nudge: 3 lines, {price} tokens"),
        "of the text as it is delivered, frame and all"
    );
    insta::assert_snapshot!(plain(&delivered));
}

/// @injection_hook: a server builds the block and gives it to the hook; so does a server with an
/// in-memory store.
#[test]
fn a_server_tells_the_same() {
    let scene = Scene::worked();
    let alone = scene.begin("alone", "startup");
    let server = scene.home.daemon(&[]);
    let served = scene.begin("served", "startup");
    assert_eq!(plain(&served), plain(&alone));
    assert_eq!(scene.begin("served", "resume"), "");
    assert!(scene.begin("served", "compact").contains("src/parse.rs"));
    drop(server);
    let other = Scene::empty();
    let _ephemeral = other.home.daemon(&["--ephemeral"]);
    other.work("first", &other.project);
    assert!(other.begin("second", "startup").contains("src/parse.rs"));
}

/// @injection_hook: an event delivered twice is answered once.
#[test]
fn an_event_injected_twice_is_answered_once() {
    let scene = Scene::worked();
    assert_ne!(scene.begin("new", "compact"), "");
    assert_eq!(scene.begin("new", "compact"), "", "the same payload within two seconds is the same event");
}

/// @injection_record @injection_typed: `nudge record` prints the block as it is, or as a typed
/// object; and nothing when there is nothing.
#[test]
fn anybody_who_records_a_start_is_injected() {
    let scene = Scene::worked();
    let event = |session: &str, cwd: &std::path::Path| {
        json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"})
            .to_string()
    };
    let injected = scene.home.nudge(["record"]).stdin(event("a", &scene.project)).run().ok();
    assert!(
        injected.starts_with("<nudge-memory id=\"")
            && injected.contains("# nudge context\n## Where the work stopped\n"),
        "{injected}"
    );
    assert_eq!(
        StoredMemory::in_dir(&scene.home.memory()).did("a"),
        ["session_start startup"],
        "and it is stored"
    );
    let typed =
        scene.home.nudge(["record", "--format", "typed"]).stdin(event("b", &scene.project)).run().json();
    assert_eq!(
        (&typed["type"], &typed["session_id"], &typed["lines"]),
        (&json!("session_started"), &json!("b"), &json!(3))
    );
    assert!(typed["context"].as_str().is_some_and(|text| text.contains("src/parse.rs")));
    let elsewhere = scene.home.dir("elsewhere");
    assert_eq!(scene.home.nudge(["record"]).stdin(event("c", &elsewhere)).run().ok(), "");
    let nothing =
        scene.home.nudge(["record", "--format", "typed"]).stdin(event("d", &elsewhere)).run().json();
    assert_eq!(nothing, json!({"type": "session_started", "session_id": "d"}));
}

/// @injection_typed: the text that goes with a prompt is printed as `rich`; when there is none,
/// `degraded` says so.
#[test]
fn anybody_who_records_a_prompt_is_given_what_was_found() {
    let scene = Scene::empty();
    for number in 0..40 {
        scene.work_on(
            &format!("s{number}"),
            &scene.project,
            [&format!("see to matter_{number}"), &format!("src/m{number}.rs"), "make"],
        );
    }
    let asked =
        "the wombat dialect of the greeter drops its trailing vowel when the quokka parser meets an umlaut";
    scene.work_on("old", &scene.project, [asked, "src/wombat.rs", "make wombat"]);
    let concluded = "`fold_marks` in letters.rs took the sign for two; it now takes it for one.";
    scene.fire(&json!({"session_id": "old", "cwd": scene.project, "hook_event_name": "Stop",
        "last_assistant_message": concluded}));
    let typed = |session: &str, prompt: &str| {
        let event = json!({"session_id": session, "cwd": scene.project, "hook_event_name": "UserPromptSubmit", "prompt": prompt});
        scene.home.nudge(["record", "--format", "typed"]).stdin(event.to_string()).run().json()
    };
    let rich = typed(
        "new",
        "why does the quokka parser drop the trailing vowel of the wombat dialect, was that not mended in the greeter before",
    );
    assert_eq!(rich["type"], "rich", "{rich}");
    let text = rich["content"].as_str().expect("text");
    assert!(text.contains("wombat dialect") && text.contains(concluded), "{rich}");
    assert!(rich["token_count"].as_u64().is_some_and(|tokens| tokens <= 800), "{rich}");
    let other = typed("newer", "add a dark theme to the settings page and let people choose it from a menu");
    assert_eq!(other, json!({"type": "degraded", "reason": "no_context"}));
}

/// @injection_typed: a memory that does not accept the event in time is `server_timeout`, one that
/// cannot is `request_failed`; the caller goes on in both cases.
#[test]
fn a_memory_that_is_not_ready_is_degraded() {
    let scene = Scene::worked();
    let kept = StoredMemory::in_dir(&scene.home.memory());
    for event in ["SessionStart", "UserPromptSubmit"] {
        let typed = || {
            let event = json!({"session_id": "new", "cwd": scene.project, "hook_event_name": event,
                "source": "startup", "prompt": "go on"});
            let call = scene.home.nudge(["record", "--format", "typed"]).env(TEST_DEADLINE, "1");
            call.stdin(event.to_string()).run().json()
        };
        assert_eq!(
            kept.while_locked(typed),
            json!({"type": "degraded", "reason": "server_timeout"}),
            "{event}"
        );
        let version = kept.set_version(9_999);
        assert_eq!(typed(), json!({"type": "degraded", "reason": "request_failed"}), "{event}");
        kept.set_version(version);
    }
}

/// @injection_errors: while another process holds the store, nothing is injected and nothing waits
/// past the deadline.
#[test]
fn a_busy_store_is_not_waited_for() {
    let Scene { home, project } = Scene::worked();
    let scene = Scene { home: home.with_deadlines(), project };
    let began = std::time::Instant::now();
    let injected = StoredMemory::in_dir(&scene.home.memory()).while_locked(|| scene.begin("new", "startup"));
    assert_eq!(injected, "");
    assert!(began.elapsed() < std::time::Duration::from_secs(3), "{:?}", began.elapsed());
}

/// @injection_errors: a ledger that can be neither read nor written costs only the block: the event
/// is stored, not spooled, and the hook exits 0, prints nothing and is in time, with a server and
/// without.
#[test]
fn a_ledger_that_fails_costs_the_block_alone() {
    let scene = Scene::worked();
    assert_ne!(scene.begin("before", "startup"), "");
    let kept = StoredMemory::in_dir(&scene.home.memory());
    kept.lose_ledger();
    let happens = |session: &str| {
        let began = std::time::Instant::now();
        assert_eq!(scene.begin(session, "startup"), "", "{session}");
        let end = json!({"session_id": session, "cwd": scene.project, "hook_event_name": "SessionEnd", "reason": "exit"});
        assert_eq!(scene.fire(&end), "", "{session}");
        assert!(began.elapsed() < std::time::Duration::from_secs(3), "{session}: {:?}", began.elapsed());
        assert_eq!(kept.did(session), ["session_start startup", "session_end exit"], "{session}");
    };
    happens("alone");
    let _server = scene.home.daemon(&[]);
    happens("served");
}

/// @injection_after_commit: the event is stored before its block is gathered: when an event first
/// reports a checkout's remote address, its own block shows the work in the other copy.
#[test]
fn the_block_shows_what_its_own_event_stored() {
    let scene = Scene::empty();
    let (copy, here) = (scene.home.dir("copy"), scene.home.dir("here"));
    let remote = Some("https://example.com/ada/engine.git");
    git::repository(&copy, remote, "main");
    git::repository(&here, None, "main");
    let start = |session: &str, cwd, source: &str| {
        scene.fire(
            &json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": source}),
        )
    };
    start("one", &copy, "startup");
    scene.work("one", &copy);
    assert_eq!(start("two", &here, "startup"), "", "nothing connects the two");
    git::repository(&here, remote, "main");
    let injected = context(Harness::Claude, &start("two", &here, "resume"));
    assert!(injected.contains("parse.rs [copy]"), "{injected}");
}

/// @injection_after_commit: rows that a sweep removed are not shown by the very next start.
#[test]
fn the_block_shows_what_a_sweep_has_left() {
    let scene = Scene::empty();
    let now = Timestamp::from_millis(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_millis()
            as i64,
    );
    let at = |days: u64| now.minus(std::time::Duration::from_secs(days * 86_400)).to_string();
    let edits = (5..20).map(|number| (1, format!("new_{number}.rs")));
    for (days, file) in [(10, "old.rs".to_owned())].into_iter().chain(edits) {
        let session = format!("s-{days}");
        scene.record(&json!({
            "session_id": session, "cwd": scene.project, "hook_event_name": "PostToolUse", "timestamp": at(days),
            "tool_name": "Edit", "tool_use_id": file, "tool_response": {},
            "tool_input": {"file_path": scene.project.join(&file), "old_string": "a", "new_string": "b"},
        }));
    }
    scene.record(&json!({"session_id": "s-10", "cwd": scene.project, "hook_event_name": "SessionEnd", "reason": "exit", "timestamp": at(10)}));
    let before = scene.begin("three", "startup");
    assert!(before.contains(": old.rs") && before.contains(" new_18.rs"), "{before}");
    scene.home.nudge(["maintain"]).env("NUDGE_RETENTION", "file_edit=5").run().ok();
    let after = scene.begin("four", "startup");
    assert!(!after.contains("old.rs") && after.contains(" new_18.rs"), "{after}");
}

/// @injection_places: a linked worktree and the shared remote address are detected when a session
/// begins.
#[test]
fn worktrees_and_remotes_are_noticed() {
    let scene = Scene::empty();
    let main = scene.home.dir("repo");
    git::repository(&main, Some("git@example.com:ada/engine.git"), "main");
    let beside = scene.home.dir("beside");
    git::worktree(&main, &beside, "feature");
    for (session, cwd) in [("one", &main), ("two", &beside)] {
        scene.fire(&json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"}));
    }
    scene.work("two", &beside);
    let kept = StoredMemory::in_dir(&scene.home.memory());
    let (one, two) = (kept.session("one").expect("kept"), kept.session("two").expect("kept"));
    assert_eq!((one.worktree, one.project), (None, two.project));
    assert_eq!(two.worktree.as_deref().map(std::path::Path::new), beside.canonicalize().ok().as_deref());
    let injected = scene.fire(
        &json!({"session_id": "three", "cwd": main, "hook_event_name": "SessionStart", "source": "startup"}),
    );
    assert!(injected.contains("(worktree beside)"), "{injected}");
    let store = nudge_testkit::memory::store_of(&scene.home).expect("a memory");
    let remote =
        store.read(|reader| Ok::<_, StoreError>(reader.project_label(two.project)?.expect("a project").1));
    assert!(
        remote.expect("read").is_some_and(|remote| remote.contains("example.com") && !remote.contains('@'))
    );
}
