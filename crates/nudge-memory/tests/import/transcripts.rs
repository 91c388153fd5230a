//! Transcripts become sessions, prompts and observations, once.

use std::fs;
use std::io::Write;

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_harness::Harness;
use nudge_memory::capture::{self, CapturedVia, ReadContext, project};
use nudge_memory::import::{self, Request};
use nudge_store::Durability;
use serde_json::{Value, json};

use crate::import::setup::{ImportBench, NOW, captured};

const CLAUDE: &str = "6ce6a2a9-c4b6-42be-9ce0-d12f363551d0";
/// Kinds that are not actions.
const AROUND: [ObservationKind; 2] = [ObservationKind::SessionStart, ObservationKind::Conclusion];

const CODEX: &str = "01a1dc55-f4f4-7411-8c84-c02392eced43";

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A session of Claude Code with one command per number.
fn claude_lines(session: &str, cwd: &str, numbers: std::ops::Range<u32>) -> Vec<Value> {
    let at = |n: u32, s: u32| format!("2026-11-14T{:02}:{:02}:{s:02}.000Z", 10 + n / 60, n % 60);
    numbers
        .flat_map(|n| {
            let common = json!({"sessionId": session, "cwd": cwd, "version": "2.1.325"});
            let with = |extra: Value| {
                let mut line = common.clone();
                for (key, value) in extra.as_object().expect("an object") {
                    line[key] = value.clone();
                }
                line
            };
            [
                with(json!({"type": "assistant", "timestamp": at(n, 1), "message": {"content":
                    [{"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": {"command": format!("make part-{n}")}}]}})),
                with(json!({"type": "user", "timestamp": at(n, 2), "toolUseResult": {"stdout": "", "stderr": ""}, "message": {"content":
                    [{"type": "tool_result", "tool_use_id": format!("t{n}"), "content": "ok"}]}})),
            ]
        })
        .collect()
}

/// @import_transcripts
#[test]
fn a_session_of_claude_is_there_with_its_prompts_commands_and_outcomes() {
    let bench = ImportBench::new();
    let file = bench.file("projects/p/6ce6.jsonl", captured(Harness::Claude, "transcript.jsonl"));
    let report = bench.import(Harness::Claude, file.parent().expect("a folder"));
    assert_eq!((report.files, report.sessions, report.prompts, report.observations), (1, 1, 3, 10));
    assert_eq!((report.known, report.settled), (0, 0));
    assert_eq!(report.skipped["injected"], 42);
    let (prompts, seen) = bench.session(CLAUDE);
    assert!(prompts.iter().all(|prompt| prompt.speaker == Speaker::Person));
    let kinds: Vec<_> = seen.iter().map(|row| (row.kind, row.outcome)).collect();
    assert_eq!(kinds[0].0, ObservationKind::SessionStart);
    assert!(kinds.contains(&(ObservationKind::Command, Outcome::Success)));
    assert!(kinds.contains(&(ObservationKind::CommandError, Outcome::Failed { exit: Some(3) })));
    assert_eq!(kinds.iter().filter(|(kind, _)| *kind == ObservationKind::SessionCompact).count(), 1);
    let command = seen.iter().find(|row| row.kind == ObservationKind::Command).expect("a command");
    assert_eq!(
        (command.body.as_str(), command.at.to_string().as_str()),
        ("cat a.txt", "2026-11-14T23:17:13.934Z")
    );
}

/// @import_transcripts
#[test]
fn a_session_of_codex_is_there_with_the_exit_statuses_that_its_hooks_leave_out() {
    let bench = ImportBench::new();
    let file = bench
        .file("sessions/2026/11/14/rollout-x.jsonl", captured(Harness::Codex, "transcript-rollout.jsonl"));
    let report = bench.import(Harness::Codex, file.ancestors().nth(4).expect("the sessions"));
    assert_eq!((report.files, report.sessions, report.prompts, report.observations), (1, 1, 2, 9));
    let (_, seen) = bench.session(CODEX);
    let outcomes: Vec<_> =
        seen.iter().filter(|row| !AROUND.contains(&row.kind)).map(|row| row.outcome).collect();
    let failed = |exit| Outcome::Failed { exit };
    let ok = Outcome::Success;
    assert_eq!(outcomes, [ok, failed(Some(3)), ok, ok, ok, failed(None)]);
}

