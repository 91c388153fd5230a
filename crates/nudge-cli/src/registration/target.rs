//! The entries for each file.

use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_harness::install::{EditError, InstallError, Installer, Part, SettingsFile};
use nudge_home::settings::{Layers, Origin, resolve};
use serde_json::Value;

use super::Agent;
use super::place::InstallContext;

/// The kind of content for a file.
#[derive(Copy, Clone, Debug)]
enum Kind {
    /// Entries in the settings of an agent.
    Agent(Agent, &'static SettingsFile),
    /// A default in our own configuration.
    Config,
}

/// One file and its entries.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    kind: Kind,
    path: PathBuf,
    /// The root of the project; `None` for the user.
    project: Option<String>,
}

impl Target {
    /// The files for an agent's registration: those of the user, or of the given project.
    pub(crate) fn of_agent(place: &InstallContext, agent: Agent, installer: &'static Installer) -> Vec<Self> {
        let files = if place.project.is_some() { installer.project_files } else { installer.files };
        files.iter().map(|file| Self::in_file(place, agent, installer, file)).collect()
    }

    fn in_file(
        place: &InstallContext,
        agent: Agent,
        installer: &Installer,
        file: &'static SettingsFile,
    ) -> Self {
        let path = place.file_of(installer, file.place);
        Self { kind: Kind::Agent(agent, file), path, project: place.project.clone() }
    }

    /// Our own configuration.
    pub(crate) fn config(place: &InstallContext) -> Self {
        Self { kind: Kind::Config, path: place.home.config_file(), project: None }
    }

    /// The target of a file that the ledger lists.
    pub(crate) fn listed(
        place: &InstallContext,
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

    /// The agent that owns the file; `None` for our own configuration.
    pub(crate) const fn agent(&self) -> Option<Agent> {
        match self.kind {
            Kind::Agent(agent, _) => Some(agent),
            Kind::Config => None,
        }
    }

    /// The project it is for; `None` for the user.
    pub(crate) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    pub(crate) const fn part(&self) -> Option<Part> {
        match self.kind {
            Kind::Agent(_, file) => Some(file.part),
            Kind::Config => None,
        }
    }

    /// Whether the file is for hooks.
    pub(crate) fn is_hooks(&self) -> bool {
        self.part() == Some(Part::Hooks)
    }

    pub(crate) fn is_server(&self) -> bool {
        self.part() == Some(Part::Server)
    }

    /// A description of our entries, for users.
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

    /// A description of the removed entries, for users.
    pub(crate) fn ours(&self) -> &'static str {
        match self.part() {
            Some(Part::Hooks) => "our hooks",
            Some(Part::Server) => "our MCP server",
            Some(Part::NoWait) => "our line",
            None => "our default",
        }
    }

    /// A description of a file that needed no change, for users.
    pub(crate) fn what_stays(&self, text: &str) -> String {
        match self.kind {
            Kind::Config if without(text) == text => "the lifetime of hints is yours to say".to_owned(),
            _ => self.what(),
        }
    }

