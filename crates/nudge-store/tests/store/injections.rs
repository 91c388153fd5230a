//! The ledger of injections.

use nudge_core::{EntryId, ObservationKind, Outcome, Timestamp};
use nudge_store::{
    InjectedEntry, InjectionDraft, InjectionLine, ObservationDraft, ProjectId, SessionId, SessionSeen, Store,
};
use serde_json::Map;

use crate::support::{Home, NOW, after, entry, read, write};

struct Ledger {
    _home: Home,
    store: Store,
    session: SessionId,
    project: ProjectId,
    entries: Vec<EntryId>,
}

impl Ledger {
    fn new() -> Self {
        let home = Home::new();
        let store = home.open();
        let (session, project, entries) = write(&store, |writer| {
            let project = writer.enter_project("/p", "p", "/p", NOW)?;
            let session = writer.enter_session(&SessionSeen {
                name: "s",
                harness: "claude",
                harness_version: None,
                project,
                parent: None,
                headless: None,
                at: NOW,
            })?;
            let entries = (0..3).map(|number| {
                let written = writer.put_entry(&entry(&format!("known://n/{number}"), "text"))?;
                Ok(written.id)
            });
            Ok((session.id, project, entries.collect::<Result<Vec<_>, nudge_store::StoreError>>()?))
        });
        Self { _home: home, store, session, project, entries }
    }

    /// The session does something.
    fn act(&self, at: Timestamp) {
        let provenance = entry("known://n/0", "text").provenance;
        write(&self.store, |writer| {
            writer.put_observation(&ObservationDraft {
                project: "/p",
                session: self.session,
                prompt: None,
                kind: ObservationKind::Command,
                at,
                identity: at.as_millis(),
                event: "PostToolUse",
                tool: None,
                subagent: None,
                outcome: Outcome::Success,
                target: None,
                files: &[],
                body: "make",
                attributes: Map::new(),
                provenance: &provenance,
            })
        });
    }

    fn tell(&self, injected: &[EntryId], left_out: &[EntryId], at: Timestamp) -> nudge_store::InjectionId {
        let line = |reason| {
            move |entry: &EntryId| InjectionLine {
                entry: *entry,
                reason,
                section: 1,
                tokens: 9,
                used_at: None,
            }
        };
        let entries: Vec<InjectionLine> =
            injected.iter().map(line(0)).chain(left_out.iter().map(line(2))).collect();
        write(&self.store, |writer| {
            writer.put_injection(&InjectionDraft {
                session: self.session,
                project: self.project,
                at,
                trigger: 1,
                cause: "startup",
                lines: injected.len() as u32,
                tokens: 42,
                characters: 99,
                entries: &entries,
            })
        })
    }
}

/// @injection_ledger: injections are read by session, project and time, newest first, with their
/// lines and the first use of each.
#[test]
fn injections_read_back() {
    let ledger = Ledger::new();
    let [a, b, c] = ledger.entries[..] else { panic!("three") };
    let first = ledger.tell(&[a, b], &[c], NOW);
    let second = ledger.tell(&[a], &[], after(5));
    let ids = |rows: Vec<nudge_store::InjectionRow>| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    let store = &ledger.store;
    assert_eq!(ids(read(store, |reader| reader.injections_of_session(ledger.session, 9))), [second, first]);
    assert_eq!(
        ids(read(store, |reader| reader.injections_of_project(ledger.project, after(9), 1))),
        [second]
    );
    assert_eq!(ids(read(store, |reader| reader.injections_since(after(1), 9))), [second]);
    write(store, |writer| writer.mark_used(first, b, after(7)));
    write(store, |writer| writer.mark_used(first, b, after(9)));
    let lines = read(store, |reader| reader.injection_lines(first));
    let shown: Vec<_> = lines.iter().map(|line| (line.entry, line.is_injected(), line.used_at)).collect();
    assert_eq!(shown, [(a, true, None), (b, true, Some(after(7))), (c, false, None)]);
    let with = read(store, |reader| reader.injections_with(a, 9));
    assert_eq!(with.iter().map(|(row, _)| row.id).collect::<Vec<_>>(), [second, first]);
}

/// @injection_share: counts how often each entry was injected, over the newest injections of a
/// project; lines that were left out do not count.
#[test]
fn tellings_are_counted() {
    let ledger = Ledger::new();
    let [a, b, c] = ledger.entries[..] else { panic!("three") };
    for number in 0..4 {
        ledger.tell(&[if number == 0 { b } else { a }], &[c], after(number));
    }
    let lately = || read(&ledger.store, |reader| reader.recently_injected(ledger.project, 99));
    assert_eq!(lately(), [], "nothing was done after any of them");
    ledger.act(after(9));
    let mut injected = lately();
    injected.sort_by_key(|injected| injected.entry);
    let expected = [
        InjectedEntry { entry: a, times: 3, last: after(3) },
        InjectedEntry { entry: b, times: 1, last: NOW },
    ];
    assert_eq!(injected, expected);
    assert_eq!(read(&ledger.store, |reader| reader.recently_injected(ledger.project, 3)).len(), 1);
    let has = |many| read(&ledger.store, |reader| reader.has_injections(ledger.project, many));
    assert_eq!([has(4), has(5)], [true, false]);
}

/// @injection_ledger: removing an entry removes its lines, removing a session removes its
/// injections, and a project with a ledger can be merged and removed.
#[test]
fn the_ledger_goes_with_what_it_is_about() {
    let ledger = Ledger::new();
    let [a, b, _] = ledger.entries[..] else { panic!("three") };
    let injected = ledger.tell(&[a, b], &[], NOW);
    write(&ledger.store, |writer| writer.delete_entry(a, NOW));
    let left = read(&ledger.store, |reader| reader.injection_lines(injected));
    assert_eq!(left.iter().map(|line| line.entry).collect::<Vec<_>>(), [b]);
    let other = write(&ledger.store, |writer| writer.enter_project("/q", "q", "/q", NOW));
    write(&ledger.store, |writer| writer.merge_projects(ledger.project, other, NOW));
    assert_eq!(
        read(&ledger.store, |reader| reader.injections_of_project(
            other,
            Timestamp::from_millis(i64::MAX),
            9
        ))
        .len(),
        1
    );
    assert!(write(&ledger.store, |writer| writer.remove_empty_session(ledger.session, NOW)));
    assert!(write(&ledger.store, |writer| writer.remove_project(other, NOW)));
    assert_eq!(read(&ledger.store, |reader| reader.injections_since(Timestamp::from_millis(0), 9)), []);
}
