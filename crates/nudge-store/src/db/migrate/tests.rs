//! Fresh and upgraded databases are identical; existing steps never change.

use std::fmt::Write as _;
use std::time::Duration;

use nudge_core::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::db::open_write;
use crate::db::options::{HostIdentity, Location};
use crate::db::store::Store;

fn options(dir: &TempDir) -> OpenOptions {
    OpenOptions {
        location: Location::File(dir.path().join("nudge.db")),
        read_only: false,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(1_794_723_027_123),
        busy: Duration::from_secs(5),
        backups: Some(dir.path().join("backups")),
    }
}

/// A database as the version `steps` steps ago left it, with one row.
fn older(dir: &TempDir, steps: usize) -> OpenOptions {
    let options = options(dir);
    let path = dir.path().join("nudge.db");
    drop(crate::db::files::private_file(&path).expect("made"));
    let conn = open::read_write(&path, options.busy).expect("opens");
    prepare_file(&conn).expect("prepared");
    in_transaction(&conn, &options, |conn| {
        found(conn)?;
        STEPS.iter().enumerate().take(steps).try_for_each(|(index, step)| apply(conn, index, step, &options))
    })
    .expect("built");
    conn.execute_batch(
        "INSERT INTO scope (kind, key) VALUES ('global', '');
         INSERT INTO scheme (name) VALUES ('known');
         INSERT INTO provenance (source, tier, client, session, project, machine) VALUES ('user', 'client', '', '', '', '');
         INSERT INTO entry (scope_id, scheme_id, version, origin_id, writer_id, created_at, updated_at, path, attributes, body)
         VALUES (1, 1, 3, 1, 1, 5, 6, 'known://a', '{}', 'kept');",
    )
    .expect("a row");
    options
}

fn schema(conn: &Connection) -> Vec<(String, String, String)> {
    conn.prepare("SELECT type, name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")
        .and_then(|mut found| {
            found.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()
        })
        .expect("a schema")
}

fn pragma(conn: &Connection, name: &str) -> i64 {
    conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).expect("a pragma")
}

#[test]
fn an_upgraded_database_equals_a_fresh_one_and_keeps_its_rows() {
    let fresh_dir = TempDir::new().expect("a temporary directory");
    let fresh = Store::open(&options(&fresh_dir)).expect("made");
    for steps in 1..STEPS.len() {
        let dir = TempDir::new().expect("a temporary directory");
        let options = older(&dir, steps);
        let upgraded = Store::open(&options).expect("upgraded");
        let (left, right) =
            (fresh.connection().expect("a connection"), upgraded.connection().expect("a connection"));
        assert_eq!(schema(left.raw()), schema(right.raw()));
        for name in ["user_version", "application_id", "auto_vacuum"] {
            assert_eq!(pragma(left.raw(), name), pragma(right.raw(), name), "{name}");
        }
        drop(right);
        let newest = upgraded.read(|reader| reader.newest("known", 9)).expect("read");
        assert_eq!((newest.len(), newest[0].version, newest[0].body.as_str()), (1, 3, "kept"));
        assert_eq!(upgraded.check().expect("checked"), Vec::<String>::new());
    }
}

