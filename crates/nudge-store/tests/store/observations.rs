//! Sessions, prompts and observations: stored once, found by session, prompt and file.

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_store::{
    ObservationDraft, PromptDraft, SessionId, SessionRow, SessionSeen, Store, StoreError, Subagent, Writer,
};
use serde_json::{Map, Value, json};

use crate::support::{Home, NOW, after, provenance, raw, read, write};

/// A key in a vendor's format, split so that scanners of this repository skip it.
const KEY: &str = concat!("AKIA", "QZ3MFJ6T2XW7NB4D");

fn enter(writer: &Writer<'_>, name: &str, at: Timestamp) -> Result<SessionRow, StoreError> {
    let project = writer.enter_project("/src/demo/.git", "demo", "/src/demo", at)?;
    writer.enter_session(&SessionSeen {
        name,
        harness: "claude",
        harness_version: None,
        project,
        parent: None,
        headless: None,
        at,
    })
}

fn seen(session: SessionId, kind: ObservationKind, body: &str, at: Timestamp) -> ObservationDraft<'_> {
    ObservationDraft {
        project: "/src/demo/.git",
        session,
        prompt: None,
        kind,
        at,
        identity: 7,
        event: "PostToolUse",
        tool: Some("Bash"),
        subagent: None,
        outcome: Outcome::Unknown,
        target: None,
        files: &[],
        body,
        attributes: Map::new(),
        provenance: Box::leak(Box::new(provenance())),
    }
}

fn said(session: SessionId, body: &str, turn: Option<i64>, at: Timestamp) -> PromptDraft<'_> {
    PromptDraft {
        project: "/src/demo/.git",
        session,
        at,
        speaker: Speaker::Person,
        identity: turn.unwrap_or(1),
        turn,
        body,
        attributes: Map::new(),
        provenance: Box::leak(Box::new(provenance())),
    }
}

fn started(store: &Store) -> SessionId {
    write(store, |writer| enter(writer, "s-1", NOW)).id
}

/// @capture_stored: an action reads back whole, with its tool, subagent, files and outcome.
#[test]
fn an_observation_reads_back_whole() {
    let home = Home::new();
    let store = home.open();
    let session = started(&store);
    let files = ["/src/demo/a.rs".to_owned(), "/src/demo/b.rs".to_owned()];
    let mut attributes = Map::new();
    attributes.insert("changed".to_owned(), json!("+x"));
    let id = write(&store, |writer| {
        writer.put_observation(&ObservationDraft {
            subagent: Some(Subagent { name: "a1", kind: Some("explore"), parent: None }),
            outcome: Outcome::Failed { exit: Some(3) },
            files: &files,
            attributes: attributes.clone(),
            ..seen(session, ObservationKind::FileEdit, "/src/demo/a.rs", after(5))
        })
    });
    let row = read(&store, |reader| reader.observation(id)).expect("kept");
    assert_eq!(
        (row.kind, row.at, row.outcome),
        (ObservationKind::FileEdit, after(5), Outcome::Failed { exit: Some(3) })
    );
    assert_eq!((row.event.as_str(), row.tool.as_deref()), ("PostToolUse", Some("Bash")));
    assert_eq!(row.subagent, Some(("a1".to_owned(), Some("explore".to_owned()))));
    assert_eq!((row.files.as_slice(), &row.attributes), (&files[..], &attributes));
    assert_eq!((row.project.as_str(), row.pinned), ("/src/demo/.git", false));
    for file in &files {
        assert_eq!(read(&store, |reader| reader.observations_of_file(file, 9)), [id]);
    }
    let entry = read(&store, |reader| reader.entry_by_id(id)).expect("an entry");
    assert_eq!(entry.path.as_str(), format!("obs://{}", id.0));
}

