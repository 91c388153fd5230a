//! Hand-made sessions and their summaries.

use nudge_core::EntryId;
use nudge_store::{Activity, ProjectId, ProjectRow, SessionId};
use serde_json::json;

use super::*;

const START: i64 = 1_794_700_000_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(START + minute * 60_000)
}

fn session() -> SessionRow {
    SessionRow {
        id: SessionId(1),
        name: "s".into(),
        harness: "claude".into(),
        harness_version: None,
        project: ProjectId(1),
        parent: None,
        headless: None,
        started_at: at(0),
        ended_at: None,
        end_reason: None,
        summarised_at: None,
        worktree: None,
        outside_at: None,
        asked_at: None,
        activity: Activity::default(),
    }
}

fn project() -> ProjectRow {
    ProjectRow {
        id: ProjectId(1),
        name: "shop".into(),
        root: "/w/shop".into(),
        keys: vec!["/w/shop/.git".into()],
        created_at: at(0),
        sessions: 1,
    }
}

fn prompt(id: i64, minute: i64, body: &str) -> PromptRow {
    PromptRow {
        id: EntryId(id),
        session: SessionId(1),
        at: at(minute),
        speaker: Speaker::Person,
        body: body.into(),
        attributes: Map::new(),
    }
}

fn did(id: i64, minute: i64, prompt: i64, kind: Kind, body: &str, file: Option<&str>) -> ObservationRow {
    ObservationRow {
        id: EntryId(id),
        session: SessionId(1),
        prompt: Some(EntryId(prompt)),
        kind,
        at: at(minute),
        event: "PostToolUse".into(),
        tool: Some("Tool".into()),
        subagent: None,
        outcome: Outcome::Success,
        pinned: false,
        project: "/w/shop/.git".into(),
        files: file.into_iter().map(Into::into).collect(),
        body: body.into(),
        attributes: Map::new(),
    }
}

fn failed(mut row: ObservationRow, exit: i32) -> ObservationRow {
    row.outcome = Outcome::Failed { exit: Some(exit) };
    row
}

fn a_day() -> (Vec<PromptRow>, Vec<ObservationRow>) {
    let prompts = vec![
        prompt(10, 0, "hello there, what can you do for me today?"),
        prompt(11, 1, "fix the failing tests of the cart parser"),
        prompt(12, 5, "yes go on"),
        prompt(13, 7, "the parser tests of the cart still fail"),
        prompt(14, 30, "now draw a diagram of the deployment pipeline for docs"),
    ];
    let mut commit = did(25, 9, 13, Kind::GitCommit, "git commit -m 'mend cart'", None);
    commit.attributes = Map::from_iter([
        ("commit_hash".into(), json!("1a2b3c4")),
        ("commit_message".into(), json!("mend cart")),
    ]);
    let observations = vec![
        did(20, 2, 11, Kind::FileRead, "/w/shop/cart.rs", Some("/w/shop/cart.rs")),
        did(21, 3, 11, Kind::FileEdit, "/w/shop/cart.rs", Some("/w/shop/cart.rs")),
        failed(did(22, 4, 11, Kind::CommandError, "cargo test cart\nmore", None), 101),
        did(23, 6, 12, Kind::FileEdit, "/w/shop/cart.rs", Some("/w/shop/cart.rs")),
        did(24, 8, 13, Kind::Command, "cargo test cart", None),
        commit,
        did(26, 31, 14, Kind::FileWrite, "/w/shop/docs/deploy.md", Some("/w/shop/docs/deploy.md")),
    ];
    (prompts, observations)
}

