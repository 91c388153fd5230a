//! Repositories of every layout, laid out by hand: git itself is not needed.

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
        ("r/.git/modules/lib/config", "[remote \"origin\"]\nurl = ../other.git\n"),
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
