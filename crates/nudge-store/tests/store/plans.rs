//! Checks with SQLite's own query plans which reads stay as fast in a large store as in a small
//! one.

use nudge_store::{SecretPolicy, bulk, plans};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::support::{Home, NOW, hint, raw, write};

/// The index with which each flat read finds its first row.
const FOUND_BY: [(&str, &str); 61] = [
    ("an entry by its path", "SEARCH e USING INDEX entry_path (path=? AND scope_id=?)"),
    ("the newest of a scheme", "SEARCH e USING INDEX entry_newest (scheme_id=?)"),
    ("the feed after a position", "SEARCH f USING INTEGER PRIMARY KEY (rowid>?)"),
    ("the head of the feed", "SEARCH feed"),
    ("the floor of the feed", "SEARCH meta USING PRIMARY KEY (key=?)"),
    ("the hints of a key", "SEARCH h USING INDEX hint_name (component=? AND key=?)"),
    ("the hints of a command", "SEARCH h USING INDEX hint_command (command=?)"),
    ("a session by its name", "SEARCH agent_session USING INDEX sqlite_autoindex_agent_session_1 (name=?)"),
    ("an observation by its identity", "SEARCH observation USING INDEX observation_identity (identity=?)"),
    ("the observations of a session", "SEARCH o USING INDEX observation_session (session_id=?)"),
    ("the last observations of a session", "SEARCH o USING INDEX observation_session (session_id=?)"),
    ("the steps of a session", "SEARCH observation USING INDEX observation_session (session_id=?)"),
    (
        "the observations of a file",
        "SEARCH observation_file USING COVERING INDEX observation_by_file (file_id=?)",
    ),
    (
        "what was done before a moment",
        "SEARCH observation USING COVERING INDEX observation_session (session_id=? AND at<?)",
    ),
    (
        "what was done after a moment",
        "SEARCH observation USING COVERING INDEX observation_session (session_id=? AND at>?)",
    ),
    (
        "what was said before a moment",
        "SEARCH prompt USING COVERING INDEX prompt_by_person (session_id=? AND at<?)",
    ),
    (
        "what was said after a moment",
        "SEARCH prompt USING COVERING INDEX prompt_by_person (session_id=? AND at>?)",
    ),
    ("the newest of a session", "SEARCH observation USING INDEX observation_session (session_id=? AND at<?)"),
    ("the newest of a kind", "SEARCH observation USING INDEX observation_kind (kind=? AND at<?)"),
    (
        "what was said last in a session",
        "SEARCH prompt USING COVERING INDEX prompt_by_person (session_id=? AND at<?)",
    ),
    ("what was said last", "SEARCH e USING COVERING INDEX entry_newest (scheme_id=?)"),
    ("the file of an observation", "SEARCH observation_file USING PRIMARY KEY (entry_id=? AND position=?)"),
    ("the scope of an entry", "SEARCH entry USING INTEGER PRIMARY KEY (rowid=?)"),
    (
        "the sessions that began last in a project",
        "SEARCH agent_session USING COVERING INDEX agent_session_newest (project_id=?)",
    ),
    ("who came last into any place", "SEARCH p USING INTEGER PRIMARY KEY (rowid>?)"),
    ("who was lately at work", "SEARCH o USING INTEGER PRIMARY KEY (rowid>?)"),
    (
        "whether a session was in a place",
        "SEARCH p USING COVERING INDEX sqlite_autoindex_provenance_1 (session=? AND project=?)",
    ),
    ("a session within a time", "SEARCH o USING INDEX observation_session (session_id=? AND at>? AND at<?)"),
    (
        "the prompts of a session within a time",
        "SEARCH p USING INDEX prompt_session (session_id=? AND at>? AND at<?)",
    ),
    ("the touches of a file", "SEARCH f USING COVERING INDEX observation_by_file (file_id=?)"),
    ("the newest steps of a session", "SEARCH o USING INDEX observation_session (session_id=? AND at>?)"),
    ("the next steps of a session", "SEARCH o USING INDEX observation_session (session_id=? AND at>?)"),
    ("what was said first in a session", "SEARCH p USING COVERING INDEX prompt_by_person (session_id=?)"),
    ("what was last done in a session", "SEARCH o USING INDEX observation_session (session_id=? AND at>?)"),
    ("what was last said in a session", "SEARCH p USING COVERING INDEX prompt_by_person (session_id=?)"),
    ("the last prompts of a session", "SEARCH p USING INDEX prompt_session (session_id=?)"),
    ("what the user typed in a session", "SEARCH p USING INDEX prompt_by_person (session_id=?)"),
    (
        "what the user typed in a session after a time",
        "SEARCH prompt USING COVERING INDEX prompt_by_person (session_id=? AND at>?)",
    ),
    ("what a session left", "SEARCH o USING INDEX observation_session (session_id=? AND at>?)"),
    ("the commands of a session", "SEARCH o USING INDEX observation_session (session_id=? AND at>?)"),
    (
        "what was injected in a project and acted on",
        "SEARCH i USING INDEX injection_project (project_id=? AND at>?)",
    ),
    ("what was injected into a session", "SEARCH i USING INDEX injection_session (session_id=?)"),
    ("what was injected in a project", "SEARCH i USING INDEX injection_project (project_id=? AND at<?)"),
    (
        "the statements of a project in a stage",
        "SEARCH t USING COVERING INDEX statement_place (scope_id=? AND stage=?)",
    ),
    ("the statements of a project", "SEARCH t USING COVERING INDEX statement_place (scope_id=?)"),
    ("what is silenced in a project", "SEARCH silenced USING PRIMARY KEY (project_id=?)"),
    ("the runs with a mark", "SEARCH attempt USING PRIMARY KEY (project_id=? AND mark=?)"),
    ("whether a mark is known", "SEARCH attempt USING PRIMARY KEY (project_id=? AND mark=?)"),
    (
        "the hypothesis of a session",
        "SEARCH hypothesis USING COVERING INDEX hypothesis_active (session_id=?)",
    ),
    (
        "the hypotheses of a project that are open",
        "SEARCH h USING COVERING INDEX hypothesis_project (project_id=? AND status=?)",
    ),
    ("the entries of a scope", "SEARCH i USING COVERING INDEX entry_scope_of (scope_id=?)"),
    ("the paths that begin alike", "SEARCH entry USING COVERING INDEX entry_path (path>? AND path<?)"),
    ("the scopes of a path", "SEARCH entry USING COVERING INDEX entry_path (path=?)"),
    ("how a viewer sees an entry", "SEARCH v USING PRIMARY KEY (viewer_id=? AND entry_id=?)"),
    ("what a viewer has in view", "SEARCH v USING PRIMARY KEY (viewer_id=?)"),
    ("what a model reads", "SEARCH v USING PRIMARY KEY (viewer_id=?)"),
    ("the prompt of a run that is next", "SEARCH run_loop USING INDEX run_loop_open (run_id=?)"),
    ("the prompts of a run", "SEARCH run_loop USING INDEX sqlite_autoindex_run_loop_1 (run_id=?)"),
    ("the turns of a prompt", "SEARCH run_turn USING INDEX run_turn_loop (loop_id=?)"),
    ("the turns of a run", "SEARCH run_turn USING INDEX sqlite_autoindex_run_turn_1 (run_id=?)"),
    (
        "the observations of a day",
        "SEARCH observation USING COVERING INDEX observation_kind (kind=? AND at>? AND at<?)",
    ),
];

