//! What a process knows about where it runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nudge_core::{Context, EnvView, Os};

use crate::git;

/// The facts of a directory on this machine: the directory itself, its repository and branch, and
/// the system. Environment values are read by name, when a condition mentions them.
pub fn here(cwd: &Path) -> Context {
    let facts = git::inspect(cwd);
    let (repo, branch) = match facts {
        Some(facts) => (facts.repo, facts.branch),
        None => (format!("file://{}", cwd.display()), None),
    };
    Context {
        cwd: Some(cwd.display().to_string()),
        repo: Some(repo),
        branch,
        os: Os::from_name(std::env::consts::OS),
        env: EnvView::Partial(BTreeMap::new()),
        files_open: Vec::new(),
    }
}

/// The working directory as the user sees it: `PWD` if it is correct, because it keeps the links
/// that the user went through, else the system's answer.
pub fn working_dir() -> std::io::Result<PathBuf> {
    let real = std::env::current_dir()?;
    let said = std::env::var_os("PWD").map(PathBuf::from);
    Ok(said.filter(|said| said.is_absolute() && same_place(said, &real)).unwrap_or(real))
}

fn same_place(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn outside_a_repository_the_directory_stands_for_it() {
        let dir = TempDir::new().expect("temporary directory");
        let path = dir.path().display().to_string();
        let expected = Context {
            cwd: Some(path.clone()),
            repo: Some(format!("file://{path}")),
            branch: None,
            os: Os::from_name(std::env::consts::OS),
            env: EnvView::Partial(BTreeMap::new()),
            files_open: Vec::new(),
        };
        assert_eq!(here(dir.path()), expected);
    }

    #[test]
    fn inside_a_repository_its_remote_and_branch_are_known() {
        let dir = TempDir::new().expect("temporary directory");
        let git = dir.path().join(".git");
        fs::create_dir(&git).expect("created");
        fs::write(git.join("HEAD"), "ref: refs/heads/dev\n").expect("written");
        fs::write(git.join("config"), "[remote \"origin\"]\n\turl = git@github.com:org/repo.git\n")
            .expect("written");
        let context = here(dir.path());
        assert_eq!(context.repo.as_deref(), Some("https://github.com/org/repo"));
        assert_eq!(context.branch.as_deref(), Some("dev"));
    }
}
