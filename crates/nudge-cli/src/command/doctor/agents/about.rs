//! One agent and the contents of its settings files.

use nudge_core::Fault;
use nudge_harness::install::Part;

use crate::context_args::working_directory;
use crate::registration::{Agent, Detected, InstallContext, Ledger, SettingsFile, Target, Written, real};

/// One agent and the facts that the checks need.
pub(super) struct AgentFacts<'a> {
    pub(super) agent: Agent,
    pub(super) place: &'a InstallContext,
    pub(super) detected: &'a Detected,
    /// The record of our entries in the agent's files.
    pub(super) ledger: &'a Ledger,
}

impl AgentFacts<'_> {
    /// The user's files that have, or should have, our entries. Parts that the user chose not to
    /// install are not reported as missing.
    pub(super) fn targets(&self) -> Vec<Target> {
        let is_noted = self.ledger.agents().contains(self.agent.name());
        let mut all = self.all_targets(self.place);
        all.retain(|target| !is_noted || self.is_noted_at(target) || !self.programs(target).is_empty());
        all
    }

    fn all_targets(&self, place: &InstallContext) -> Vec<Target> {
        let installer = self.agent.0.installer();
        installer.map(|installer| Target::of_agent(place, self.agent, installer)).unwrap_or_default()
    }

    /// The ledger's rows for this agent that are for the user, not for a project.
    fn ledger_rows(&self) -> impl Iterator<Item = &Written> {
        let is_meant = |written: &&Written| {
            written.agent.as_deref() == Some(self.agent.name()) && written.project.is_none()
        };
        self.ledger.files().iter().filter(is_meant)
    }

    fn is_noted_at(&self, target: &Target) -> bool {
        let (real, part) = (real(target.path()), target.part().map_or("", Part::name));
        self.ledger_rows().any(|written| written.path == real || written.part == part)
    }

    /// Whether Nudge was installed into it for the user.
    pub(super) fn was_installed(&self) -> bool {
        self.ledger_rows().next().is_some()
    }

    /// The files of the project in the working directory.
    pub(super) fn project_targets(&self) -> Vec<Target> {
        let Ok(place) = self.place.at_project(None).in_project_of(&working_directory()) else {
            return Vec::new();
        };
        self.all_targets(&place)
    }

    /// Whether any of our hooks is there.
    pub(super) fn is_installed(&self) -> bool {
        let all = self.targets().into_iter().chain(self.project_targets());
        all.into_iter().any(|target| target.is_hooks() && !self.programs(&target).is_empty())
    }

    pub(super) fn programs(&self, target: &Target) -> Vec<String> {
        let text = text(target).ok().flatten().unwrap_or_default();
        target.programs(&text, self.place)
    }

    /// The file with our hooks, and its text.
    pub(super) fn hooks(&self) -> Option<(Target, String)> {
        let target = self.targets().into_iter().find(Target::is_hooks)?;
        let text = text(&target).ok().flatten()?;
        Some((target, text))
    }

    /// The name of its findings.
    pub(super) fn name(&self) -> &'static str {
        self.agent.name()
    }

    pub(super) fn again(&self) -> String {
        format!("run `nudge install {}` again", self.agent.name())
    }
}

/// The text of a file; `None` if it is missing.
pub(super) fn text(target: &Target) -> Result<Option<String>, Fault> {
    Ok(SettingsFile::read(target.path())?.text().map(str::to_owned))
}
