//! Hints: variants, lifetimes, counts, tags.

use nudge_core::EntryPath;
use nudge_store::{ComponentCount, HintCounts, HintFilter, HintRow, History, Life, Store, StoreError, Swept};

use crate::support::{Home, NOW, after, entry, hint, read, write};

fn keys(rows: &[HintRow]) -> Vec<String> {
    rows.iter().map(|row| format!("{}/{}", row.component, row.key)).collect()
}

fn of_key(store: &Store, component: &str, key: &str, millis: u64) -> Vec<HintRow> {
    read(store, |reader| reader.hints_of_key(component, key, after(millis)))
}

/// @hint_variants: several variants of one key coexist, each with its own version.
#[test]
fn variants_of_a_key_live_side_by_side() {
    let home = Home::new();
    let store = home.open();
    let variant = |condition: &str, body: &str| {
        let mut draft = hint("api", "build", body);
        draft.path = EntryPath::from_parts("hint", &["api", "build"], Some(condition)).expect("valid");
        write(&store, |writer| writer.put_hint(&draft))
    };
    variant("linux", "make");
    variant("windows", "nmake");
    assert_eq!(variant("linux", "make -j").version, 2);
    let found = of_key(&store, "api", "build", 0);
    let seen: Vec<(&str, i64)> =
        found.iter().map(|row| (row.entry.body.as_str(), row.entry.version)).collect();
    assert_eq!(seen, [("make -j", 2), ("nmake", 1)]);
}

/// @hint_ttl: an expired hint is gone at once; setting it again starts afresh.
#[test]
fn an_expired_hint_is_gone_before_any_sweep() {
    let home = Home::new();
    let store = home.open();
    let mut draft = hint("api", "flag", "on");
    draft.life = Life::Until(after(100));
    draft.tags = vec!["build".to_owned()];
    let first = write(&store, |writer| writer.put_hint(&draft));
    write(&store, |writer| writer.use_hint(first.id, 3, after(1)));
    assert_eq!(of_key(&store, "api", "flag", 99)[0].use_count, 3);

    assert!(of_key(&store, "api", "flag", 100).is_empty());
    let empty = read(&store, |reader| {
        let now = after(100);
        Ok((
            reader.hints(&HintFilter::default(), now)?,
            reader.components(now)?,
            reader.hint_counts("api", now)?,
            reader.top_tags(5, now)?,
        ))
    });
    assert_eq!(empty, (vec![], vec![], HintCounts::default(), vec![]));

    draft.now = after(200);
    draft.life = Life::Forever;
    let second = write(&store, |writer| writer.put_hint(&draft));
    assert!(second.created && second.version == 1 && second.id != first.id);
    assert_eq!(of_key(&store, "api", "flag", 200)[0].use_count, 0);
}

/// @hint_ttl: a sweep removes expired hints and nothing else.
#[test]
fn a_sweep_removes_ended_hints_only() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| {
        let mut short = hint("api", "short", "x");
        short.life = Life::Until(after(10));
        writer.put_hint(&short)?;
        let mut long = hint("api", "long", "x");
        long.life = Life::Until(after(1_000));
        writer.put_hint(&long)?;
        writer.put_hint(&hint("api", "kept", "x"))
    });
    assert_eq!(
        write(&store, |writer| writer.sweep(after(10))),
        Swept { hints: 1, operations: 0, feed_rows: 0 }
    );
    assert_eq!(store.stats().expect("counted").hints, 2);
    assert_eq!(store.stats().expect("counted").entries, 2);
}

/// Up to 4 MiB of free pages stay for the next writes; the rest is a few pages in use.
const WORTH_LEAVING: u64 = 4_500_000;

/// @kernel_space: freed space is returned to the file system.
#[test]
fn sweeping_gives_space_back() {
    let home = Home::new();
    let store = home.open();
    let long = "many words ".repeat(700);
    let ids: Vec<_> = write(&store, |writer| {
        (0..1_000).map(|n| Ok(writer.put_entry(&entry(&format!("known://{n}"), &long))?.id)).collect()
    });
    write(&store, |writer| ids.iter().try_for_each(|id| writer.delete_entry(*id, NOW).map(drop)));
    // Each sweep returns what it can in a few milliseconds, so it may take many on a busy machine.
    let bytes = |store: &Store| store.stats().expect("counted").database_bytes;
    let mut sweeps = 0;
    while bytes(&store) > WORTH_LEAVING && sweeps < 1_000 {
        write(&store, |writer| writer.sweep(NOW));
        sweeps += 1;
    }
    drop(store);
    let left = bytes(&home.open());
    assert!(left <= WORTH_LEAVING, "{left} bytes are left of 8,000,000");
}

