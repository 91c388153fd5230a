//! Directories and their projects, with real git.

use std::path::Path;
use std::process::Command;

use nudge_memory::capture::project::resolve;

fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is installed");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// @capture_project
#[test]
fn all_worktrees_are_one_project() {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("a real folder");
    let main = base.join("app");
    std::fs::create_dir_all(main.join("src")).expect("a folder");
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&main, &["worktree", "add", "-q", "../app-fix"]);
    let project = resolve(Some(&main), None);
    assert_eq!((project.name.as_str(), Path::new(&project.root)), ("app", main.as_path()));
    assert_eq!(project.key, main.join(".git").display().to_string());
    for directory in [main.join("src"), base.join("app-fix")] {
        assert_eq!(resolve(Some(&directory), None), project);
    }
    git(&base, &["clone", "-q", "--bare", "app", "shop.git"]);
    assert_eq!(resolve(Some(&base.join("shop.git")), None).name, "shop");
    git(&base.join("shop.git"), &["worktree", "add", "-q", "../shop-fix", "main"]);
    assert_eq!(resolve(Some(&base.join("shop-fix")), None), resolve(Some(&base.join("shop.git")), None));
}

/// @capture_project
#[test]
fn other_directories_are_projects_of_their_own_and_a_name_is_a_claim() {
    let temp = tempfile::tempdir().expect("a folder");
    let base = temp.path().canonicalize().expect("a real folder");
    assert_eq!(resolve(Some(&base), None).key, base.display().to_string());
    let named = resolve(Some(&base), Some("shop"));
    assert_eq!((named.key, named.claims.name.as_deref()), (base.display().to_string(), Some("shop")));
    assert_eq!(
        resolve(Some(&base.join("gone/./deeper/..")), None).key,
        base.join("gone").display().to_string()
    );
    for nowhere in [None, Some(Path::new("/")), Some(Path::new(""))] {
        assert_eq!(resolve(nowhere, None).name, "unknown");
    }
}
