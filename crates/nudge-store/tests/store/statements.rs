//! Statements by place and stage, and silenced ones.

use nudge_core::{EntryId, Scope};
use nudge_store::{ProjectId, Stage, Store};

use crate::support::{Home, NOW, after, entry, write};

fn state(store: &Store, key: &str, name: &str, stage: Stage, at: u64) -> EntryId {
    write(store, |writer| {
        let scope = if key.is_empty() { Scope::Global } else { Scope::Project(key.to_owned()) };
        let mut draft = entry(&format!("known://fact/{name}"), name);
        draft.scope = scope;
        let id = writer.put_entry(&draft)?.id;
        writer.set_stage(id, stage, after(at))?;
        Ok(id)
    })
}

fn project(store: &Store, key: &str) -> ProjectId {
    write(store, |writer| writer.enter_project(key, key, key, NOW))
}

fn bodies(store: &Store, project: ProjectId, stage: Stage) -> Vec<String> {
    let found = write(store, |writer| writer.statements_in(project, stage));
    found.into_iter().map(|entry| entry.body).collect()
}

/// @statements_start: the statements of the project and those for every project, in that stage, the
/// latest first.
#[test]
fn what_is_in_force_is_found_by_place_and_stage() {
    let home = Home::new();
    let store = home.open();
    let (shop, other) = (project(&store, "/shop"), project(&store, "/other"));
    state(&store, "/shop", "old", Stage::InForce, 1);
    state(&store, "", "everywhere", Stage::InForce, 5);
    let newest = state(&store, "/shop", "new", Stage::InForce, 9);
    state(&store, "/shop", "once", Stage::SaidOnce, 9);
    state(&store, "/other", "foreign", Stage::InForce, 9);
    assert_eq!(bodies(&store, shop, Stage::InForce), ["new", "everywhere", "old"]);
    assert_eq!(bodies(&store, shop, Stage::SaidOnce), ["once"]);
    assert_eq!(bodies(&store, other, Stage::InForce), ["foreign", "everywhere"]);
    assert_eq!(write(&store, |writer| writer.statements_of(shop)).len(), 4);
    write(&store, |writer| writer.set_stage(newest, Stage::Over, after(9)));
    assert_eq!(bodies(&store, shop, Stage::InForce), ["everywhere", "old"]);
    write(&store, |writer| writer.merge_projects(other, shop, NOW));
    assert_eq!(bodies(&store, shop, Stage::InForce), ["foreign", "everywhere", "old"]);
}

/// @statements_silence: in one project or in all, through a merge, and removed with its entry.
#[test]
fn what_is_silenced_is_left_out() {
    let home = Home::new();
    let store = home.open();
    let (shop, other) = (project(&store, "/shop"), project(&store, "/other"));
    let one = state(&store, "", "one", Stage::InForce, 1);
    let two = state(&store, "", "two", Stage::InForce, 2);
    assert!(write(&store, |writer| writer.silence(one, Some(shop), NOW)));
    assert!(!write(&store, |writer| writer.silence(one, Some(shop), NOW)));
    assert_eq!(bodies(&store, shop, Stage::InForce), ["two"]);
    assert_eq!(bodies(&store, other, Stage::InForce), ["two", "one"]);
    write(&store, |writer| writer.silence(two, None, NOW));
    assert_eq!(bodies(&store, other, Stage::InForce), ["one"]);
    assert_eq!(write(&store, |writer| writer.silenced(shop)), [one, two].into());
    write(&store, |writer| writer.merge_projects(shop, other, NOW));
    assert_eq!(write(&store, |writer| writer.silenced(other)), [one, two].into());
    write(&store, |writer| writer.delete_entry(one, NOW));
    assert_eq!(write(&store, |writer| writer.silenced(other)), [two].into());
    assert!(write(&store, |writer| writer.unsilence(two, None)));
    assert_eq!(bodies(&store, other, Stage::InForce), ["two"]);
}
