//! Where the caller stands, and the flags that say otherwise.

use std::path::{Path, PathBuf};

use clap::Args;
use nudge_core::{Context, EnvView, Os};
use nudge_home::surroundings;

use crate::lists;

// Overrides of the inferred context.
// No doc comment: clap would take it for the summary of the command.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Context (inferred from where you stand)")]
pub(crate) struct ContextArgs {
    /// Stand in this directory; repository and branch are inferred there
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Be in this repository, such as git:org/repo or its address
    #[arg(long, value_name = "REPO")]
    pub(crate) repo: Option<String>,
    /// Be on this branch
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// Be on this system
    #[arg(long, value_name = "OS", value_parser = system)]
    pub(crate) os: Option<Os>,
    /// Have this variable set; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = lists::pair)]
    pub(crate) env: Vec<(String, String)>,
}

impl ContextArgs {
    /// The facts of this process, with what the flags say in their place.
    pub(crate) fn context(&self) -> Context {
        let mut context = match &self.cwd {
            None => surroundings::here(&working_directory()),
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

/// The system with that name, as `uname` or a person writes it.
pub(crate) fn system(name: &str) -> Result<Os, String> {
    Os::from_name(name).ok_or_else(|| "use linux, darwin or windows".to_owned())
}

/// The directory the person stands in; the root when it was removed under their feet.
pub(crate) fn working_directory() -> PathBuf {
    surroundings::working_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

fn absolute(dir: &str) -> PathBuf {
    let dir = Path::new(dir);
    let joined = if dir.is_absolute() { dir.to_owned() } else { working_directory().join(dir) };
    std::path::absolute(&joined).unwrap_or(joined)
}

/// A directory of another kind of system, such as `c:\code`: nothing can be inferred from it here.
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
