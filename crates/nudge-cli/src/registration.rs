//! Registers Nudge in the settings of agents: which agents there are, which files and entries, and
//! how to remove them.

mod file;
mod ledger;
pub(crate) mod page;
mod place;
pub(crate) mod plan;
pub(crate) mod safe_program;
mod target;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use nudge_harness::Harness;
use nudge_harness::install::Installer;
use serde_json::Value;

pub(crate) use file::{SettingsFile, real, small_text};
pub(crate) use ledger::{Ledger, Written};
pub(crate) use place::InstallContext;
pub(crate) use plan::Plan;
pub(crate) use target::Target;

/// An agent that users can name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent(pub(crate) Harness);

impl Agent {
    /// All agents.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Harness::ALL.into_iter().map(Self)
    }

    /// The agents that Nudge can be installed into.
    pub(crate) fn installable() -> impl Iterator<Item = (Self, &'static Installer)> {
        Self::all().filter_map(|agent| Some((agent, agent.0.installer()?)))
    }

    /// The name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        self.0.name()
    }

    /// The name shown to users.
    pub(crate) const fn title(self) -> &'static str {
        self.0.spec().title
    }
}

impl ValueEnum for Agent {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Agent>> = LazyLock::new(|| Agent::all().collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}

// Finds the agents on this machine, without starting any of them.

/// Usual program directories, relative to the home directory. They matter if the `PATH` lacks them,
/// as for agents started from a desktop.
const PROGRAM_DIRS: [&str; 5] =
    [".local/bin", ".npm-global/bin", ".bun/bin", ".opencode/bin", ".claude/local"];

/// The parts of an agent that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detected {
    /// Its program.
    pub(crate) program: Option<PathBuf>,
    /// The version of the program, if the files next to it state it.
    pub(crate) version: Option<String>,
    /// The directory of its settings, if it exists.
    pub(crate) directory: Option<PathBuf>,
    /// Directories of other profiles. The agent uses them only when a variable names them.
    pub(crate) other_profiles: Vec<PathBuf>,
}

impl Detected {
    /// Searches for an agent.
    pub(crate) fn of(agent: Agent, installer: &Installer, place: &InstallContext) -> Self {
        let program = program(agent, place);
        let directory = place.directory(installer);
        Self {
            version: program.as_deref().and_then(|program| version(agent, program)),
            program,
            other_profiles: profiles(installer, place, &directory),
            directory: Some(directory).filter(|directory| directory.is_dir()),
        }
    }

    /// Whether any part of it was found.
    pub(crate) fn is_there(&self) -> bool {
        self.program.is_some() || self.directory.is_some()
    }

    /// A description for users.
    pub(crate) fn words(&self) -> String {
        let version = self.version.as_deref().unwrap_or("unknown version");
        match (&self.program, &self.directory) {
            (Some(program), _) => format!("{version}, {}", program.display()),
            (None, Some(directory)) => format!("program not found; settings in {}", directory.display()),
            (None, None) => "program not found".to_owned(),
        }
    }
}

fn program(agent: Agent, place: &InstallContext) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = PROGRAM_DIRS.iter().map(|dir| place.user_home().join(dir));
    let dirs: Vec<PathBuf> =
        std::env::split_paths(&path).filter(|dir| dir.is_absolute()).chain(usual).collect();
    let names = agent.0.spec().traces.programs;
    let is_program =
        |path: &PathBuf| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    dirs.iter().flat_map(|dir| names.iter().map(|name| dir.join(name))).find(is_program)
}

/// The version from the program's package, or from the name of the file that its link points to.
fn version(agent: Agent, program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let packages = agent.0.spec().traces.packages;
    let of_package = real.ancestors().skip(1).take(5).find_map(|dir| {
        let manifest: Value = serde_json::from_str(&small_text(&dir.join("package.json"))?).ok()?;
        let name = manifest.get("name")?.as_str()?;
        packages.iter().any(|package| name.starts_with(package)).then_some(())?;
        manifest.get("version")?.as_str().map(str::to_owned)
    });
    let name = real.file_name()?.to_str()?;
    of_package.or_else(|| is_version(name).then(|| name.to_owned()))
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn profiles(installer: &Installer, place: &InstallContext, used: &Path) -> Vec<PathBuf> {
    let Some((begin, file)) = installer.directory.profiles else { return Vec::new() };
    let items = fs::read_dir(place.user_home()).into_iter().flatten().flatten();
    let is_profile = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(begin) && path != used && path.join(file).is_file()
    };
    let mut found: Vec<PathBuf> = items.map(|item| item.path()).filter(is_profile).collect();
    // If the variable names a profile, the usual directory is another profile.
    let usual = place.user_home().join(installer.directory.in_home);
    found.extend(Some(usual).filter(|usual| usual != used && usual.is_dir()));
    found.sort();
    found
}
