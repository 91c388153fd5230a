//! Repositories written by hand, so that tests need neither git nor its configuration.

use std::fs;
use std::path::Path;

/// Makes `dir` a repository with an `origin` and a branch checked out.
pub fn repository(dir: &Path, origin: Option<&str>, branch: &str) {
    let git = dir.join(".git");
    fs::create_dir_all(git.join("refs/heads")).expect("a fresh directory can be written");
    fs::create_dir_all(git.join("objects")).expect("a fresh directory can be written");
    let mut config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_owned();
    if let Some(url) = origin {
        config.push_str(&format!(
            "[remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
        ));
    }
    fs::write(git.join("config"), config).expect("a fresh directory can be written");
    check_out(dir, branch);
}

/// Checks out a branch in a repository made by [`repository`].
pub fn check_out(dir: &Path, branch: &str) {
    fs::write(dir.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n"))
        .expect("the repository can be written");
}

/// Makes `dir` a second worktree of `main`, on a separate branch.
pub fn worktree(main: &Path, dir: &Path, branch: &str) {
    let name = dir.file_name().expect("a working tree has a name");
    let admin = main.join(".git/worktrees").join(name);
    fs::create_dir_all(&admin).expect("the repository can be written");
    fs::create_dir_all(dir).expect("a fresh directory can be written");
    fs::write(dir.join(".git"), format!("gitdir: {}\n", admin.display()))
        .expect("a fresh directory can be written");
    fs::write(admin.join("gitdir"), format!("{}\n", dir.join(".git").display()))
        .expect("the repository can be written");
    fs::write(admin.join("commondir"), "../..\n").expect("the repository can be written");
    fs::write(admin.join("HEAD"), format!("ref: refs/heads/{branch}\n"))
        .expect("the repository can be written");
}