/// @import_transcripts
#[test]
fn thinking_is_kept_as_the_agents_own_and_subagents_keep_their_label() {
    let bench = ImportBench::new();
    let mut values = claude_lines("s", "/home/dev/p", 0..1);
    values.push(json!({"type": "assistant", "sessionId": "s", "cwd": "/home/dev/p", "timestamp": "2026-11-14T11:00:00.000Z",
        "message": {"content": [{"type": "thinking", "thinking": "The parser is slow because it copies."}]}}));
    bench.file("p/s.jsonl", lines(&values));
    let mut inner = claude_lines("s", "/home/dev/p", 5..6);
    inner.iter_mut().for_each(|line| {
        line["isSidechain"] = true.into();
        line["agentId"] = "a1".into();
    });
    bench.file("p/s/subagents/agent-a1.jsonl", lines(&inner));
    let report = bench.import(Harness::Claude, bench.path().join("p").as_path());
    assert_eq!((report.files, report.sessions, report.thoughts), (2, 1, 1));
    let (prompts, seen) = bench.session("s");
    assert_eq!(
        (prompts[0].speaker, prompts[0].body.as_str()),
        (Speaker::Agent, "The parser is slow because it copies.")
    );
    let labels: Vec<_> = seen
        .iter()
        .filter(|row| row.kind == ObservationKind::Command)
        .map(|row| row.subagent.as_ref().map(|agent| agent.0.as_str()))
        .collect();
    assert_eq!(labels, [None, Some("a1")]);
}

/// @import_idempotent
#[test]
fn importing_again_adds_nothing_even_when_the_marks_are_gone() {
    let bench = ImportBench::new();
    let text = captured(Harness::Claude, "transcript.jsonl");
    let file = bench.file("p/6ce6.jsonl", &text);
    let first = bench.import(Harness::Claude, &file);
    let again = bench.import(Harness::Claude, &file);
    assert_eq!((again.files, again.unchanged, again.known, again.observations), (0, 1, 0, 0));
    // The same transcript at another path is read whole, and all of it is known.
    let copy = bench.file("moved/6ce6.jsonl", &text);
    let moved = bench.import(Harness::Claude, &copy);
    assert_eq!((moved.prompts, moved.observations, moved.sessions), (0, 0, 0));
    assert_eq!(moved.known, first.prompts + first.observations);
}

/// @import_idempotent
#[test]
fn what_hooks_reported_is_not_reported_again() {
    let bench = ImportBench::new();
    let home = bench.home();
    home.prepare().expect("a home");
    let store = bench.store();
    for name in [
        "SessionStart-startup",
        "UserPromptSubmit",
        "PostToolUse-Bash",
        "PostToolUseFailure-Bash-failing",
        "Stop",
    ] {
        let payload = captured(Harness::Claude, &format!("{name}.json"));
        let event = nudge_harness::parse(Harness::Claude, &payload).expect("a payload");
        let here = ReadContext {
            // Hooks of Claude Code carry no time, so they come minutes before or after the time in
            // the transcript.
            now: Timestamp::from_millis(NOW.as_millis() - 60_000),
            project: project::resolve(event.cwd.as_deref().map(std::path::Path::new), None),
            headless: None,
            via: CapturedVia::Hook,
            own_root: None,
            is_own_tool: nudge_testkit::registry::has,
        };
        let captured = capture::read(&event, &payload, &here).expect("a moment");
        store
            .write(Durability::Passive, |writer| capture::store_event(writer, &captured, &[]))
            .expect("kept");
    }
    drop(store);
    let file = bench.file("p/6ce6.jsonl", captured(Harness::Claude, "transcript.jsonl"));
    let report = bench.import(Harness::Claude, &file);
    assert_eq!((report.known, report.prompts, report.observations), (5, 2, 6));
    let (prompts, seen) = bench.session(CLAUDE);
    assert_eq!((prompts.len(), seen.len()), (3, 10));
}

