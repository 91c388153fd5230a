//! The surroundings of a process: its home on disk, its settings, the machine, the repository, and
//! the files of a project.
//!
//! This crate knows nothing about memory. It contains everything that reads the environment, the
//! home directory or git for one of our programs.

pub mod git;
pub mod home;
pub mod host;
pub mod settings;
pub mod surroundings;
pub mod workspace;

pub use home::Home;
pub use settings::Settings;
pub use workspace::Workspace;
