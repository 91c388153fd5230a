//! Where the agent keeps its settings, and what is registered there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_harness::install::{Installer, Registration, SettingsFile};
use nudge_home::Home;

/// This program, its memory and its person.
pub(crate) struct Place {
    /// The memory.
    pub(crate) home: Home,
    /// Absolute path of this program, as text: settings are text.
    pub(crate) program: String,
    person: PathBuf,
}

impl Place {
    /// Looks around.
    pub(crate) fn find(home: Home) -> Result<Self, Fault> {
        let person = given("HOME").or_else(std::env::home_dir).ok_or_else(|| {
            Fault::invalid("home_unknown", "HOME is not set and this user has no home directory")
                .next("set HOME to the directory that holds the agent's settings")
        })?;
        let program = text(&program()?)?;
        if !home.is_default() {
            text(home.root())?;
        }
        Ok(Self { home, program, person })
    }

    /// Where an agent keeps a file: in the directory that the variable names, or else in the home.
    pub(super) fn file_of(&self, installer: &Installer, file: &SettingsFile) -> PathBuf {
        let directory = given(installer.directory_variable);
        match directory.map(|dir| std::path::absolute(&dir).unwrap_or(dir)) {
            Some(directory) => directory.join(file.in_directory),
            None => self.person.join(file.in_home),
        }
    }

    /// The memory's directory, where agents must be told it.
    pub(crate) fn passed_home(&self) -> Option<&str> {
        self.home.root().to_str().filter(|_| !self.home.is_default())
    }

    /// What is registered.
    pub(crate) fn registration(&self) -> Registration<'_> {
        Registration { program: &self.program, home: self.passed_home() }
    }
}

/// The path that a variable names.
fn given(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The path by which this program was called, if it leads here: a link that a package manager keeps outlives the
/// version it points to.
fn program() -> Result<PathBuf, Fault> {
    let real = std::env::current_exe().map_err(|error| {
        Fault::new(
            FaultKind::Internal,
            "program_unknown",
            format!("cannot find this program's path: {error}"),
        )
    })?;
    let called = std::env::args_os().next().unwrap_or_default();
    let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == real);
    Ok(candidates(&called)
        .into_iter()
        .filter_map(|path| std::path::absolute(path).ok())
        .find(leads_here)
        .unwrap_or(real))
}

fn candidates(called: &OsString) -> Vec<PathBuf> {
    let path = Path::new(called);
    if path.components().count() > 1 {
        return vec![path.to_owned()];
    }
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&dirs).filter(|dir| dir.is_absolute()).map(|dir| dir.join(path)).collect()
}

fn text(path: &Path) -> Result<String, Fault> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Fault::invalid("path_not_text", format!("{} is not valid text", path.display()))
            .next("move it to a path that is: settings files hold text")
    })
}
