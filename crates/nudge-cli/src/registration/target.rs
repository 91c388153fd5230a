//! What is put into which file.

use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_harness::install::{EditError, InstallError, Installer, Part, SettingsFile};
use serde_json::Value;

use super::agent::Agent;
use super::config_line;
use super::place::Place;

/// What belongs into a file.
#[derive(Copy, Clone, Debug)]
enum Kind {
    /// Entries in the settings of an agent.
    Agent(Agent, &'static SettingsFile),
    /// A default in our own configuration.
    Config,
}

/// One file, and what belongs into it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    kind: Kind,
    path: PathBuf,
    /// The root of the project, where it is for one.
    project: Option<String>,
}

impl Target {
    /// The files that hold what is registered with an agent: those of the person, or of the project that is meant.
    pub(crate) fn of_agent(place: &Place, agent: Agent, installer: &'static Installer) -> Vec<Self> {
        let files = if place.project.is_some() { installer.project_files } else { installer.files };
        files.iter().map(|file| Self::in_file(place, agent, installer, file)).collect()
    }

    fn in_file(place: &Place, agent: Agent, installer: &Installer, file: &'static SettingsFile) -> Self {
        let path = place.file_of(installer, file.place);
        Self { kind: Kind::Agent(agent, file), path, project: place.project.clone() }
    }

    /// Our own configuration.
    pub(crate) fn config(place: &Place) -> Self {
        Self { kind: Kind::Config, path: place.home.config_file(), project: None }
    }

    /// The target of a file that the ledger lists.
    pub(crate) fn listed(
        place: &Place,
        agent: Agent,
        path: &Path,
        part: &str,
        project: Option<&str>,
    ) -> Option<Self> {
        let installer = agent.0.installer()?;
        let files = if project.is_some() { installer.project_files } else { installer.files };
        let file = files.iter().find(|file| file.part.name() == part)?;
        let target = Self::in_file(&place.at_project(project), agent, installer, file);
        Some(Self { path: path.to_owned(), ..target })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The agent whose file it is.
    pub(crate) const fn agent(&self) -> Option<Agent> {
        match self.kind {
            Kind::Agent(agent, _) => Some(agent),
            Kind::Config => None,
        }
    }

    /// The project that it is for.
    pub(crate) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    pub(crate) const fn part(&self) -> Option<Part> {
        match self.kind {
            Kind::Agent(_, file) => Some(file.part),
            Kind::Config => None,
        }
    }

    /// Whether it holds hooks.
    pub(crate) fn is_hooks(&self) -> bool {
        self.part() == Some(Part::Hooks)
    }

    pub(crate) fn is_server(&self) -> bool {
        self.part() == Some(Part::Server)
    }

    /// What we put into it, for people.
    pub(crate) fn what(&self) -> String {
        match self.kind {
            Kind::Agent(_, file) if file.part == Part::Hooks && file.entries == 1 => "the plugin".to_owned(),
            Kind::Agent(_, file) if file.part == Part::Hooks => format!("{} hooks", file.entries),
            Kind::Agent(_, file) if file.part == Part::NoWait => {
                "keeps opencode from waiting for npm when offline".to_owned()
            }
            Kind::Agent(..) => "the MCP server `nudge`".to_owned(),
            Kind::Config => "hints live forever unless they say otherwise".to_owned(),
        }
    }

    /// What is taken out of it, for people.
    pub(crate) fn ours(&self) -> &'static str {
        match self.part() {
            Some(Part::Hooks) => "our hooks",
            Some(Part::Server) => "our MCP server",
            Some(Part::NoWait) => "our line",
            None => "our default",
        }
    }

    /// What is in a text that took nothing from us, for people.
    pub(crate) fn what_stays(&self, text: &str) -> String {
        match self.kind {
            Kind::Config if config_line::without(text) == text => {
                "the lifetime of hints is yours to say".to_owned()
            }
            _ => self.what(),
        }
    }

    /// The same for programs: exactly what a file that holds nothing else would say.
    pub(crate) fn entries(&self, place: &Place) -> Result<Value, Fault> {
        let text = self.with(None, place)?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The text with what belongs into it.
    pub(crate) fn with(&self, text: Option<&str>, place: &Place) -> Result<String, Fault> {
        let who = place.registration();
        match self.kind {
            Kind::Agent(_, file) => file.with(text, &who).map_err(|error| self.refused(file, &error)),
            Kind::Config => Ok(config_line::with(text, &self.path)),
        }
    }

    /// The text without it.
    pub(crate) fn without(&self, text: &str, place: &Place) -> Result<String, Fault> {
        let place = place.at_project(self.project());
        match self.kind {
            Kind::Agent(_, file) => {
                file.without(text, &place.registration()).map_err(|error| self.refused(file, &error))
            }
            Kind::Config => Ok(config_line::without(text)),
        }
    }

    /// The programs that our entries in a text start.
    pub(crate) fn programs(&self, text: &str, place: &Place) -> Vec<String> {
        match self.kind {
            Kind::Agent(_, file) => file.programs(text, &place.program),
            Kind::Config => Vec::new(),
        }
    }

    /// The line that the agent runs for an event, where it is a line.
    pub(crate) fn hook_line(&self, place: &Place) -> Option<String> {
        match self.kind {
            Kind::Agent(agent, file) => file.hook_line(&place.registration(), agent.name()),
            Kind::Config => None,
        }
    }

    /// Whether a text says nothing: what is left of a file that we made.
    pub(crate) fn is_bare(&self, text: &str) -> bool {
        match self.kind {
            Kind::Agent(_, file) => file.is_bare(text),
            Kind::Config => text.trim().is_empty(),
        }
    }

    fn refused(&self, file: &SettingsFile, error: &InstallError) -> Fault {
        let path = self.path.display();
        let message = format!("{path}: {error}; nothing was changed");
        let correct = || format!("correct {path} and run this again");
        let (kind, reason, next) = match error {
            InstallError::Edit(EditError::NotJson { .. }) => {
                (FaultKind::Invalid, "settings_not_json", correct())
            }
            InstallError::Edit(EditError::NotToml { .. }) => {
                (FaultKind::Invalid, "settings_not_toml", correct())
            }
            InstallError::Edit(EditError::WrongKind { .. }) => {
                (FaultKind::Invalid, "settings_of_another_kind", correct())
            }
            InstallError::Taken(_) => (FaultKind::Conflict, "name_taken", file.when_taken.to_owned()),
        };
        Fault::new(kind, reason, message).with("path", path.to_string()).next(next)
    }
}
