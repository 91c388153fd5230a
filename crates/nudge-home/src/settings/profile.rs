//! How many tools the server lists.

/// The tool list that an operation appears in. An operation that is not listed can still be called.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// The short list, the default for agents.
    Default,
    /// Everything.
    Full,
}

impl Profile {
    /// The name in settings and in the catalogue.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Full => "full",
        }
    }

    /// The profile with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Default, Self::Full].into_iter().find(|profile| profile.name() == name)
    }
}