/// @capture_stored: an action belongs to the prompt with its id, else to the user's newest prompt
/// before it.
#[test]
fn actions_find_their_prompt() {
    let home = Home::new();
    let store = home.open();
    let session = started(&store);
    let (first, second) = write(&store, |writer| {
        let first = writer.put_prompt(&said(session, "one", Some(11), after(10)))?;
        let second = writer.put_prompt(&said(session, "two", Some(22), after(20)))?;
        writer
            .put_prompt(&PromptDraft { speaker: Speaker::Agent, ..said(session, "hm", None, after(30)) })?;
        Ok((first, second))
    });
    let behind = |turn, at| read(&store, |reader| reader.prompt_of_event(session, turn, after(at)));
    assert_eq!(behind(Some(11), 40), Some(first));
    assert_eq!(behind(Some(99), 40), Some(second));
    assert_eq!(behind(None, 40), Some(second));
    assert_eq!(behind(None, 15), Some(first));
    assert_eq!(behind(None, 5), None);
}

/// @capture_stored: an end that is reported later settles the observation, once, and appears in the
/// feed.
#[test]
fn an_outcome_is_settled_later() {
    let home = Home::new();
    let store = home.open();
    let session = started(&store);
    let id =
        write(&store, |writer| writer.put_observation(&seen(session, ObservationKind::Command, "make", NOW)));
    assert!(read(&store, |reader| reader.has_open_outcomes(session)));
    let mut more = Map::new();
    more.insert("response".to_owned(), json!("no rule"));
    write(&store, |writer| {
        let failed = Outcome::Failed { exit: Some(2) };
        writer.settle_observation(id, ObservationKind::CommandError, failed, &more, after(9))
    });
    let row = read(&store, |reader| reader.observation(id)).expect("kept");
    assert_eq!((row.kind, row.outcome), (ObservationKind::CommandError, Outcome::Failed { exit: Some(2) }));
    assert_eq!(row.attributes, more);
    assert!(!read(&store, |reader| reader.has_open_outcomes(session)));
    let known = read(&store, |reader| reader.known_observation(7, NOW, None)).expect("known");
    assert_eq!(known.id, id);
    let changes = read(&store, |reader| reader.feed_after(0, 99)).changes;
    let kinds: Vec<_> = changes.iter().filter(|change| change.entry == id).map(|c| c.kind).collect();
    assert_eq!(kinds, [nudge_store::ChangeKind::Created, nudge_store::ChangeKind::Updated]);
}

/// @capture_sessions: a session is one row under the program's own id; later events fill in what
/// was unknown, and only resuming reopens it.
#[test]
fn a_session_is_filled_in_and_opened_again() {
    let home = Home::new();
    let store = home.open();
    let session = started(&store);
    let row = read(&store, |reader| reader.agent_session(session)).expect("a session");
    write(&store, |writer| writer.close_session(&row, Some("exit"), after(50)));
    let row = read(&store, |reader| reader.agent_session_by_name("s-1")).expect("a session");
    assert_eq!((row.ended_at, row.end_reason.as_deref()), (Some(after(50)), Some("exit")));
    write(&store, |writer| enter(writer, "s-1", after(60)));
    assert_eq!(read(&store, |reader| reader.agent_session(session)).expect("kept").ended_at, Some(after(50)));
    write(&store, |writer| writer.reopen_session(&row, after(60)));
    let row = read(&store, |reader| reader.agent_session(session)).expect("kept");
    assert_eq!((row.id, row.ended_at, row.end_reason), (session, None, None));
}

/// @capture_projects: two merged projects keep all sessions, and both keys lead to the remaining
/// one.
#[test]
fn merged_projects_are_one() {
    let home = Home::new();
    let store = home.open();
    let (old, new) = write(&store, |writer| {
        let old = writer.enter_project("/old", "old", "/old", NOW)?;
        let new = writer.enter_project("/new", "new", "/new", NOW)?;
        assert_ne!(old, new);
        writer.enter_session(&SessionSeen {
            name: "s-old",
            harness: "codex",
            harness_version: None,
            project: old,
            parent: None,
            headless: Some(true),
            at: NOW,
        })?;
        assert_eq!(writer.merge_projects(old, new, NOW)?, 1);
        Ok((old, new))
    });
    assert_eq!(read(&store, |reader| reader.project(old)), None);
    assert_eq!(read(&store, |reader| reader.project_by_key("/old")), Some(new));
    let projects = read(&store, |reader| reader.projects());
    assert_eq!(projects.len(), 1);
    assert_eq!((projects[0].keys.len(), projects[0].sessions), (2, 1));
}