    /// Our entries as JSON: the full contents of a file that has nothing else.
    pub(crate) fn entries(&self, place: &InstallContext) -> Result<Value, Fault> {
        let text = self.with(None, place)?;
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The text with our entries.
    pub(crate) fn with(&self, text: Option<&str>, place: &InstallContext) -> Result<String, Fault> {
        let who = place.registration();
        match self.kind {
            Kind::Agent(_, file) => file.with_entries(text, &who).map_err(|error| self.refused(file, &error)),
            Kind::Config => Ok(with(text, &self.path)),
        }
    }

    /// The text without our entries.
    pub(crate) fn without(&self, text: &str, place: &InstallContext) -> Result<String, Fault> {
        let place = place.at_project(self.project());
        match self.kind {
            Kind::Agent(_, file) => {
                file.without_entries(text, &place.registration()).map_err(|error| self.refused(file, &error))
            }
            Kind::Config => Ok(without(text)),
        }
    }

    /// The programs that our entries in a text start.
    pub(crate) fn programs(&self, text: &str, place: &InstallContext) -> Vec<String> {
        match self.kind {
            Kind::Agent(_, file) => file.programs(text, &place.program),
            Kind::Config => Vec::new(),
        }
    }

    /// The command line that the agent runs for an event; `None` if it runs none.
    pub(crate) fn hook_line(&self, place: &InstallContext) -> Option<String> {
        match self.kind {
            Kind::Agent(agent, file) => file.hook_line(&place.registration(), agent.name()),
            Kind::Config => None,
        }
    }

    /// Whether a text is effectively empty. A file that we created and that is now empty can be
    /// deleted.
    pub(crate) fn is_bare(&self, text: &str) -> bool {
        match self.kind {
            Kind::Agent(_, file) => file.is_effectively_empty(text),
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

// The user's default lifetime of hints.
//
// A session of an agent ends with the machine, but a user who installs Nudge wants its memory to
// last longer. The line goes into the user's own configuration, where they can see and change it,
// and only if the configuration does not set the key yet.

/// Our lines for the top of the file, before any table. The comment marks them as ours.
const TTL_LINES: &str = "# Hints stay until they are deleted. Set by `nudge install`; change it as you like.\n\
                     default_ttl = \"forever\"\n";

const TTL_KEY: &str = "default_ttl";

/// The configuration with our default. Unchanged if the user has set the key or the file cannot be
/// parsed.
pub(super) fn with(text: Option<&str>, path: &Path) -> String {
    let text = text.unwrap_or_default();
    let lines = format!("{TTL_LINES}{}", if text.is_empty() { "" } else { "\n" });
    let (head, rest) = text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    let wanted = format!("{head}{lines}{rest}");
    // A file that already sets the key, even to a bad value, or that is not TOML, stays unchanged.
    let takes_it = !text.contains(TTL_KEY) || !mentions(text);
    if takes_it && sets_key(&wanted, path) { wanted } else { text.to_owned() }
}

/// The configuration without our lines. The user's own lines stay.
pub(super) fn without(text: &str) -> String {
    let with_blank = format!("{TTL_LINES}\n");
    let lines = if text.contains(&with_blank) { with_blank.as_str() } else { TTL_LINES };
    text.replacen(lines, "", 1)
}

/// Whether a line of the file sets the key.
fn mentions(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().trim_start_matches(['"', '\'']).starts_with(TTL_KEY))
}

/// Whether the file sets the key, when read as settings.
fn sets_key(text: &str, path: &Path) -> bool {
    let file = Some((path.to_owned(), text.to_owned()));
    let resolved: Result<_, Fault> = resolve(&Layers { file, ..Layers::none() });
    resolved.is_ok_and(|resolved| {
        resolved.keys.iter().any(|key| key.key == TTL_KEY && matches!(key.source, Origin::File(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) {
        let path = Path::new("/home/ada/.config/nudge/config.toml");
        let text = with(Some(before), path);
        assert_eq!(text, after);
        assert_eq!(with(Some(&text), path), text, "a second time changes nothing");
        assert_eq!(without(&text), before);
    }

    #[test]
    fn the_default_goes_in_once_and_comes_out_again() {
        check("", TTL_LINES);
        check("port = 9000\n", &format!("{TTL_LINES}\nport = 9000\n"));
        check("# mine\n\n[later]\nx = 1\n", &format!("{TTL_LINES}\n# mine\n\n[later]\nx = 1\n"));
    }

    #[test]
    fn what_the_person_said_stays() {
        check("default_ttl = \"session\"\n", "default_ttl = \"session\"\n");
        check("default_ttl = \"banana\"\n", "default_ttl = \"banana\"\n");
        check("\"default_ttl\" = \"P7D\"", "\"default_ttl\" = \"P7D\"");
        check("port = = 1\n", "port = = 1\n");
        let changed = TTL_LINES.replace("forever", "P30D");
        assert_eq!(without(&changed), changed);
    }
}
