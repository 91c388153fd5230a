//! The paths of this program, its memory, the user's home and the agents' files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_harness::install::{FilePlace, Http, Installer, Registration, local_url};
use nudge_home::Home;

use super::file::real;

/// This program, its memory and its user.
#[derive(Clone)]
pub(crate) struct InstallContext {
    /// The memory.
    pub(crate) home: Home,
    /// Absolute path of this program, as text, because settings are text.
    pub(crate) program: String,
    /// The root of the project; `None` for the user.
    pub(crate) project: Option<String>,
    /// The address of the server, if agents reach it over HTTP.
    pub(crate) url: Option<String>,
    token_file: String,
    person: PathBuf,
}

impl InstallContext {
    /// Finds the paths.
    pub(crate) fn find(home: Home) -> Result<Self, Fault> {
        let person = env_path("HOME").or_else(std::env::home_dir).ok_or_else(|| {
            Fault::invalid("home_unknown", "HOME is not set and this user has no home directory")
                .next("set HOME to the directory with the agent's settings")
        })?;
        let program = text(&program()?)?;
        if !home.is_default() {
            text(home.root())?;
        }
        let token_file = text(&home.token_file())?;
        Ok(Self { home, program, project: None, url: None, token_file, person })
    }

    /// The same for the project of a directory: the root of its checkout, also for a linked
    /// worktree, or else the directory itself.
    pub(crate) fn in_project_of(self, directory: &Path) -> Result<Self, Fault> {
        let directory = real(directory);
        let top = directory.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(&directory);
        let person = real(&self.person);
        if top == Path::new("/") || top == person {
            return Err(Fault::invalid("no_project", format!("{} is not a project", top.display()))
                .next("go to a project, or remove --project to install for all projects"));
        }
        let project = Some(text(top)?);
        Ok(Self { project, ..self })
    }

    /// The same for another project, or for none.
    pub(crate) fn at_project(&self, project: Option<&str>) -> Self {
        Self { project: project.map(str::to_owned), ..self.clone() }
    }

    /// The same, with the server reached as this settings file registers it: over HTTP, or as a
    /// program.
    pub(crate) fn as_registered_in(&self, text: &str) -> Self {
        Self { url: local_url(text), ..self.clone() }
    }

    /// The same, with the server over HTTP.
    pub(crate) fn with_url(self, url: String) -> Self {
        Self { url: Some(url), ..self }
    }

    /// The user's home directory.
    pub(crate) fn user_home(&self) -> &Path {
        &self.person
    }

    /// The directory of an agent's settings.
    pub(crate) fn directory(&self, installer: &Installer) -> PathBuf {
        let named = installer.directory.variable.and_then(|(variable, below)| env_directory(variable, below));
        named.unwrap_or_else(|| self.person.join(installer.directory.in_home))
    }

    /// The path of an agent's file.
    pub(super) fn file_of(&self, installer: &Installer, place: FilePlace) -> PathBuf {
        match place {
            FilePlace::Directory(names) => first_there(&self.directory(installer), names),
            FilePlace::DirectoryOr(name, in_home) => {
                let variable = installer.directory.variable;
                match variable.and_then(|(variable, below)| env_directory(variable, below)) {
                    Some(directory) => directory.join(name),
                    None => self.person.join(in_home),
                }
            }
            FilePlace::Project(names) => {
                first_there(Path::new(self.project.as_deref().unwrap_or_default()), names)
            }
        }
    }

    /// The memory's directory, if it must be passed to agents because it is not the default.
    pub(crate) fn passed_home(&self) -> Option<&str> {
        self.home.root().to_str().filter(|_| !self.home.is_default())
    }

    /// The values to register with an agent.
    pub(crate) fn registration(&self) -> Registration<'_> {
        let http = self.url.as_deref().map(|url| Http { url, token_file: &self.token_file });
        Registration {
            program: &self.program,
            home: self.passed_home(),
            http,
            project: self.project.as_deref(),
        }
    }
}

fn first_there(dir: &Path, names: &[&str]) -> PathBuf {
    let paths = || names.iter().map(|name| dir.join(name));
    paths().find(|path| path.exists()).or_else(|| paths().next()).unwrap_or_else(|| dir.to_owned())
}

/// The directory named by an environment variable.
fn env_directory(variable: &str, below: &str) -> Option<PathBuf> {
    let directory = env_path(variable)?;
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    Some(if below.is_empty() { directory } else { directory.join(below) })
}

/// The path named by an environment variable.
fn env_path(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
/// The path that this program was called by, if it leads here. A package manager's link outlives
/// the version it points to.
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
        Fault::invalid("path_not_text", format!("the path {} is not valid UTF-8", path.display()))
            .next("move it to a path in valid UTF-8")
    })
}