/// @capture_conclusions: the conclusions of an old session's turns are stored as the agent's words,
/// and recognised when it is imported again.
#[test]
fn what_turns_came_to_is_imported_once() {
    for (harness, name) in [
        (Harness::Claude, "transcript.jsonl"),
        (Harness::Codex, "transcript-rollout.jsonl"),
        (Harness::Copilot, "transcript-events.jsonl"),
        (Harness::Gemini, "transcript-session.jsonl"),
    ] {
        let bench = ImportBench::new();
        let text = captured(harness, name);
        let first = bench.import(harness, &bench.file("one/rollout-x.jsonl", &text));
        let again = bench.import(harness, &bench.file("two/rollout-x.jsonl", &text));
        let agent = harness.name();
        assert_eq!((again.prompts, again.observations), (0, 0), "{agent}");
        assert_eq!(again.known, first.prompts + first.observations, "{agent}");
        let sessions = bench.store().read(|reader| reader.agent_sessions_after(nudge_store::SessionId(0), 9));
        let (_, seen) = bench.session(&sessions.expect("read")[0].name);
        let concluded =
            seen.iter().find(|row| row.kind == ObservationKind::Conclusion).expect("a conclusion");
        assert_eq!(concluded.body, "All done.", "{agent}");
    }
}

/// @import_resumable
#[test]
fn an_import_that_was_stopped_goes_on_where_it_was() {
    let bench = ImportBench::new();
    let whole = lines(&claude_lines("s", "/home/dev/p", 0..40));
    // Cut in the middle of a line, between a call and its result.
    let cut = whole.match_indices('\n').nth(40).expect("lines").0 + 30;
    let file = bench.file("p/s.jsonl", &whole[..cut]);
    let first = bench.import(Harness::Claude, &file);
    assert_eq!(first.observations, 1 + 21, "the start, twenty commands and one that has not ended");
    fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .expect("opens")
        .write_all(&whole.as_bytes()[cut..])
        .expect("written");
    let second = bench.import(Harness::Claude, &file);
    assert_eq!((second.observations, second.settled, second.known), (19, 1, 0));
    let (_, seen) = bench.session("s");
    assert_eq!(seen.len(), 41);
    assert!(seen.iter().skip(1).all(|row| row.outcome == Outcome::Success));
    let third = bench.import(Harness::Claude, &file);
    assert_eq!((third.files, third.unchanged), (0, 1));
}

/// @import_resumable
#[test]
fn a_file_that_was_replaced_is_read_from_its_start() {
    let bench = ImportBench::new();
    let file = bench.file("p/s.jsonl", lines(&claude_lines("s", "/home/dev/p", 0..30)));
    bench.import(Harness::Claude, &file);
    bench.file("p/s.jsonl", lines(&claude_lines("t", "/home/dev/p", 0..40)));
    let report = bench.import(Harness::Claude, &file);
    assert_eq!((report.sessions, report.observations), (1, 41));
}

/// @import_dry_run
#[test]
fn a_dry_run_counts_and_makes_nothing() {
    let bench = ImportBench::new();
    let file = bench.file("p/6ce6.jsonl", captured(Harness::Claude, "transcript.jsonl"));
    let dry = Request { dry_run: true, ..bench.request(Harness::Claude, &file) };
    let report = bench.run(&dry);
    assert!(report.dry_run && !bench.home().db().exists(), "nothing was made");
    let done = bench.import(Harness::Claude, &file);
    assert_eq!(
        (report.sessions, report.prompts, report.observations),
        (done.sessions, done.prompts, done.observations)
    );
    let copy = bench.file("q/6ce6.jsonl", captured(Harness::Claude, "transcript.jsonl"));
    let again = bench.run(&Request { path: copy, ..dry });
    assert_eq!((again.prompts, again.observations, again.known), (0, 0, done.prompts + done.observations));
}

