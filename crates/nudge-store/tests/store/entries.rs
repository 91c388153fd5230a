//! Entries: identity, versions, provenance, order.

use nudge_core::{Entry, Fault, FaultKind, Provenance, Scope, Source, Tier};
use nudge_store::{Location, OpenOptions, SecretPolicy, Store, StoreError, Written};
use proptest::prelude::*;
use serde_json::{Map, json};

use crate::support::{Home, NOW, after, entry, path, provenance, read, write};

/// @kernel_entry_identity: a path names one entry within its scope, and a different one in another
/// scope.
#[test]
fn the_same_path_is_another_entry_in_another_scope() {
    let home = Home::new();
    let store = home.open();
    let in_scope = |scope: Scope, body: &str| {
        let mut draft = entry("known://plan", body);
        draft.scope = scope;
        write(&store, |writer| writer.put_entry(&draft))
    };
    let global = in_scope(Scope::Global, "for all");
    let project = in_scope(Scope::Project("demo".to_owned()), "for one");
    assert!(global.created && project.created && global.id != project.id);
    let scopes = read(&store, |reader| reader.scopes_of(&path("known://plan")));
    assert_eq!(
        scopes,
        [(Scope::Global, global.id), (Scope::Project("demo".to_owned()), project.id)],
        "one look shows every scope that holds the path"
    );
}

/// @kernel_entry_identity: a stored entry reads back whole.
#[test]
fn an_entry_reads_back_as_it_was_written() {
    let home = Home::new();
    let store = home.open();
    let written = write(&store, |writer| writer.put_entry(&entry("known://a", "text")));
    let expected = Entry {
        id: written.id,
        scope: Scope::Global,
        path: path("known://a"),
        body: "text".to_owned(),
        attributes: Map::from_iter([("n".to_owned(), json!(1))]),
        version: 1,
        origin: provenance(),
        writer: provenance(),
        created_at: NOW,
        updated_at: NOW,
    };
    assert_eq!(
        read(&store, |reader| reader.entry(&Scope::Global, &path("known://a"))),
        Some(expected.clone())
    );
    assert_eq!(read(&store, |reader| reader.entry_by_id(written.id)), Some(expected));
}

/// @kernel_provenance: each write raises the version by one; the origin and creation time stay.
#[test]
fn a_second_write_keeps_where_the_entry_came_from() {
    let home = Home::new();
    let store = home.open();
    let first = write(&store, |writer| writer.put_entry(&entry("known://a", "one")));
    let agent = Provenance {
        source: Source::Agent,
        tier: Tier::Model,
        client: Some("claude-code".to_owned()),
        session: Some("s1".to_owned()),
        project: None,
        machine: None,
    };
    let mut draft = entry("known://a", "two");
    draft.provenance = agent.clone();
    draft.now = after(10);
    let second = write(&store, |writer| writer.put_entry(&draft));
    assert_eq!(second, Written { id: first.id, version: 2, created: false });
    let found = read(&store, |reader| reader.entry_by_id(first.id)).expect("stored");
    assert_eq!((found.origin, found.writer), (provenance(), agent));
    assert_eq!((found.created_at, found.updated_at), (NOW, after(10)));
}

/// @kernel_entry_identity: an id is never reused.
#[test]
fn a_deleted_id_is_not_reused() {
    let home = Home::new();
    let store = home.open();
    let first = write(&store, |writer| writer.put_entry(&entry("known://a", "one")));
    assert!(write(&store, |writer| writer.delete_entry(first.id, NOW)));
    assert!(!write(&store, |writer| writer.delete_entry(first.id, NOW)), "gone is gone");
    drop(store);
    let second = write(&home.open(), |writer| writer.put_entry(&entry("known://a", "again")));
    assert!(second.created && second.id > first.id);
}

/// @kernel_entry_identity: the entries of a scheme are listed newest first, ties by id.
#[test]
fn newest_lists_one_scheme_newest_first() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| {
        for (at, millis) in [("log://1", 5), ("log://2", 9), ("log://3", 9), ("known://x", 99)] {
            let mut draft = entry(at, at);
            draft.now = after(millis);
            writer.put_entry(&draft)?;
        }
        Ok(())
    });
    let bodies = |limit| -> Vec<String> {
        read(&store, |reader| reader.newest("log", limit)).into_iter().map(|entry| entry.body).collect()
    };
    assert_eq!(bodies(50), ["log://3", "log://2", "log://1"]);
    assert_eq!(bodies(1), ["log://3"]);
    assert!(read(&store, |reader| reader.newest("never-used", 50)).is_empty());
}

/// @kernel_entry_identity: an entry of a typed kind can only be written with its side row.
#[test]
fn a_hint_cannot_be_written_past_its_side_table() {
    let home = Home::new();
    let refused = home
        .open()
        .write(nudge_store::Durability::Stated, |writer| writer.put_entry(&entry("hint://a/b", "x")))
        .expect_err("refused");
    assert!(matches!(&refused, StoreError::TypedScheme(scheme) if scheme == "hint"));
    assert_eq!(Fault::from(refused).kind, FaultKind::Invalid);
}

/// @kernel_transactions: a read sees one state, whatever is written meanwhile.
#[test]
fn a_read_is_one_snapshot() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| writer.put_entry(&entry("known://a", "one")));
    read(&store, |reader| {
        assert_eq!(reader.newest("known", 9)?.len(), 1);
        write(&store, |writer| writer.put_entry(&entry("known://b", "two")));
        assert_eq!(reader.newest("known", 9)?.len(), 1, "the snapshot is older than the write");
        Ok(())
    });
    assert_eq!(read(&store, |reader| reader.newest("known", 9)).len(), 2);
}

/// @kernel_transactions: a failed write leaves nothing behind, and the store keeps working.
#[test]
fn an_error_rolls_everything_back() {
    let home = Home::new();
    let store = home.open();
    let failed: Result<(), StoreError> = store.write(nudge_store::Durability::Stated, |writer| {
        writer.put_entry(&entry("known://a", "one"))?;
        writer.finish_operation("op", "{}", NOW)?;
        Err(StoreError::DiskFull { source: None })
    });
    assert!(matches!(failed, Err(StoreError::DiskFull { .. })));
    let left = read(&store, |reader| {
        Ok((reader.newest("known", 9)?, reader.feed_after(0, 9)?.changes, reader.finished_operation("op")?))
    });
    assert_eq!(left, (vec![], vec![], None));
    write(&store, |writer| writer.put_entry(&entry("known://a", "one")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// @kernel_entry_identity: any text, including NUL, is stored and read back unchanged.
    #[test]
    fn any_text_survives(body in any::<String>(), name in any::<String>(), value in any::<String>()) {
        let home = Home::new();
        let store = Store::open(&OpenOptions { location: Location::Memory, ..home.options() }).expect("opens");
        let mut draft = entry("known://a", &body);
        draft.attributes = Map::from_iter([(name, json!([value, 1.5, null]))]);
        draft.secrets = SecretPolicy::Allow;
        let id = write(&store, |writer| writer.put_entry(&draft)).id;
        let found = read(&store, |reader| reader.entry_by_id(id)).expect("stored");
        prop_assert_eq!((found.body, found.attributes), (draft.body, draft.attributes));
    }
}
