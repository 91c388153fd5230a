//! One agent, and what its files say.

use nudge_core::Fault;
use nudge_harness::install::Part;

use crate::context_args::working_directory;
use crate::registration::{Agent, Detected, Ledger, Place, SettingsFile, Target, Written};

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
        let installer = self.agent.0.installer();
        let all = installer.map(|installer| Target::of_agent(self.place, self.agent, installer));
        let mut all = all.unwrap_or_default();
        all.retain(|target| {
            !self.is_noted() || self.is_noted_at(target) || !self.programs(target).is_empty()
        });
        all
    }

    /// Whether the ledger has anything of this agent.
    fn is_noted(&self) -> bool {
        self.ledger.agents().contains(self.agent.name())
    }

    fn is_noted_at(&self, target: &Target) -> bool {
        let real = target.path().canonicalize().unwrap_or_else(|_| target.path().to_owned());
        let part = target.part().map_or("", Part::name);
        self.ledger.files().iter().any(|written| {
            written.agent.as_deref() == Some(self.agent.name())
                && written.project.is_none()
                && (written.path == real || written.part == part)
        })
    }

    /// Whether Nudge was put into it for the person.
    pub(super) fn was_installed(&self) -> bool {
        let of_person = |written: &&Written| written.project.is_none();
        let files = self.ledger.files().iter().filter(of_person);
        files.into_iter().any(|written| written.agent.as_deref() == Some(self.agent.name()))
    }

    /// How the server is to be registered there: over HTTP, where it is.
    pub(super) fn place_for(&self, text: &str) -> Place {
        let place = self.place.at_project(self.place.project.as_deref());
        match nudge_harness::install::local_url(text) {
            Some(url) => place.with_url(url),
            None => place,
        }
    }

    /// The files of the project that a person stands in.
    pub(super) fn project_targets(&self) -> Vec<Target> {
        let Ok(place) = self.place.at_project(None).in_project_of(&working_directory()) else {
            return Vec::new();
        };
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