#[test]
fn what_a_run_noted_moves_into_the_run() {
    let dir = TempDir::new().expect("a temporary directory");
    let options = older(&dir, 12);
    let conn = open::read_write(&dir.path().join("nudge.db"), options.busy).expect("opens");
    conn.execute_batch(
        "INSERT INTO scheme (name) VALUES ('run');
         INSERT INTO scope (kind, key) VALUES ('project', '/w'), ('run', '/w#port'), ('project', '/w/.git');
         INSERT INTO project (name, root, created_at) VALUES ('w', '/w', 1);
         INSERT INTO provenance (source, tier, client, session, project, machine)
         VALUES ('agent', 'model', 'run:small', 'r-1', '', ''), ('agent', 'model', 'other', 's-1', '', '');
         INSERT INTO entry (scope_id, scheme_id, version, origin_id, writer_id, created_at, updated_at, path, attributes, body)
         VALUES (2, 2, 1, 2, 2, 5, 6, 'run://port', '{}', ''),
                (4, 1, 1, 2, 2, 5, 6, 'known://noted', '{}', 'by the run, before'),
                (2, 1, 1, 2, 2, 5, 6, 'known://noted', '{}', 'by the run'),
                (2, 1, 2, 3, 3, 5, 6, 'known://agents', '{}', 'by an agent'),
                (2, 1, 2, 3, 2, 5, 6, 'known://both', '{}', 'by an agent, then by the run');
         INSERT INTO entry_scope (entry_id, scope_id) SELECT id, scope_id FROM entry;
         INSERT INTO run (project_id, scope_id, entry_id, alias, model, state, next_turn, next_loop, created_at, updated_at, session)
         VALUES (1, 3, 2, 'port', 'small', 3, 2, 2, 5, 6, 'r-1');",
    )
    .expect("rows");
    drop(conn);
    let store = Store::open(&options).expect("upgraded");
    let found = |path: &str| {
        let path = nudge_core::EntryPath::parse(path).expect("a path");
        let scopes = store.read(|reader| reader.scopes_of(&path)).expect("read");
        let mut kinds: Vec<String> = scopes.into_iter().map(|(scope, _)| scope.kind().to_owned()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(found("known://noted"), ["project", "run"]);
    assert_eq!(
        (found("known://agents"), found("known://both")),
        (vec!["project".to_owned()], vec!["project".to_owned()])
    );
    let run = nudge_core::Scope::Run("/w#port".to_owned());
    let held = store.read(|reader| reader.entries_in(&run, None)).expect("read");
    assert_eq!(held.len(), 1, "and it is listed there");
    assert!(store.read(|reader| reader.has_searchable_changes(0)).expect("read"), "the index hears of it");
}

#[test]
fn an_upgrade_leaves_a_backup_that_opens() {
    let dir = TempDir::new().expect("a temporary directory");
    drop(Store::open(&older(&dir, 1)).expect("upgraded"));
    let listed = || std::fs::read_dir(dir.path().join("backups")).expect("listed").flatten();
    let copy = listed().next().expect("a backup").path();
    let name = copy.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.starts_with("nudge-schema1-2026-11-15T06-10-27.123Z.") && name.ends_with(".db"), "{name}");
    let conn = open::read_write(&copy, Duration::ZERO).expect("opens");
    assert_eq!(version(&conn).expect("a version"), 1);
    assert_eq!(
        conn.query_row("SELECT body FROM entry", [], |row| row.get::<_, String>(0)).expect("a row"),
        "kept"
    );
    drop(Store::open(&options(&dir)).expect("opens"));
    assert_eq!(listed().count(), 1, "once is enough");
}

#[test]
fn an_older_database_in_a_sealed_home_is_upgraded_in_a_copy() {
    let dir = TempDir::new().expect("a temporary directory");
    let options = older(&dir, 1);
    let connection = open_write::another(
        &options,
        &crate::db::options::Access::ReadOnly { reason: crate::db::options::ReadOnlyReason::HomeNotWritable },
        None,
    )
    .expect("opens");
    assert_eq!(connection.version().expect("a version"), LATEST);
    let original = open::read_write(&dir.path().join("nudge.db"), Duration::ZERO).expect("opens");
    assert_eq!(version(&original).expect("a version"), 1);
}

#[test]
fn an_older_database_is_upgraded_also_for_a_reader() {
    let dir = TempDir::new().expect("a temporary directory");
    let options = OpenOptions { read_only: true, ..older(&dir, 1) };
    let store = Store::open(&options).expect("opens");
    assert_eq!(store.read(|reader| reader.newest("known", 9)).expect("read").len(), 1);
    assert_eq!(store.stats().expect("counted").schema_version, LATEST);
}

#[test]
fn a_database_built_by_other_steps_is_refused() {
    let dir = TempDir::new().expect("a temporary directory");
    let options = older(&dir, 1);
    open::read_write(&dir.path().join("nudge.db"), Duration::ZERO)
        .expect("opens")
        .execute_batch("UPDATE migration SET checksum = 'other'")
        .expect("changed");
    let refused = Store::open(&options).err();
    assert!(matches!(refused, Some(StoreError::MigrationChanged { name }) if name == STEPS[0].name));
}

#[test]
fn an_older_backup_is_held_against_its_own_schema() {
    let (from, into) = (TempDir::new().expect("made"), TempDir::new().expect("made"));
    let backup = from.path().join("nudge.db");
    let tamper = |sql: &str| {
        open::read_write(&backup, Duration::ZERO).expect("opens").execute_batch(sql).expect("changed");
    };
    older(&from, 1);
    let refusal = || match Store::restore(&backup, &options(&into)) {
        Err(StoreError::NotAMemory { why, .. }) => Some(why),
        _ => None,
    };
    tamper("CREATE TABLE hint (entry_id INTEGER PRIMARY KEY)");
    assert_eq!(refusal().as_deref(), Some("the table `hint` does not belong there"));
    tamper("DROP TABLE hint; UPDATE migration SET checksum = 'other' || checksum");
    assert_eq!(refusal().as_deref(), Some("its record of migrations is not ours"));
    tamper("UPDATE migration SET checksum = substr(checksum, 6)");
    Store::restore(&backup, &options(&into)).expect("restored");
    let store = Store::open(&options(&into)).expect("opens");
    assert_eq!(store.read(|reader| reader.newest("known", 9)).expect("read").len(), 1);
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());
}

