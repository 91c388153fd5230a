//! One agent, and what its files say.

use nudge_core::Fault;
use nudge_harness::install::Part;

use crate::context_args::working_directory;
use crate::registration::{Agent, Detected, Ledger, Place, SettingsFile, Target, Written, real};

/// One agent, and what is known of it.
pub(super) struct About<'a> {
    pub(super) agent: Agent,
    pub(super) place: &'a Place,
    pub(super) detected: &'a Detected,
    /// What the ledger says was put into it.
    pub(super) ledger: &'a Ledger,
}

impl About<'_> {
    /// The files of the person that hold, or are to hold, something of ours: what the person left out is not missed.
    pub(super) fn targets(&self) -> Vec<Target> {
        let is_noted = self.ledger.agents().contains(self.agent.name());
        let mut all = self.all_targets(self.place);
        all.retain(|target| !is_noted || self.is_noted_at(target) || !self.programs(target).is_empty());
        all
    }

    fn all_targets(&self, place: &Place) -> Vec<Target> {
        let installer = self.agent.0.installer();
        installer.map(|installer| Target::of_agent(place, self.agent, installer)).unwrap_or_default()
    }

    /// What the ledger has of this agent, for the person.
    fn noted(&self) -> impl Iterator<Item = &Written> {
        let is_meant = |written: &&Written| {
            written.agent.as_deref() == Some(self.agent.name()) && written.project.is_none()
        };
        self.ledger.files().iter().filter(is_meant)
    }

    fn is_noted_at(&self, target: &Target) -> bool {
        let (real, part) = (real(target.path()), target.part().map_or("", Part::name));
        self.noted().any(|written| written.path == real || written.part == part)
    }

    /// Whether Nudge was put into it for the person.
    pub(super) fn was_installed(&self) -> bool {
        self.noted().next().is_some()
    }

    /// The files of the project that a person stands in.
    pub(super) fn project_targets(&self) -> Vec<Target> {
        let Ok(place) = self.place.at_project(None).in_project_of(&working_directory()) else {
            return Vec::new();
        };
        self.all_targets(&place)
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

    /// What its findings are called.
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
