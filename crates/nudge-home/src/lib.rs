//! Where a process finds itself: its home on disk, its settings, the machine, the repository it stands in.
//!
//! Nothing here knows what memory is. Everything that reads the environment, the home directory or git for one of
//! our programs is in this crate.

pub mod git;
pub mod home;
pub mod host;
pub mod settings;
pub mod surroundings;

pub use home::Home;
pub use settings::Settings;
