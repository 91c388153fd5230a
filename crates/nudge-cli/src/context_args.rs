//! Where the caller is, and the flags that override it.

use std::path::{Path, PathBuf};

use clap::Args;
use nudge_core::{Context, EnvView, Os};
use nudge_home::surroundings;

use crate::lists;

// Overrides of the inferred context.
// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Context (default: where you are)")]
pub(crate) struct ContextArgs {
    /// As if in this directory, with its repository and branch
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// As if in this repository, such as git:org/repo or its URL
    #[arg(long, value_name = "REPO")]
    pub(crate) repo: Option<String>,
    /// As if on this branch
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// As if on this system: linux, darwin or windows
    #[arg(long, value_name = "OS", value_parser = system)]
    pub(crate) os: Option<Os>,
    /// As if this variable were set; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = lists::pair)]
    pub(crate) env: Vec<(String, String)>,
}

impl ContextArgs {
    /// The facts of this process, with the flags in their place.
    pub(crate) fn context(&self) -> Context {
        let mut context = match &self.cwd {
            None => here(),
            Some(dir) if is_foreign(dir) => elsewhere(dir),
            Some(dir) => surroundings::here(&absolute(dir)),
        };
        if let Some(repo) = &self.repo {
            context.repo = Some(repo.clone());
        }
        if let Some(branch) = &self.branch {
            context.branch = Some(branch.clone());
        }
        if let Some(os) = self.os {
            context.os = Some(os);
        }
        if !self.env.is_empty()
            && let EnvView::Partial(known) = &mut context.env
        {
            known.extend(self.env.iter().map(|(name, value)| (name.clone(), Some(value.clone()))));
        }
        context
    }
}

/// The system with that name, as `uname` reports it or as a user would type it.
pub(crate) fn system(name: &str) -> Result<Os, String> {
    Os::from_name(name).ok_or_else(|| "use linux, darwin or windows".to_owned())
}

/// The context of the working directory: its repository, branch and system.
pub(crate) fn here() -> Context {
    surroundings::here(&working_directory())
}

/// The working directory; the root if that directory was removed.
pub(crate) fn working_directory() -> PathBuf {
    surroundings::working_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

fn absolute(dir: &str) -> PathBuf {
    let dir = Path::new(dir);
    let joined = if dir.is_absolute() { dir.to_owned() } else { working_directory().join(dir) };
    std::path::absolute(&joined).unwrap_or(joined)
}

/// Whether this is a directory on another kind of system, such as `c:\code`. Nothing can be
/// inferred from it here.
fn is_foreign(dir: &str) -> bool {
    let bytes = dir.as_bytes();
    cfg!(unix)
        && bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/')
}

fn elsewhere(dir: &str) -> Context {
    let here = surroundings::here(Path::new("/"));
    Context { cwd: Some(dir.to_owned()), repo: None, branch: None, ..here }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_letter_is_another_system() {
        assert!(is_foreign(r"c:\code\x"));
        assert!(!is_foreign("/work"));
        assert!(!is_foreign("c"));
    }
}
