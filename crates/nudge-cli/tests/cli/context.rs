//! Context is inferred from the user's directory, without running git.

use nudge_testkit::{TestHome, git};

use crate::cli::home;

/// A hint for each fact of a context; each applies only when its fact is as stated.
fn matching(home: &TestHome, dir: &std::path::Path, words: &[&str]) -> Vec<String> {
    let call =
        home.nudge([&["query", "--component", "c", "--limit", "50", "--json"], words].concat()).cwd(dir);
    let answer = call.env("STAGE", "dev").run().json();
    let mut keys: Vec<String> = answer["hints"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["hint"]["key"].as_str().expect("a key").to_owned())
        .collect();
    keys.sort();
    keys
}

/// @cli_context_inference
#[test]
fn directory_repository_branch_system_and_environment_are_inferred() {
    let home = home();
    let dir = home.dir("work/api");
    git::repository(&dir, Some("git@github.com:org/api.git"), "dev");
    let deep = home.dir("work/api/src/deep");
    home.run(["set", "c", "cwd", "1", "--scope-cwd-glob", "**/api/**"]).ok();
    home.run(["set", "c", "repo", "1", "--repo", "https://github.com/org/api"]).ok();
    home.run(["set", "c", "branch", "1", "--scope-branch", "dev"]).ok();
    home.run(["set", "c", "os", "1", "--scope-os", "linux"]).ok();
    home.run(["set", "c", "env", "1", "--scope-env", "STAGE", "--env", "STAGE=dev|test"]).ok();
    assert_eq!(matching(&home, &deep, &[]), ["branch", "cwd", "env", "os", "repo"]);
    assert_eq!(matching(&home, home.path(), &[]), ["env", "os"]);
    git::check_out(&dir, "main");
    assert_eq!(matching(&home, &deep, &[]), ["cwd", "env", "os", "repo"]);
}

/// @cli_context_inference
#[test]
fn flags_override_what_is_inferred() {
    let home = home();
    let dir = home.dir("work/api");
    git::repository(&dir, Some("https://example.com/org/api.git"), "dev");
    home.run(["set", "c", "branch", "1", "--scope-branch", "hotfix/*"]).ok();
    home.run(["set", "c", "os", "1", "--scope-os", "windows"]).ok();
    home.run(["set", "c", "repo", "1", "--repo", "git:other/thing"]).ok();
    home.run(["set", "c", "env", "1", "--env", "STAGE=prod"]).ok();
    assert_eq!(matching(&home, &dir, &[]), Vec::<String>::new());
    let flags =
        ["--branch", "hotfix/1", "--os", "windows", "--repo", "git:other/thing", "--env", "STAGE=prod"];
    assert_eq!(matching(&home, &dir, &flags), ["branch", "env", "os", "repo"]);
    assert_eq!(matching(&home, &dir, &["--os", "Windows_NT"]), ["os"]);
}

/// @cli_context_inference
#[test]
fn a_given_directory_moves_repository_and_branch_with_it() {
    let home = home();
    let (api, web) = (home.dir("work/api"), home.dir("work/web"));
    git::repository(&api, Some("https://example.com/org/api.git"), "dev");
    git::repository(&web, Some("https://example.com/org/web.git"), "release");
    home.run(["set", "c", "web", "1", "--repo", "https://example.com/org/web", "--scope-branch", "release"])
        .ok();
    assert_eq!(matching(&home, &api, &[]), Vec::<String>::new());
    assert_eq!(matching(&home, &api, &["--cwd", web.to_str().expect("utf-8")]), ["web"]);
    assert_eq!(matching(&home, &api, &["--cwd", "../web"]), ["web"]);
    assert_eq!(matching(&home, &api, &["--cwd", "../web", "--branch", "dev"]), Vec::<String>::new());
}

/// @cli_context_inference
#[test]
fn working_trees_share_their_repository_and_have_a_branch_each() {
    let home = home();
    let main = home.dir("work/api");
    git::repository(&main, Some("https://example.com/org/api.git"), "main");
    let tree = home.path().join("work/api-hotfix");
    git::worktree(&main, &tree, "hotfix/7");
    home.run(["set", "c", "repo", "1", "--repo", "https://example.com/org/api"]).ok();
    home.run(["set", "c", "fix", "1", "--scope-branch", "hotfix/*"]).ok();
    assert_eq!(matching(&home, &tree, &[]), ["fix", "repo"]);
    assert_eq!(matching(&home, &main, &[]), ["repo"]);
}

/// @cli_context_inference
#[test]
fn a_directory_outside_of_any_repository_is_a_file_address() {
    let home = home();
    let dir = home.dir("plain");
    let address = format!("file://{}", dir.canonicalize().expect("it exists").display());
    home.run(["set", "c", "here", "1", "--repo", &address]).ok();
    assert_eq!(matching(&home, &dir, &[]), ["here"]);
}

/// @cli_context_inference
#[test]
fn bad_context_flags_are_refused() {
    let home = home();
    home.run(["get", "a", "b", "--os", "beos"]).exits(2);
    home.run(["get", "a", "b", "--env", "no-equals-sign"]).exits(2);
}