/// @import_report
#[test]
fn dates_projects_and_exclusions_are_respected_and_counted() {
    let bench = ImportBench::new();
    let [kept, secret] = ["kept", "secret"].map(|name| {
        let dir = bench.path().join(name);
        fs::create_dir(&dir).expect("made");
        dir.to_string_lossy().into_owned()
    });
    fs::create_dir_all(bench.home().config_file().parent().expect("a folder")).expect("made");
    fs::write(bench.home().config_file(), format!("exclude = [\"{secret}\"]\n")).expect("written");
    bench.file("t/a.jsonl", lines(&claude_lines("a", &kept, 0..10)));
    bench.file("t/b.jsonl", lines(&claude_lines("b", &secret, 0..10)));
    let all = bench.request(Harness::Claude, &bench.path().join("t"));
    let since = Request { since: Timestamp::parse("2026-11-14T10:05:00Z"), dry_run: true, ..all.clone() };
    let report = bench.run(&since);
    assert_eq!((report.observations, report.skipped["before_since"], report.skipped["excluded"]), (5, 6, 11));
    let elsewhere = Request { project: Some(bench.path().join("t")), dry_run: true, ..all.clone() };
    let report = bench.run(&elsewhere);
    assert_eq!((report.observations, report.skipped["other_project"]), (0, 11));
    let report = bench.run(&all);
    assert_eq!((report.sessions, report.observations), (1, 11));
    // With broken settings it is unknown what they exclude.
    fs::write(bench.home().config_file(), format!("exclude = [\"{secret}\"\n")).expect("written");
    let report = bench.run(&all);
    assert_eq!((report.sessions, report.skipped["settings"]), (0, 11));
    // A project that is no longer excluded is imported after all.
    fs::write(bench.home().config_file(), "").expect("written");
    let report = bench.run(&all);
    assert_eq!((report.sessions, report.observations, report.unchanged), (1, 11, 1));
}

/// @import_report
#[test]
fn bad_lines_are_counted_and_cost_nothing_else() {
    let bench = ImportBench::new();
    let mut text = lines(&claude_lines("s", "/home/dev/p", 0..2)).into_bytes();
    text.extend_from_slice(b"{\"cut\n\xff\xfe\n[1]\n{\"type\":\"brand-new\"}\n");
    text.extend_from_slice(lines(&claude_lines("s", "/home/dev/p", 2..4)).as_bytes());
    let file = bench.file("p/s.jsonl", text);
    let report = bench.import(Harness::Claude, &file);
    assert_eq!((report.observations, report.skipped["malformed"], report.skipped["unknown"]), (5, 3, 1));
    let gone = import::transcripts(
        &bench.home(),
        &bench.request(Harness::Claude, &bench.path().join("gone")),
        &mut |_| {},
    );
    assert_eq!(gone.map_err(|fault| fault.reason), Err("no_file".to_owned()));
}

/// @import_report
#[test]
fn private_spans_and_secrets_do_not_get_in() {
    let bench = ImportBench::new();
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let said = format!("use <private>the blue door</private> and {token} please");
    let values = [json!({"type": "user", "sessionId": "s", "cwd": "/home/dev/p", "promptId": "p1",
        "timestamp": "2026-11-14T10:00:00.000Z", "message": {"content": said}})];
    let file = bench.file("p/s.jsonl", lines(&values));
    bench.import(Harness::Claude, &file);
    let (prompts, _) = bench.session("s");
    assert!(
        !prompts[0].body.contains("blue door") && !prompts[0].body.contains(&token),
        "{}",
        prompts[0].body
    );
}

/// @import_transcripts
#[test]
fn the_sessions_of_opencode_are_read_from_its_database() {
    let bench = ImportBench::new();
    let database = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../nudge-cli/tests/fixtures/opencode-1.18.33.db");
    let file = bench.file("opencode.db", fs::read(database).expect("a database"));
    let report = bench.import(Harness::Opencode, &file);
    assert_eq!(
        (report.files, report.sessions, report.prompts, report.thoughts, report.observations),
        (2, 2, 1, 1, 6)
    );
    let (prompts, seen) = bench.session("ses_e239ee822ffepzQ50lZWc8RtYv");
    assert_eq!(prompts[0].body, "make the parser faster");
    let done: Vec<_> = seen.iter().map(|row| (row.kind, row.outcome)).collect();
    assert_eq!(
        done[1..],
        [
            (ObservationKind::Command, Outcome::Success),
            (ObservationKind::FileEdit, Outcome::Success),
            (ObservationKind::CommandError, Outcome::Failed { exit: Some(101) }),
        ]
    );
    let again = bench.import(Harness::Opencode, &file);
    assert_eq!((again.files, again.unchanged), (0, 2));
}