/// @capture_redacted: credentials are replaced in every captured text: body, attributes, files,
/// tool, subagent, project.
#[test]
fn no_text_of_a_capture_keeps_a_credential() {
    let home = Home::new();
    let store = home.open();
    let place = format!("/home/dev/{KEY}");
    write(&store, |writer| {
        let project = writer.enter_project(&place, KEY, &place, NOW)?;
        let session = writer.enter_session(&SessionSeen {
            name: "s",
            harness: "claude",
            harness_version: None,
            project,
            parent: None,
            headless: None,
            at: NOW,
        })?;
        let mut attributes = Map::new();
        attributes.insert("response".to_owned(), json!({"lines": [format!("key {KEY}")]}));
        writer.put_observation(&ObservationDraft {
            project: &place,
            tool: Some(KEY),
            subagent: Some(Subagent { name: KEY, kind: Some(KEY), parent: Some(KEY) }),
            files: &[format!("{place}/x.rs")],
            attributes: attributes.clone(),
            ..seen(session.id, ObservationKind::Command, &format!("curl -H 'X-Key: {KEY}'"), NOW)
        })?;
        writer.put_prompt(&PromptDraft {
            project: &place,
            attributes,
            ..said(session.id, &format!("use {KEY} please"), None, NOW)
        })
    });
    let marked: Vec<Value> = ["obs", "prompt"]
        .iter()
        .flat_map(|scheme| read(&store, |reader| reader.newest(scheme, 9)))
        .map(|entry| entry.attributes["redacted"].clone())
        .collect();
    assert_eq!(marked, [json!(true), json!(true)]);
    drop(store);
    let conn = raw(&home.database());
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("written back");
    let bytes = std::fs::read(home.database()).expect("readable");
    assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()));
}

/// @capture_stored: an identity that is valid for a limited time is not valid after it.
#[test]
fn an_identity_can_be_bound_to_a_window() {
    let home = Home::new();
    let store = home.open();
    let session = started(&store);
    let ls = seen(session, ObservationKind::Command, "ls", after(0));
    let id = write(&store, |writer| writer.put_observation(&ls));
    let known = |at, within| {
        read(&store, |reader| reader.known_observation(7, after(at), within)).map(|known| known.id)
    };
    assert_eq!(known(1_999, Some(2_000)), Some(id));
    assert_eq!(known(2_001, Some(2_000)), None);
    assert_eq!(known(9_000_000, None), Some(id));
}

/// @capture_hashes: content hashes are keyed with the store's key, so two stores have different
/// hashes.
#[test]
fn the_hash_of_a_content_is_keyed() {
    let kept = |home: &Home| {
        let store = home.open();
        let attributes = json!({"hash": "0011223344556677"});
        write(&store, |writer| {
            let session = enter(writer, "s-1", NOW)?.id;
            let draft = seen(session, ObservationKind::FileWrite, "/src/demo/a.txt", NOW);
            let draft =
                ObservationDraft { attributes: attributes.as_object().expect("an object").clone(), ..draft };
            writer.put_observation(&draft)
        });
        let text: String = raw(&home.database())
            .query_row("SELECT attributes FROM entry WHERE attributes LIKE '%hash%'", [], |row| row.get(0))
            .expect("kept");
        serde_json::from_str::<Value>(&text).expect("JSON")["hash"].as_str().expect("a hash").to_owned()
    };
    let (one, other) = (kept(&Home::new()), kept(&Home::new()));
    assert!(one.len() == 16 && one != other && one != "0011223344556677", "{one} {other}");
}
