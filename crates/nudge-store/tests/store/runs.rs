//! Runs: the database itself knows which state may follow which.

use nudge_core::Scope;
use nudge_core::run::{Mode, RunState, TurnState};
use nudge_store::{LoopDraft, RunId, RunRow, Store, StoreError, TurnEnd, TurnUsage};
use serde_json::Map;

use crate::support::{Home, NOW, after, entry, raw, read, write};

fn run_in(store: &Store, alias: &str, parent: Option<RunId>) -> RunId {
    write(store, |writer| {
        let project = writer.enter_project("/p", "p", "/p", NOW)?;
        let own = writer.put_entry(&entry(&format!("run://{alias}"), ""))?;
        let row = RunRow {
            id: RunId(0),
            project,
            scope: Scope::Run(format!("/p#{alias}")),
            entry: own.id,
            parent,
            alias: alias.to_owned(),
            model: "m".to_owned(),
            state: RunState::Queued,
            outcome: None,
            next_turn: 1,
            next_loop: 1,
            root: None,
            session: None,
            temperature: None,
            persona: None,
            context_limit: None,
            created_at: NOW,
            updated_at: NOW,
        };
        writer.add_run(&row, NOW)
    })
}

/// @run_states: each change that the table of states does not have is rejected, by the program and
/// by the database alike.
#[test]
fn the_database_rejects_an_illegal_change_of_state() {
    let home = Home::new();
    let store = home.open();
    let run = run_in(&store, "night", None);
    drop(store);
    let conn = raw(&home.database());
    let is_allowed = |from: RunState, to: RunState| {
        conn.execute_batch("SAVEPOINT one").expect("begun");
        let changed = set_by_way_of(&conn, run, from)
            .and_then(|()| conn.execute("UPDATE run SET state = ?2 WHERE id = ?1", (run.0, to.code())));
        conn.execute_batch("ROLLBACK TO one; RELEASE one").expect("undone");
        changed.is_ok()
    };
    for from in RunState::ALL {
        for to in RunState::ALL {
            assert_eq!(is_allowed(from, to), from == to || from.may_become(to), "{from:?} to {to:?}");
        }
    }
    drop(conn);
    let store = home.open();
    let refused = store.write(nudge_store::Durability::Stated, |writer| {
        writer.set_run_state(run, RunState::Completed, None, after(1))
    });
    assert!(
        matches!(refused, Err(StoreError::RunState { from: RunState::Queued, to: RunState::Completed })),
        "{refused:?}"
    );
}

/// Brings a queued run into a state by allowed changes.
fn set_by_way_of(conn: &rusqlite::Connection, run: RunId, state: RunState) -> rusqlite::Result<()> {
    let way: &[RunState] = match state {
        RunState::Queued => &[],
        RunState::Running => &[RunState::Running],
        other => &[RunState::Running, other],
    };
    for step in way {
        conn.execute("UPDATE run SET state = ?2 WHERE id = ?1", (run.0, step.code()))?;
    }
    Ok(())
}

/// @run_states: a turn only goes forward, so no request is sent twice.
#[test]
fn a_turn_only_goes_forward() {
    let home = Home::new();
    let store = home.open();
    let run = run_in(&store, "night", None);
    let turn = write(&store, |writer| {
        let draft = LoopDraft {
            run,
            mode: Mode::Ask,
            model: "m".to_owned(),
            prompt: "prompt://1".to_owned(),
            config: Map::new(),
        };
        writer.queue_loop(&draft, NOW)?;
        let open = writer.open_loop(run)?.expect("a loop");
        let (turn, seq) = writer.begin_turn(run, open.id, 10, NOW)?;
        assert_eq!(seq, 1);
        writer.answer_turn(turn, TurnUsage::default(), 0)?;
        Ok(turn)
    });
    let end = |state| TurnEnd { state, errors: 0, strikes: 0, fingerprint: String::new() };
    let set = |state| {
        store.write(nudge_store::Durability::Stated, |writer| writer.end_turn(turn, &end(state), after(1)))
    };
    assert!(set(TurnState::Sent).is_err(), "an answered turn is not sent again");
    assert!(set(TurnState::Lost).is_err(), "nor lost");
    set(TurnState::Ended).expect("it ends");
    for state in [TurnState::Sent, TurnState::Answered, TurnState::Failed, TurnState::Lost] {
        assert!(set(state).is_err(), "{state:?} after its end");
    }
    assert_eq!(read(&store, |reader| reader.turns(run))[0].state, TurnState::Ended);
    assert_eq!(read(&store, |reader| reader.run(run)).expect("a run").next_turn, 2);
}

/// @run_retention: only a run that is over, old enough and without forks is removed.
#[test]
fn an_ended_run_without_forks_is_removed() {
    let home = Home::new();
    let store = home.open();
    let parent = run_in(&store, "parent", None);
    let child = run_in(&store, "child", Some(parent));
    let remove = |id, before| write(&store, |writer| writer.remove_ended_run(id, before, after(9)));
    assert!(!remove(child, after(5)), "it is not over");
    write(&store, |writer| {
        writer.set_run_state(parent, RunState::Aborted, None, after(1))?;
        writer.set_run_state(child, RunState::Aborted, None, after(2))
    });
    let ended = |before| {
        let runs = read(&store, |reader| reader.runs_ended_before(before, 9));
        runs.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(ended(after(5)), [child], "the parent has a fork");
    assert_eq!(ended(after(2)), []);
    assert!(!remove(parent, after(5)) && !remove(child, after(2)) && remove(child, after(5)));
    assert_eq!(ended(after(5)), [parent]);
    assert!(remove(parent, after(5)) && !remove(parent, after(5)));
}
