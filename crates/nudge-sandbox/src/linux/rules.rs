//! Landlock: which files a command reaches, as the kernel checks it on every access.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use super::view::{self, View};
use crate::level::Level;
use crate::plan::Plan;

/// The rules that this was written and tested for. An older kernel enforces fewer.
const RULES: ABI = ABI::V7;

/// Devices that every program may use.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What the kernel enforces of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enforced {
    Nothing,
    /// It knows files, but not signals to other processes, which takes Linux 6.12.
    Files,
    All,
}

/// Bounds this process and all that it starts, as far as the kernel can.
pub(super) fn apply(plan: &Plan, view: &View, temporary: &Path) -> Result<Enforced, String> {
    let allowed = match plan.level {
        Level::Full if !can_move_files() => return Ok(Enforced::Nothing),
        Level::Full => on_top(plan),
        Level::Landlock => alone(view, temporary),
        Level::None => return Ok(Enforced::Nothing),
    };
    restrict(&allowed).map_err(|error| format!("Landlock: {error}"))
}

struct Allowed {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
}

/// Inside the own file system, everything there is visible: only writing is bounded.
fn on_top(plan: &Plan) -> Allowed {
    let write = ["/tmp", "/run", "/dev", "/proc"].iter().map(PathBuf::from);
    let write = write.chain([plan.home.clone(), plan.root.clone()]).chain(plan.rights.write.iter().cloned());
    Allowed { read: vec![PathBuf::from("/")], write: write.collect() }
}

/// In the machine's file system, what would be visible in the own one.
fn alone(view: &View, temporary: &Path) -> Allowed {
    let (write, read): (Vec<_>, Vec<_>) = view.seen.iter().partition(|seen| seen.may_write);
    let paths = |seen: Vec<&view::Seen>| seen.into_iter().map(|seen| seen.path.clone()).collect::<Vec<_>>();
    let (mut write, mut read) = (paths(write), paths(read));
    read.extend(view::etc());
    // Of other processes it shows no secrets: Landlock lets nobody look out of its domain.
    read.push(PathBuf::from("/proc"));
    write.push(temporary.to_owned());
    write.extend(DEVICES.iter().map(PathBuf::from));
    Allowed { read, write }
}

fn restrict(allowed: &Allowed) -> Result<Enforced, RulesetError> {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(RULES))?
        .scope(Scope::from_all(RULES))?
        .create()?
        .add_rules(path_beneath_rules(&allowed.read, AccessFs::from_read(RULES)))?
        .add_rules(path_beneath_rules(&allowed.write, AccessFs::from_all(RULES)))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::NotEnforced => Enforced::Nothing,
        RulesetStatus::PartiallyEnforced => Enforced::Files,
        RulesetStatus::FullyEnforced => Enforced::All,
    })
}

/// The first version lets no file move to another directory. Where mounts protect already, builds
/// are worth more than a second check.
fn can_move_files() -> bool {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::Refer).is_ok()
}
