//! The names of visibilities.

/// How much of an entry is shown to a model.
pub(super) const VISIBILITIES: [&str; 3] = ["visible", "summarized", "archived"];
