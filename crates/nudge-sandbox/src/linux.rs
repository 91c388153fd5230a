//! The sandbox on Linux: who starts whom, and what they say to each other.

mod caller;
mod companion;
mod environment;
mod filter;
mod first;
mod guard;
mod limits;
mod mounts;
mod namespaces;
mod probe;
mod protected;
mod rules;
mod supervisor;
mod tree;
mod view;
mod wire;
mod worktree;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use caller::run;
pub(crate) use companion::companion;
pub(crate) use probe::level;

/// The words that name the stages.
const SUPERVISOR: &str = "supervisor";
const FIRST: &str = "first";

/// Does the work of a stage of a run.
pub(crate) fn stage(args: &[OsString]) -> Option<ExitCode> {
    let (name, words) = args.split_first()?;
    match (name.to_str()?, words) {
        (SUPERVISOR, []) => Some(supervisor::work()),
        (FIRST, []) => Some(first::work()),
        (companion::COMPANION, words) => Some(companion::work(words)),
        _ => None,
    }
}
