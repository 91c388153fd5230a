//! The agents that Nudge can be put into.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use nudge_harness::Harness;
use nudge_harness::install::Installer;

/// An agent that Nudge can be put into.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Agent {
    harness: Harness,
    pub(super) installer: &'static Installer,
}

impl Agent {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Harness::ALL.into_iter().filter_map(|harness| Some(Self { harness, installer: harness.installer()? }))
    }

    /// The word for it.
    pub(crate) const fn name(self) -> &'static str {
        self.harness.name()
    }

    /// Its name for people.
    pub(crate) const fn title(self) -> &'static str {
        self.harness.spec().title
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
