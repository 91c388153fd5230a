//! The agents that users can name.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use nudge_harness::Harness;
use nudge_harness::install::Installer;

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
