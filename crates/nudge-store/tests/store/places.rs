//! How a directory is assigned to a project.

use nudge_core::Timestamp;
use nudge_store::{ProjectId, SeenDirectory, Store};

use crate::support::{Home, NOW, write};

fn arrive(store: &Store, key: &str, claim: Option<&str>, remote: Option<&str>) -> ProjectId {
    let name = key.rsplit('/').next().unwrap_or(key);
    let one = SeenDirectory { key, name, root: key, claim, remote, private: false };
    write(store, |writer| writer.arrive(&one, NOW))
}

fn name(store: &Store, id: ProjectId) -> String {
    write(store, |writer| Ok(writer.project(id)?.expect("a project").name))
}

/// @project_claimed_name A claimed name is free, shared by a remote, or open until the user
/// decides.
#[test]
fn a_claim_joins_only_what_shares_a_remote() {
    let home = Home::new();
    let store = home.open();
    let first = arrive(&store, "/a/one", Some("shop"), Some("https://h.net/shop"));
    assert_eq!(name(&store, first), "shop");
    assert_eq!(arrive(&store, "/b/two", Some("shop"), Some("https://h.net/shop")), first);
    let stranger = arrive(&store, "/c/three", Some("shop"), Some("https://h.net/other"));
    let plain = arrive(&store, "/d/four", Some("shop"), None);
    assert!(stranger != first && plain != first && plain != stranger);
    assert_eq!((name(&store, stranger), name(&store, plain)), ("three".to_owned(), "four".to_owned()));
    let open = write(&store, |writer| writer.open_claims());
    let open: Vec<(ProjectId, &str)> = open.iter().map(|one| (one.project, one.name.as_str())).collect();
    assert_eq!(open, [(stranger, "shop"), (plain, "shop")]);
    // A known directory stays in its project, whatever it claims later.
    assert_eq!(arrive(&store, "/c/three", Some("shop"), Some("https://h.net/shop")), stranger);
    write(&store, |writer| writer.rename_project(first, "store", NOW));
    assert_eq!(arrive(&store, "/a/one", Some("shop"), Some("https://h.net/shop")), first);
    assert_eq!(name(&store, first), "store", "the person's name stays");
}

/// @project_claimed_name A project that was made from a claimed name alone belongs to its own
/// directory.
#[test]
fn a_project_of_old_is_found_by_its_directory() {
    let home = Home::new();
    let store = home.open();
    let old = write(&store, |writer| writer.enter_project("stated:shop", "shop", "/a/one", NOW));
    assert_eq!(arrive(&store, "/a/one", Some("shop"), None), old);
    assert_ne!(arrive(&store, "/evil", Some("shop"), None), old);
}

/// @project_private If either of two merged projects is private, the result is private and stays
/// so.
#[test]
fn a_merge_opens_nothing() {
    let home = Home::new();
    let store = home.open();
    let open = arrive(&store, "/a", None, None);
    let one = SeenDirectory { key: "/b", name: "b", root: "/b", claim: None, remote: None, private: true };
    let closed = write(&store, |writer| writer.arrive(&one, NOW));
    assert!(write(&store, |writer| writer.is_private(closed)));
    write(&store, |writer| {
        writer.arrive(&SeenDirectory { private: false, ..one }, Timestamp::from_millis(1))
    });
    assert!(write(&store, |writer| writer.is_private(closed)), "only the person opens it");
    write(&store, |writer| writer.merge_projects(closed, open, NOW));
    assert!(write(&store, |writer| writer.is_private(open)));
}