/// @hint_bump: a use raises the count and its time, but not the version or the time of change.
#[test]
fn using_a_hint_changes_counts_only() {
    let home = Home::new();
    let store = home.open();
    let id = write(&store, |writer| writer.put_hint(&hint("api", "build", "make"))).id;
    write(&store, |writer| writer.use_hint(id, 2, after(50)));
    write(&store, |writer| writer.use_hint(id, i64::MAX, after(60)));
    write(&store, |writer| writer.use_hint(id, -9_007_199_254_740_990, after(70)));
    let row = of_key(&store, "api", "build", 70).remove(0);
    assert_eq!((row.use_count, row.last_used_at), (1, Some(after(70))));
    assert_eq!((row.entry.version, row.entry.updated_at), (1, NOW));

    write(&store, |writer| writer.put_hint(&hint("api", "build", "make -j")));
    let row = of_key(&store, "api", "build", 70).remove(0);
    assert_eq!((row.use_count, row.entry.version), (1, 2), "setting it anew keeps the count");

    let unknown =
        store.write(nudge_store::Durability::Stated, |w| w.use_hint(nudge_core::EntryId(99), 1, NOW));
    assert!(matches!(unknown, Err(StoreError::NoEntry(nudge_core::EntryId(99)))));
}

/// @hint_import: an imported hint keeps version, times and counts.
#[test]
fn an_import_keeps_its_history() {
    let home = Home::new();
    let store = home.open();
    let mut draft = hint("api", "build", "make");
    draft.now = after(5_000);
    draft.history = Some(History {
        version: 7,
        created_at: NOW,
        updated_at: after(100),
        last_used_at: Some(after(200)),
        use_count: 12,
    });
    assert_eq!(write(&store, |writer| writer.put_hint(&draft)).version, 7);
    let row = of_key(&store, "api", "build", 5_000).remove(0);
    assert_eq!((row.use_count, row.last_used_at), (12, Some(after(200))));
    assert_eq!((row.entry.created_at, row.entry.updated_at), (NOW, after(100)));
    assert_eq!(write(&store, |writer| writer.put_hint(&draft)).version, 8, "a version never falls");
}

/// @hint_query: filters by component, by any of several keys, and by all of several tags.
#[test]
fn filters_combine() {
    let home = Home::new();
    let store = home.open();
    write(&store, |writer| {
        for (component, key, tags) in [
            ("web", "build", &["build", "npm"][..]),
            ("api", "run", &["run"][..]),
            ("api", "build", &["build", "docker", "build"][..]),
            ("api", "test", &[][..]),
        ] {
            let mut draft = hint(component, key, "x");
            draft.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            writer.put_hint(&draft)?;
        }
        Ok(())
    });
    let list = |component: Option<&str>, wanted: &[&str], tags: &[&str]| {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let filter =
            HintFilter { component: component.map(str::to_owned), keys: words(wanted), tags: words(tags) };
        keys(&read(&store, |reader| reader.hints(&filter, NOW)))
    };
    assert_eq!(list(None, &[], &[]), ["api/build", "api/run", "api/test", "web/build"]);
    assert_eq!(list(Some("api"), &["build", "test"], &[]), ["api/build", "api/test"]);
    assert_eq!(list(None, &[], &["build"]), ["api/build", "web/build"]);
    assert_eq!(list(None, &[], &["build", "docker"]), ["api/build"]);
    assert_eq!(list(Some("none"), &[], &[]), Vec::<String>::new());
    assert_eq!(
        read(&store, |reader| reader.top_tags(2, NOW)),
        [("build".to_owned(), 2), ("docker".to_owned(), 1)]
    );
    assert_eq!(
        read(&store, |reader| reader.components(NOW)),
        [
            ComponentCount { name: "api".to_owned(), hints: 3 },
            ComponentCount { name: "web".to_owned(), hints: 1 },
        ]
    );
    assert_eq!(
        read(&store, |reader| reader.hint_counts("api", NOW)),
        HintCounts { total: 4, components: 2, in_component: 3 }
    );
}

/// @hint_delete: deleting the last hint of a component removes the component.
#[test]
fn a_component_goes_with_its_last_hint() {
    let home = Home::new();
    let store = home.open();
    let mut draft = hint("api", "build", "make");
    draft.tags = vec!["build".to_owned()];
    let id = write(&store, |writer| writer.put_hint(&draft)).id;
    write(&store, |writer| writer.delete_entry(id, NOW));
    let left = read(&store, |reader| Ok((reader.components(NOW)?, reader.top_tags(5, NOW)?)));
    assert_eq!(left, (vec![], vec![]));
}
