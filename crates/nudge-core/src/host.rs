//! The machine that something happened on.

/// A machine and its current boot, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostIdentity {
    /// The machine's id.
    pub machine: Option<String>,
    /// The id of its current boot.
    pub boot: Option<String>,
}
