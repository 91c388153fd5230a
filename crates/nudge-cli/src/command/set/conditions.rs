//! The conditions of a hint, from flags.

use std::collections::BTreeMap;

use clap::Args;
use nudge_core::Os;
use nudge_memory::hints::wire::{OneOrMany, Scope};

use crate::context_args::{here, system, working_directory};
use crate::lists;

// When the hint applies: all given conditions must be true.
// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Conditions (the hint applies where all of them are met)")]
pub(crate) struct ConditionArgs {
    /// Globs for the working directory; . is this one, ./** also all below it
    #[arg(long, value_name = "GLOB,…")]
    scope_cwd_glob: Vec<String>,
    /// Repositories, as git:org/repo or URL; . is this one
    #[arg(long, value_name = "REPO,…", visible_alias = "repo")]
    scope_repo: Vec<String>,
    /// Branches, or globs such as hotfix/*
    #[arg(long, value_name = "BRANCH,…")]
    scope_branch: Vec<String>,
    /// Systems: linux, darwin, windows
    #[arg(long, value_name = "OS,…", value_delimiter = ',', value_parser = system)]
    scope_os: Vec<Os>,
    /// Variables that must be set
    #[arg(long, value_name = "NAME,…")]
    scope_env: Vec<String>,
    /// A variable and its allowed values; may be repeated
    #[arg(long, value_name = "NAME=V1|V2", visible_alias = "env", value_parser = lists::pair)]
    scope_env_match: Vec<(String, String)>,
}

impl ConditionArgs {
    /// The wire form; `None` without conditions.
    pub(crate) fn scope(self) -> Option<Scope> {
        let mut env_match: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, values) in self.scope_env_match {
            env_match.entry(name).or_default().extend(values.split('|').map(str::to_owned));
        }
        let scope = Scope {
            cwd_glob: lists::items(&self.scope_cwd_glob).into_iter().map(expand_glob).collect(),
            repo: OneOrMany::from_vec(lists::items(&self.scope_repo).into_iter().map(this_repo).collect()),
            branch: lists::items(&self.scope_branch),
            os: self.scope_os.iter().map(|os| os.name().to_owned()).collect(),
            env_required: lists::items(&self.scope_env),
            env_match: env_match.into_iter().map(|(name, values)| (name, one_or_many(values))).collect(),
        };
        (scope != Scope::default()).then_some(scope)
    }
}

/// Expands `~` to the home directory and `.` to the working directory.
fn expand_glob(glob: String) -> String {
    let below = |dir: std::path::PathBuf, rest: &str| {
        let dir = dir.to_string_lossy().into_owned();
        if rest.is_empty() { dir } else { format!("{}/{rest}", dir.trim_end_matches('/')) }
    };
    match glob.split_once('/').unwrap_or((&glob, "")) {
        ("~", rest) => std::env::home_dir().map_or_else(|| glob.clone(), |home| below(home, rest)),
        (".", rest) => below(working_directory(), rest),
        _ => glob,
    }
}

/// Expands `.` to the repository of the working directory.
fn this_repo(repo: String) -> String {
    if repo != "." {
        return repo;
    }
    here().repo.unwrap_or(repo)
}

fn one_or_many(values: Vec<String>) -> OneOrMany {
    OneOrMany::from_vec(values).unwrap_or(OneOrMany::Many(Vec::new()))
}
