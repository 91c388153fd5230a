//! Rows of viewers, and bodies that grow.

use nudge_core::{EntryId, Scope};
use nudge_store::ViewChange;
use rusqlite::Connection;

use crate::support::{Home, NOW, after, entry, provenance, raw, read, write};

fn columns(conn: &Connection, table: &str) -> Vec<String> {
    let mut info = conn.prepare("SELECT name FROM pragma_table_info(?1)").expect("prepared");
    info.query_map([table], |row| row.get(0)).expect("read").collect::<Result<_, _>>().expect("names")
}

/// @tokens_not_stored: no column of an entry or of a viewer's row holds tokens.
#[test]
fn tokens_are_computed_and_never_stored() {
    let home = Home::new();
    drop(home.open());
    let conn = raw(&home.database());
    for table in ["entry", "entry_view", "entry_chunk"] {
        let names = columns(&conn, table);
        assert!(names.len() >= 3 && names.iter().all(|name| !name.contains("token")), "{table}: {names:?}");
    }
}

/// @known_entries_view: people can read entries as viewers see them, and nothing can be written
/// there.
#[test]
fn the_view_for_people_is_read_only() {
    let home = Home::new();
    let store = home.open();
    let viewer = Scope::Run("shop#night".to_owned());
    write(&store, |writer| {
        let made = writer.put_entry(&entry("known://a", "words"))?;
        writer.change_view(&viewer, made.id, &ViewChange { is_write: true, ..ViewChange::default() }, NOW)
    });
    drop(store);
    let conn = raw(&home.database());
    let row: (String, String, i64) = conn
        .query_row("SELECT viewer, path, write_count FROM known_entries", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .expect("one row");
    assert_eq!(row, ("run:shop#night".to_owned(), "known://a".to_owned(), 1));
    for sql in [
        "DELETE FROM known_entries",
        "UPDATE known_entries SET body = 'x'",
        "INSERT INTO known_entries (path) VALUES ('known://b')",
    ] {
        let error = conn.execute(sql, []).expect_err("a view cannot be written");
        assert!(error.to_string().contains("because it is a view"), "{sql}: {error}");
    }
}

/// @entry_views: a deleted entry is in nobody's view any more.
#[test]
fn rows_go_with_their_entry() {
    let home = Home::new();
    let store = home.open();
    let viewer = Scope::Run("shop#night".to_owned());
    write(&store, |writer| {
        let made = writer.put_entry(&entry("known://a", "words"))?;
        writer.change_view(&viewer, made.id, &ViewChange::default(), NOW)?;
        writer.append_body(made.id, "more", false, &provenance(), NOW)?;
        writer.delete_entry(made.id, NOW)
    });
    assert_eq!(read(&store, |reader| reader.views(&viewer)), []);
    assert_eq!(read(&store, |reader| reader.appended(EntryId(1))), "");
}

/// @streaming_appends: the parts of a body are one text to readers, and become the body when they
/// are joined.
#[test]
fn parts_are_appended_and_joined() {
    let home = Home::new();
    let store = home.open();
    let id = write(&store, |writer| writer.put_entry(&entry("sh://out_1", "start"))).id;
    let mut expected = String::new();
    for number in 0..700 {
        let part = format!("{number} ünder {}\n", "wörds ".repeat(12));
        write(&store, |writer| writer.append_body(id, &part, false, &provenance(), after(number)));
        expected.push_str(&part);
    }
    assert_eq!(read(&store, |reader| reader.appended(id)), expected);
    assert_eq!(read(&store, |reader| reader.appended_bytes(id)), expected.len() as u64);
    assert!(write(&store, |writer| writer.join_appended(id, NOW)));
    let whole = read(&store, |reader| reader.entry_by_id(id)).expect("it is there");
    assert_eq!(whole.body, format!("start{expected}"));
    assert!(!write(&store, |writer| writer.join_appended(id, NOW)), "there is nothing left to join");
}

/// @streaming_appends: appended lines stand on lines of their own.
#[test]
fn lines_are_kept_apart() {
    let home = Home::new();
    let store = home.open();
    let id = write(&store, |writer| writer.put_entry(&entry("sh://out_1", "start"))).id;
    for part in ["one", "two\n", "three"] {
        write(&store, |writer| writer.append_body(id, part, true, &provenance(), NOW));
    }
    assert_eq!(read(&store, |reader| reader.appended(id)), "\none\ntwo\nthree\n");
}