fn filled() -> (Home, Connection) {
    let home = Home::new();
    let store = home.open();
    bulk::fill(&store, 0, 200, SecretPolicy::Allow, NOW).expect("filled");
    write(&store, |writer| writer.put_hint(&hint("api", "build", "make")));
    drop(store);
    let conn = raw(&home.database());
    // As the store sets it: plans do not depend on bound values.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).expect("set");
    (home, conn)
}

fn plan(conn: &Connection, sql: &str) -> Vec<String> {
    let mut explained = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a plan");
    let steps = explained.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>();
    steps.expect("steps")
}

/// The steps of a plan that take longer the more is stored.
fn growing(steps: &[String]) -> Vec<&String> {
    steps.iter().filter(|step| step.starts_with("SCAN") || step.contains("TEMP B-TREE")).collect()
}

/// @kernel_flat_reads: reads by path, newest of a scheme, feed after a position and hints of a key
/// use an index: no scan, no sort.
#[test]
fn flat_reads_search_an_index() {
    let (_home, conn) = filled();
    assert_eq!(plans::FLAT.map(|(name, _)| name), FOUND_BY.map(|(name, _)| name));
    for ((name, sql), (_, first)) in plans::FLAT.into_iter().zip(FOUND_BY) {
        let steps = plan(&conn, sql);
        assert_eq!(growing(&steps), Vec::<&String>::new(), "{name}: {steps:#?}");
        assert!(steps.iter().any(|step| step == first), "{name}: {steps:#?}");
    }
}

/// @kernel_flat_reads: without its index, the plan of each of those reads would show it.
#[test]
fn a_read_without_its_index_is_noticed() {
    let (_home, conn) = filled();
    conn.execute_batch("DROP INDEX entry_path; DROP INDEX entry_newest; DROP INDEX hint_name;")
        .expect("dropped");
    let noticed: Vec<&str> = plans::FLAT
        .into_iter()
        .filter(|(_, sql)| !growing(&plan(&conn, sql)).is_empty())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        noticed,
        [
            "an entry by its path",
            "the newest of a scheme",
            "the hints of a key",
            "what was said last",
            "the paths that begin alike",
            "the scopes of a path",
        ]
    );
}
