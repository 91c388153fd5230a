//! What is put into which file.

use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_harness::install::{EditError, InstallError, Part, SettingsFile};
use serde_json::Value;

use super::agent::Agent;
use super::config_line;
use super::place::Place;

/// What belongs into a file.
#[derive(Copy, Clone, Debug)]
enum Kind {
    /// What an agent is told in its settings.
    Agent(&'static SettingsFile),
    /// A default in our own configuration.
    Config,
}

impl Kind {
    const fn part(self) -> Option<Part> {
        match self {
            Self::Agent(file) => Some(file.part),
            Self::Config => None,
        }
    }
}

/// One file, and what belongs into it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    kind: Kind,
    path: PathBuf,
}

impl Target {
    /// The files that hold what is registered with an agent.
    pub(crate) fn all(place: &Place, agent: Agent) -> Vec<Self> {
        let files = agent.installer.files.iter();
        let of_agent = files.map(|file| Self::new(Kind::Agent(file), place.file_of(agent.installer, file)));
        of_agent.chain([Self::new(Kind::Config, place.home.config_file())]).collect()
    }

    const fn new(kind: Kind, path: PathBuf) -> Self {
        Self { kind, path }
    }

    /// The same in another file.
    pub(crate) fn at(&self, path: &Path) -> Self {
        Self::new(self.kind, path.to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it holds hooks.
    pub(crate) fn is_hooks(&self) -> bool {
        self.kind.part() == Some(Part::Hooks)
    }

    pub(crate) fn is_server(&self) -> bool {
        self.kind.part() == Some(Part::Server)
    }

    /// What we put into it, for people.
    pub(crate) fn what(&self) -> String {
        match self.kind {
            Kind::Agent(file) if file.part == Part::Hooks => format!("{} hooks", file.entries),
            Kind::Agent(_) => "the MCP server `nudge`".to_owned(),
            Kind::Config => "hints live forever unless they say otherwise".to_owned(),
        }
    }

    /// What is taken out of it, for people.
    pub(crate) const fn ours(&self) -> &'static str {
        match self.kind.part() {
            Some(Part::Hooks) => "our hooks",
            Some(Part::Server) => "our MCP server",
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
            Kind::Agent(file) => (file.with)(text, &who).map_err(|error| self.refused(file, &error)),
            Kind::Config => Ok(config_line::with(text, &self.path)),
        }
    }

    /// The text without it.
    pub(crate) fn without(&self, text: &str, place: &Place) -> Result<String, Fault> {
        match self.kind {
            Kind::Agent(file) => {
                (file.without)(text, &place.program).map_err(|error| self.refused(file, &error))
            }
            Kind::Config => Ok(config_line::without(text)),
        }
    }

    /// Whether a text says nothing: what is left of a file that we made.
    pub(crate) fn is_bare(&self, text: &str) -> bool {
        text.trim().is_empty() || (self.kind.part().is_some() && text.trim() == "{}")
    }

    fn refused(&self, file: &SettingsFile, error: &InstallError) -> Fault {
        let path = self.path.display();
        let message = format!("{path}: {error}; nothing was changed");
        let (kind, reason, next) = match error {
            InstallError::Edit(EditError::NotJson { .. }) => {
                (FaultKind::Invalid, "settings_not_json", format!("correct {path} and run this again"))
            }
            InstallError::Edit(EditError::WrongKind { .. }) => {
                (FaultKind::Invalid, "settings_of_another_kind", format!("correct {path} and run this again"))
            }
            InstallError::Taken(_) => (FaultKind::Conflict, "name_taken", file.when_taken.to_owned()),
        };
        Fault::new(kind, reason, message).with("path", path.to_string()).next(next)
    }
}
