//! Repositories of every layout, created by hand: git itself is not needed.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

const ORIGIN: &str =
    "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:ghp_token@github.com/org/repo.git\n";

struct Tree {
    _dir: TempDir,
    root: PathBuf,
}

fn tree(files: &[(&str, &str)]) -> Tree {
    let dir = TempDir::new().expect("temporary directory");
    let root = fs::canonicalize(dir.path()).expect("is there");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("has one")).expect("created");
        fs::write(path, text).expect("written");
    }
    Tree { _dir: dir, root }
}

impl Tree {
    fn inspect(&self, dir: &str) -> Option<GitFacts> {
        inspect_with(&self.root.join(dir), &[self.root.join("gitconfig")])
    }

    fn url(&self, path: &str) -> String {
        format!("file://{}", self.root.join(path).display())
    }
}

#[test]
fn a_plain_repository_is_found_from_below() {
    let tree =
        tree(&[("r/.git/HEAD", "ref: refs/heads/fix/a/b\n"), ("r/.git/config", ORIGIN), ("r/src/x/y", "")]);
    let expected = GitFacts {
        root: tree.root.join("r"),
        common_dir: tree.root.join("r/.git"),
        repo: "https://github.com/org/repo".into(),
        branch: Some("fix/a/b".into()),
    };
    assert_eq!(tree.inspect("r/src/x"), Some(expected.clone()));
    assert_eq!(tree.inspect("r"), Some(expected));
}

#[test]
fn no_repository_is_no_facts() {
    let tree = tree(&[("plain/file", ""), ("broken/.git/nothing", ""), ("odd/.git", "not a pointer")]);
    for dir in ["plain", "broken", "odd", "missing"] {
        assert_eq!(tree.inspect(dir), None, "{dir}");
    }
}

#[test]
fn a_detached_head_has_no_branch() {
    let hash = "0123456789012345678901234567890123456789\n";
    let tree =
        tree(&[("a/.git/HEAD", hash), ("b/.git/HEAD", "ref: refs/heads/.invalid\n"), ("c/.git/HEAD", "")]);
    for dir in ["a", "b", "c"] {
        assert_eq!(tree.inspect(dir).expect("found").branch, None, "{dir}");
    }
}

#[test]
fn without_origin_the_root_stands_for_the_repository() {
    let other = "[remote \"upstream\"]\n\turl = https://github.com/up/stream\n";
    let tree = tree(&[("r/.git/HEAD", "ref: refs/heads/main"), ("r/.git/config", other), ("r/sub/x", "")]);
    assert_eq!(tree.inspect("r/sub").expect("found").repo, tree.url("r"));
}

