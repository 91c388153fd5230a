//! One agent, and what its files say.

use nudge_core::Fault;

use crate::context_args::working_directory;
use crate::registration::{Agent, Detected, Place, SettingsFile, Target};

/// One agent, and what is known of it.
pub(super) struct About<'a> {
    pub(super) agent: Agent,
    pub(super) place: &'a Place,
    pub(super) detected: &'a Detected,
    /// Whether the ledger says that Nudge was put into it.
    pub(super) was_installed: bool,
}

impl About<'_> {
    pub(super) fn targets(&self) -> Vec<Target> {
        let installer = self.agent.0.installer();
        installer.map(|installer| Target::of_agent(self.place, self.agent, installer)).unwrap_or_default()
    }

    /// The files of the project that a person stands in.
    pub(super) fn project_targets(&self) -> Vec<Target> {
        let root = nudge_memory::projects::of_directory(&working_directory()).root;
        let place = self.place.at_project(Some(&root));
        let installer = self.agent.0.installer();
        installer.map(|installer| Target::of_agent(&place, self.agent, installer)).unwrap_or_default()
    }

    /// Whether any hook of ours is there.
    pub(super) fn is_installed(&self) -> bool {
        let all = self.targets().into_iter().chain(self.project_targets());
        all.into_iter().any(|target| target.is_hooks() && !self.programs(&target).is_empty())
    }

    pub(super) fn programs(&self, target: &Target) -> Vec<String> {
        let text = text(target).ok().flatten().unwrap_or_default();
        target.programs(&text, self.place)
    }

    /// The file that holds our hooks, and its text.
    pub(super) fn hooks(&self) -> Option<(Target, String)> {
        let target = self.targets().into_iter().find(Target::is_hooks)?;
        let text = text(&target).ok().flatten()?;
        Some((target, text))
    }

    /// One finding of this agent.
    pub(super) fn name(&self) -> &'static str {
        self.agent.name()
    }

    pub(super) fn again(&self) -> String {
        format!("run `nudge install {}` again", self.agent.name())
    }
}

/// What a file says; nothing if it is missing.
pub(super) fn text(target: &Target) -> Result<Option<String>, Fault> {
    Ok(SettingsFile::read(target.path())?.text().map(str::to_owned))
}
