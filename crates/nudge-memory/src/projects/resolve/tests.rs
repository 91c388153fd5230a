//! Directories and the projects they belong to.

use std::fs;

use super::*;

fn project(cwd: &Path) -> ProjectRef {
    resolve_for(Some(cwd), None, Some(Path::new("/home/dev")))
}

fn repository(root: &Path) {
    fs::create_dir_all(root.join(".git/objects")).expect("a folder");
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
}

#[test]
fn directories_below_a_repository_are_of_it_and_so_are_its_worktrees() {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("a real folder");
    let main = base.join("app");
    repository(&main);
    fs::create_dir_all(main.join("src/deep")).expect("a folder");
    let linked = base.join("app-fix");
    let private = main.join(".git/worktrees/app-fix");
    fs::create_dir_all(&linked).expect("a folder");
    fs::create_dir_all(&private).expect("a folder");
    fs::write(linked.join(".git"), format!("gitdir: {}\n", private.display())).expect("a file");
    fs::write(private.join("HEAD"), "ref: refs/heads/fix\n").expect("a file");
    fs::write(private.join("commondir"), "../..\n").expect("a file");
    fs::write(private.join("gitdir"), format!("{}\n", linked.join(".git").display())).expect("a file");
    let expected = ProjectRef {
        key: main.join(".git").display().to_string(),
        name: "app".into(),
        root: main.display().to_string(),
        ..ProjectRef::default()
    };
    for directory in [&main, &main.join("src/deep"), &linked] {
        assert_eq!(project(directory), expected, "{}", directory.display());
    }
}

#[test]
fn bare_repositories_are_called_without_their_ending() {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("a real folder");
    for (bare, name) in [("tool.git", "tool"), ("other/.bare", "other")] {
        let bare = base.join(bare);
        fs::create_dir_all(bare.join("objects")).expect("a folder");
        fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
        assert_eq!(project(&bare).name, name);
        assert_eq!(project(&bare).key, bare.display().to_string());
    }
}

#[test]
fn without_a_repository_the_directory_is_the_project() {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("a real folder");
    let real = base.join("plain");
    fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, base.join("link")).expect("a link");
    assert_eq!(project(&base.join("link")), project(&real));
    assert_eq!(project(&real).name, "plain");
    let gone = project(Path::new("/home/nobody/./gone/../here"));
    assert_eq!((gone.key.as_str(), gone.name.as_str()), ("/home/nobody/here", "here"));
}

#[test]
fn home_and_nowhere_have_names_of_their_own() {
    assert_eq!(project(Path::new("/home/dev")).name, "home");
    assert_eq!(project(Path::new("/home/dev")).key, "/home/dev");
    for nowhere in ["/", "", "/..", "relative/path"] {
        assert_eq!(project(Path::new(nowhere)).key, "unknown", "{nowhere:?}");
    }
    assert_eq!(resolve_for(None, None, None), unknown());
    assert_eq!(project(Path::new(&format!("/{}", "x".repeat(5000)))).key, "unknown");
}

#[test]
fn a_claimed_name_goes_along_and_changes_no_key() {
    let named = resolve_for(Some(Path::new("/home/dev/x")), Some(" shop "), None);
    assert_eq!(
        (named.key.as_str(), named.name.as_str(), named.root.as_str()),
        ("/home/dev/x", "x", "/home/dev/x")
    );
    assert_eq!(named.claims.name.as_deref(), Some("shop"));
    assert!(named.claims.gone);
    assert_eq!(resolve_for(None, Some(""), None), unknown());
    assert_eq!(resolve_for(None, Some("shop"), None), unknown());
}

#[test]
fn paths_are_made_plain_by_their_text() {
    for (given, plain) in [("/a/./b/../c", "/a/c"), ("/../a", "/a"), ("a/../../b", "../b"), ("/", "/")] {
        assert_eq!(normal(Path::new(given)), Path::new(plain), "{given}");
    }
}