#[test]
fn a_worktree_has_its_own_branch_and_the_common_repository() {
    let tree = tree(&[
        ("main/.git/HEAD", "ref: refs/heads/main\n"),
        ("main/.git/config", ORIGIN),
        ("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
        ("main/.git/worktrees/side/commondir", "../..\n"),
        ("main/.git/worktrees/side/gitdir", "../../../../side/.git\n"),
        ("side/.git", "gitdir: ../main/.git/worktrees/side\n"),
        ("side/src/x", ""),
    ]);
    let expected = GitFacts {
        root: tree.root.join("side"),
        common_dir: tree.root.join("main/.git"),
        repo: "https://github.com/org/repo".into(),
        branch: Some("side".into()),
    };
    assert_eq!(tree.inspect("side/src"), Some(expected));
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let tree = tree(&[
        ("r/.git/HEAD", "ref: refs/heads/main\n"),
        ("r/.git/modules/lib/HEAD", "ref: refs/heads/dev\n"),
        (
            "r/.git/modules/lib/config",
            "[core]\nworktree = ../../../lib\n[remote \"origin\"]\nurl = ../other.git\n",
        ),
        ("r/lib/.git", "gitdir: ../.git/modules/lib\n"),
        ("r/other.git/HEAD", "ref: refs/heads/main\n"),
    ]);
    let facts = tree.inspect("r/lib").expect("found");
    assert_eq!(
        (facts.root, facts.common_dir),
        (tree.root.join("r/lib"), tree.root.join("r/.git/modules/lib"))
    );
    assert_eq!((facts.repo, facts.branch), (tree.url("r/other.git"), Some("dev".into())));
}

/// A repository of the user with a worktree and a submodule, next to directories of a stranger.
fn neighbours(fake: &[(&str, &str)]) -> Tree {
    let mut files = vec![
        ("shop/.git/HEAD", "ref: refs/heads/main\n"),
        ("shop/.git/config", ORIGIN),
        ("shop/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
        ("shop/.git/worktrees/side/commondir", "../..\n"),
        ("shop/.git/worktrees/side/gitdir", "../../../../side/.git\n"),
        ("shop/.git/modules/lib/HEAD", "ref: refs/heads/dev\n"),
        (
            "shop/.git/modules/lib/config",
            "[core]\nworktree = ../../../lib\n[remote \"origin\"]\nurl = https://h.net/lib\n",
        ),
        ("side/.git", "gitdir: ../shop/.git/worktrees/side\n"),
    ];
    files.extend(fake);
    tree(&files)
}

/// Asserts that a directory counts as a place of its own, with neither address nor branch.
fn is_alone(tree: &Tree, dir: &str) {
    let root = tree.root.join("evil");
    let facts = tree.inspect(dir).expect("a place");
    let expected = GitFacts { common_dir: root.clone(), repo: tree.url("evil"), branch: None, root };
    assert_eq!(facts, expected);
    assert!(!checkout(&tree.root.join(dir)).expect("a place").linked);
    assert_eq!(remote(&tree.root.join(dir)), None);
}

#[test]
fn a_pointer_to_a_repository_that_does_not_point_back_joins_nothing() {
    for pointer in [
        "gitdir: ../shop/.git",
        "gitdir: ../shop/.git/worktrees/side",
        "gitdir: ../shop/.git/modules/lib",
        "gitdir: ../shop/.git/worktrees/none",
        "gitdir: ../shop/.git/../.git/worktrees/side/",
        "gitdir: /nowhere/at/all",
        "gitdir: ",
    ] {
        let tree = neighbours(&[("evil/.git", pointer), ("evil/src/x", ""), ("evil/config", ORIGIN)]);
        is_alone(&tree, "evil");
        is_alone(&tree, "evil/src");
    }
}

#[test]
fn a_repository_made_up_to_lead_to_another_is_its_own() {
    // A forged worktree that claims the user's repository as its common directory.
    let tree = neighbours(&[
        ("evil/.git", "gitdir: fake/worktrees/side\n"),
        ("evil/fake/worktrees/side/HEAD", "ref: refs/heads/x\n"),
        ("evil/fake/worktrees/side/commondir", "../../../../shop/.git\n"),
        ("evil/fake/worktrees/side/gitdir", "../../../.git\n"),
    ]);
    let facts = tree.inspect("evil").expect("a place");
    assert_eq!(facts.common_dir, tree.root.join("evil/fake/worktrees/side"));
    assert_eq!((facts.repo, facts.branch.as_deref()), (tree.url("evil"), Some("x")));
    // A plain and a bare repository that claim the user's repository as their common directory.
    let tree = neighbours(&[
        ("evil/.git/HEAD", "ref: refs/heads/x\n"),
        ("evil/.git/commondir", "../../shop/.git\n"),
        ("bare/HEAD", "ref: refs/heads/x\n"),
        ("bare/objects/x", ""),
        ("bare/commondir", "../shop/.git\n"),
    ]);
    assert_eq!(tree.inspect("evil").expect("a place").common_dir, tree.root.join("evil/.git"));
    assert_eq!(tree.inspect("evil").expect("a place").repo, tree.url("evil"));
    assert_eq!(tree.inspect("bare").expect("a place").common_dir, tree.root.join("bare"));
}

#[test]
fn links_lend_nothing() {
    let tree = neighbours(&[("evil/src/x", ""), ("half/.git/HEAD", "ref: refs/heads/x\n")]);
    for target in ["shop/.git", "shop/.git/worktrees/side", "side/.git"] {
        let link = tree.root.join("evil/.git");
        std::os::unix::fs::symlink(tree.root.join(target), &link).expect("a link");
        is_alone(&tree, "evil/src");
        fs::remove_file(&link).expect("removed");
    }
    std::os::unix::fs::symlink(tree.root.join("shop/.git/config"), tree.root.join("half/.git/config"))
        .expect("a link");
    assert_eq!(tree.inspect("half").expect("a place").repo, tree.url("half"));
    // A directory reached through a link is the directory itself.
    std::os::unix::fs::symlink(tree.root.join("shop"), tree.root.join("other")).expect("a link");
    assert_eq!(tree.inspect("other"), tree.inspect("shop"));
    std::os::unix::fs::symlink(tree.root.join("side"), tree.root.join("aside")).expect("a link");
    assert_eq!(tree.inspect("aside"), tree.inspect("side"));
}

#[test]
fn a_worktree_that_was_moved_is_a_place_of_its_own() {
    let tree = neighbours(&[]);
    assert_eq!(tree.inspect("side").expect("a worktree").common_dir, tree.root.join("shop/.git"));
    fs::rename(tree.root.join("side"), tree.root.join("evil")).expect("moved");
    is_alone(&tree, "evil");
    fs::write(tree.root.join("shop/.git/worktrees/side/gitdir"), "../../../../evil/.git\n")
        .expect("repaired");
    assert_eq!(tree.inspect("evil").expect("a worktree").branch.as_deref(), Some("side"));
}

#[test]
fn a_repository_inside_the_directory_is_its_own() {
    let tree = tree(&[
        ("p/.git", "gitdir: ./.bare\n"),
        ("p/.bare/HEAD", "ref: refs/heads/main\n"),
        ("p/.bare/config", ORIGIN),
        ("p/.bare/worktrees/fix/HEAD", "ref: refs/heads/fix\n"),
        ("p/.bare/worktrees/fix/commondir", "../..\n"),
        ("p/.bare/worktrees/fix/gitdir", "../../../fix/.git\n"),
        ("p/fix/.git", "gitdir: ../.bare/worktrees/fix\n"),
    ]);
    for dir in ["p", "p/fix"] {
        let facts = tree.inspect(dir).expect("found");
        assert_eq!(facts.common_dir, tree.root.join("p/.bare"), "{dir}");
        assert_eq!(facts.repo, "https://github.com/org/repo");
    }
}

#[test]
fn a_bare_repository_is_its_own_root() {
    let tree =
        tree(&[("r.git/HEAD", "ref: refs/heads/main\n"), ("r.git/objects/x", ""), ("r.git/refs/x", "")]);
    let facts = tree.inspect("r.git/refs").expect("found");
    assert_eq!((facts.root.clone(), facts.common_dir), (tree.root.join("r.git"), tree.root.join("r.git")));
    assert_eq!(facts.branch.as_deref(), Some("main"));
}

#[test]
fn inside_the_git_directory_the_working_tree_is_meant() {
    let tree =
        tree(&[("r/.git/HEAD", "ref: refs/heads/main\n"), ("r/.git/objects/x", ""), ("r/.git/hooks/x", "")]);
    assert_eq!(tree.inspect("r/.git/hooks").expect("found").root, tree.root.join("r"));
}

#[test]
fn rewrites_of_the_repository_and_of_the_person_apply_longest_first() {
    let own = "[remote \"origin\"]\nurl = gh:org/repo\n[url \"https://wrong.net/\"]\ninsteadOf = g\n";
    let person =
        "[url \"git@github.com:\"]\n\tinsteadOf = gh:\n[remote \"origin\"]\nurl = https://not.this/one\n";
    let tree =
        tree(&[("r/.git/HEAD", "ref: refs/heads/main\n"), ("r/.git/config", own), ("gitconfig", person)]);
    assert_eq!(tree.inspect("r").expect("found").repo, "https://github.com/org/repo");
}

#[test]
fn the_configuration_is_read_as_git_reads_it() {
    let table = [
        ("[remote \"origin\"] url = https://h.net/a/b", "https://h.net/a/b"),
        ("[REMOTE \"origin\"]\nURL=https://h.net/a/b ; comment", "https://h.net/a/b"),
        ("[remote.origin]\nurl = \"https://h.net/a/b\" # comment", "https://h.net/a/b"),
        (
            "# [remote \"origin\"]\n[remote \"origin\"]\n# url = x\nurl = https://h.net/\\\na/b\n",
            "https://h.net/a/b",
        ),
        ("[remote \"origin\"]\nurl = https://h.net/a/b\nurl = https://h.net/c/d", "https://h.net/a/b"),
        (
            "[remote \"Origin\"]\nurl = https://h.net/x/y\n[remote \"origin\"]\nurl = https://h.net/a/b",
            "https://h.net/a/b",
        ),
        ("[remote \"origin\"]\nurl = /srv/git/r.git", "file:///srv/git/r.git"),
    ];
    for (text, expected) in table {
        let tree = tree(&[("r/.git/HEAD", "ref: refs/heads/main\n"), ("r/.git/config", text)]);
        assert_eq!(tree.inspect("r").expect("found").repo, expected, "{text}");
    }
}

#[test]
fn huge_and_strange_files_are_passed_over() {
    let huge = format!("{ORIGIN}{}", "#".repeat(2 * 1024 * 1024));
    let tree =
        tree(&[("r/.git/HEAD", "ref: refs/heads/main\n"), ("r/.git/config", &huge), ("s/.git/config/x", "")]);
    assert_eq!(tree.inspect("r").expect("found").repo, tree.url("r"));
    assert_eq!(tree.inspect("s"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_configuration_is_read_or_passed_over(text in "[\\[\\]\"\\\\a-c= \n#;.]{0,80}") {
        let mut config = GitConfig::default();
        config.read(&text);
        config.read_rewrites(&text);
        let _ = config.rewritten("abc");
    }
}