#[test]
fn an_older_database_that_cannot_be_upgraded_is_set_aside_by_a_restore() {
    let (sound, broken) = (TempDir::new().expect("made"), TempDir::new().expect("made"));
    older(&sound, 1);
    let options = older(&broken, 1);
    open::read_write(&broken.path().join("nudge.db"), Duration::ZERO)
        .expect("opens")
        .execute_batch("INSERT INTO meta VALUES ('session', 'broken'); CREATE TABLE hint_tag (a)")
        .expect("changed");
    assert!(Store::open(&options).is_err());
    Store::restore(&sound.path().join("nudge.db"), &options).expect("restored");
    let store = Store::open(&options).expect("opens");
    assert_eq!(store.check().expect("checked"), Vec::<String>::new());
    let aside = broken.path().join("backups/nudge-damaged-2026-11-15T06-10-27.123Z.db");
    assert!(aside.exists());
}

#[test]
fn a_fresh_database_is_set_up_before_its_first_table() {
    let dir = TempDir::new().expect("a temporary directory");
    let store = Store::open(&options(&dir)).expect("made");
    let connection = store.connection().expect("a connection");
    assert_eq!(pragma(connection.raw(), "auto_vacuum"), 2, "incremental");
    assert_eq!(pragma(connection.raw(), "foreign_keys"), 1);
    assert_eq!(pragma(connection.raw(), "trusted_schema"), 0);
    let mode: String =
        connection.raw().query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal");
}

#[test]
fn every_step_opens_with_its_reason() {
    for step in STEPS {
        assert!(step.sql.starts_with("-- Why: "), "{} must say why it exists", step.name);
    }
}

#[test]
fn steps_are_never_edited_after_they_land() {
    let mut expected = String::new();
    for step in STEPS {
        writeln!(expected, "{}  {}", step.checksum(), step.name).expect("a string takes text");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/CHECKSUMS");
    let recorded = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(recorded, expected, "migrations/CHECKSUMS must read:\n{expected}");
}

#[test]
fn whoever_is_in_a_hurry_makes_a_database_but_upgrades_none() {
    let dir = TempDir::new().expect("a temporary directory");
    let options = older(&dir, 1);
    let refused = Store::open_promptly(&options).err().expect("not upgraded");
    assert!(matches!(refused, StoreError::NeedsMigration { found: 1, known: LATEST }), "{refused}");
    let conn = open::read_write(&dir.path().join("nudge.db"), options.busy).expect("opens");
    assert_eq!(version(&conn).expect("a version"), 1);
    conn.execute_batch("PRAGMA user_version = 99;").expect("newer");
    drop(conn);
    let refused = Store::open_promptly(&options).err().expect("not written");
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused}");
    let fresh = TempDir::new().expect("a temporary directory");
    Store::open_promptly(&self::options(&fresh)).expect("made");
    Store::open_promptly(&self::options(&fresh)).expect("opened as it is");
}
