//! Both ways to open a directory refuse links, and a free name is never taken twice.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tempfile::TempDir;

use super::*;

fn root() -> (TempDir, Dir) {
    let temporary = TempDir::new().expect("temporary directory");
    fs::create_dir_all(temporary.path().join("a/b")).expect("created");
    fs::write(temporary.path().join("file"), "x").expect("written");
    symlink("a", temporary.path().join("link")).expect("linked");
    symlink("/", temporary.path().join("a/out")).expect("linked");
    let dir = Dir::root(temporary.path()).expect("opened");
    (temporary, dir)
}

/// How an attempt ended.
fn outcome(result: Result<Dir, Fail>) -> String {
    result.map_or_else(|fail| format!("{fail:?}"), |_| "opened".into())
}

#[test]
fn both_ways_agree() {
    let (_keep, root) = root();
    let cases: [(&[&str], &str); 8] = [
        (&[], "opened"),
        (&["a"], "opened"),
        (&["a", "b"], "opened"),
        (&["link"], "Link"),
        (&["link", "b"], "Link"),
        (&["a", "out", "etc"], "Link"),
        (&["file"], "NotADirectory"),
        (&["none", "b"], "Missing"),
    ];
    for (parts, expected) in cases {
        assert_eq!(outcome(root.below(parts)), expected, "{parts:?}");
        assert_eq!(outcome(root.below_by_steps(parts)), expected, "{parts:?}");
        #[cfg(target_os = "linux")]
        if let Some(result) = root.below_at_once(parts) {
            assert_eq!(outcome(result), expected, "{parts:?}");
        }
    }
    assert_eq!(outcome(root.ensure(&["link", "new"])), "Link");
    assert_eq!(outcome(root.ensure(&["file", "new"])), "NotADirectory");
    assert_eq!(outcome(root.ensure(&["a", "new", "newer"])), "opened");
}

#[test]
fn steps_are_not_led_outside_by_a_swapped_directory() {
    let (temporary, root) = root();
    let outside = TempDir::new().expect("temporary directory");
    fs::create_dir(outside.path().join("b")).expect("created");
    fs::write(outside.path().join("b/mark"), "x").expect("written");
    let (a, away) = (temporary.path().join("a"), temporary.path().join("away"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(&a, &away).expect("moved");
                symlink(outside.path(), &a).expect("linked");
                fs::remove_file(&a).expect("removed");
                fs::rename(&away, &a).expect("moved back");
            }
        });
        let opened = (0..20_000).filter_map(|_| root.below_by_steps(&["a", "b"]).ok());
        let is_outside: Vec<bool> = opened.map(|dir| dir.facts("mark").is_ok()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(!is_outside.is_empty(), "some attempts meet the directory");
        assert!(!is_outside.contains(&true), "a link was followed");
    });
}

#[test]
fn a_name_is_free_or_refused() {
    let (temporary, root) = root();
    let a = root.below(&["a"]).expect("opened");
    fs::write(temporary.path().join("a/taken"), "y").expect("written");
    assert!(matches!(root.move_new("file", &a, "taken"), Err(Fail::Exists)));
    assert!(matches!(root.link_new("file", &a, "taken"), Err(Fail::Exists)));
    root.link_new("file", &a, "one").expect("moved");
    a.move_new("one", &root, "two").expect("moved");
    assert_eq!(fs::read_to_string(temporary.path().join("two")).expect("read"), "x");
    assert!(root.facts("file").is_err() && a.facts("one").is_err());
}