#[test]
fn a_session_is_reported_by_what_was_done() {
    let (prompts, observations) = a_day();
    let summary = Summary::of(&session(), &prompts, &observations);
    insta::assert_snapshot!(render(&summary, &session(), &project()), @r"
    fix the failing tests of the cart parser
    claude in shop, 2026-11-14T23:46:40.000Z to 2026-11-15T00:17:40.000Z; prompts: 5, observations: 7, commands: 3, failed: 1
    edited: cart.rs (2), docs/deploy.md
    read: cart.rs
    failed: `cargo test cart` (exit 101)
    committed: 1a2b3c4 mend cart
    - hello there, what can you do for me today? (0 observed, 0 failed)
    - fix the failing tests of the cart parser (6 observed, 1 failed)
    - now draw a diagram of the deployment pipeline for docs (1 observed, 0 failed)
    ");
}

#[test]
fn episodes_follow_the_topic_of_the_prompts() {
    let (prompts, observations) = a_day();
    let summary = Summary::of(&session(), &prompts, &observations);
    let summarised: Vec<_> = summary
        .episodes
        .iter()
        .map(|episode| {
            (episode.intent.as_deref(), episode.observations, episode.failures, episode.trace.len())
        })
        .collect();
    assert_eq!(
        summarised,
        [
            (Some("hello there, what can you do for me today?"), 0, 0, 0),
            (Some("fix the failing tests of the cart parser"), 6, 1, 6),
            (Some("now draw a diagram of the deployment pipeline for docs"), 1, 0, 1),
        ]
    );
    let cart = &summary.episodes[1];
    assert_eq!(cart.hot_files, ["/w/shop/cart.rs"]);
    assert_eq!(
        (cart.started_at.as_str(), cart.ended_at.as_str()),
        (&*at(1).to_string(), &*at(9).to_string())
    );
    assert_eq!(
        serde_json::to_value(&cart.trace[..3]).expect("JSON"),
        json!([
            {"t": 60, "kind": "file_read", "file": "/w/shop/cart.rs"},
            {"t": 120, "kind": "file_edit", "file": "/w/shop/cart.rs"},
            {"t": 180, "kind": "command_error", "failed": true},
        ])
    );
}

#[test]
fn too_little_is_only_marked() {
    let (prompts, observations) = a_day();
    let summary = Summary::of(&session(), &prompts, &observations[..2]);
    assert_eq!(Value::Object(summary.attributes()), json!({"short": true}));
    assert_eq!(render(&summary, &session(), &project()), "a short session");
}

#[test]
fn without_prompts_all_is_one_episode() {
    let (_, observations) = a_day();
    let summary = Summary::of(&session(), &[], &observations);
    assert_eq!((summary.intent, summary.episodes.len()), (None, 1));
    assert_eq!(summary.episodes[0].observations, 7);
}

#[test]
fn long_sessions_are_reported_in_bounds() {
    let many =
        |index: i64| did(index, index, 11, Kind::FileEdit, "x", Some(&format!("/w/shop/{index}.rs"))).clone();
    let observations: Vec<_> = (0..3_000).map(many).collect();
    let prompts: Vec<_> = (0..100)
        .map(|index| {
            prompt(
                10_000 + index,
                index * 30,
                &format!("topic{index} word{index} thing{index} part{index} end{index}"),
            )
        })
        .collect();
    let summary = Summary::of(&session(), &prompts, &observations);
    assert_eq!((summary.files_edited.len(), summary.episodes.len()), (MAX_NAMED, 50));
    assert!(summary.episodes.iter().map(|episode| episode.trace.len()).sum::<usize>() <= 1_000);
    assert_eq!(summary.episodes.iter().map(|episode| episode.observations).sum::<usize>(), 3_000);
}

#[test]
fn what_is_gone_is_still_reported_when_the_session_goes_on() {
    let (mut prompts, observations) = a_day();
    let first = Summary::of(&session(), &prompts, &observations);
    let summarised = Summary::from_attributes(first.attributes()).expect("reads back");
    assert_eq!(summarised, first);
    // All but an edit and a command are deleted, and the session continues.
    let mut left = vec![observations[1].clone(), observations[4].clone()];
    left.push(did(40, 600, 41, Kind::FileEdit, "/w/shop/cart.rs", Some("/w/shop/cart.rs")));
    prompts.push(prompt(41, 599, "round prices of the till to whole cents everywhere"));
    let renewed = summarised.renewed(EntryId(26), &session(), &prompts, &left);
    assert_eq!((renewed.observations, renewed.prompts, renewed.failed), (8, 6, 1));
    assert_eq!(renewed.files_edited[0], Counted { path: "/w/shop/cart.rs".into(), count: 3 });
    assert_eq!(renewed.intent, first.intent);
    assert_eq!(renewed.duration_s, 600 * 60);
    assert_eq!(renewed.episodes[..3], first.episodes[..]);
    assert_eq!(
        renewed.episodes[3].intent.as_deref(),
        Some("round prices of the till to whole cents everywhere")
    );
    // While all rows exist, the summary starts from the beginning.
    let mut all = observations;
    all.extend(left.pop());
    let whole = first.renewed(EntryId(26), &session(), &prompts, &all);
    assert_eq!(whole, Summary::of(&session(), &prompts, &all));
}
