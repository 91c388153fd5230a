//! Putting Nudge into an agent's own settings, and taking it out again.
//!
//! Text in, text out: given what a settings file says now, the functions here say what it should say. What they do not
//! have to touch stays as it is, byte for byte: order, indentation, line ends. Reading and writing is the caller's work.

mod block;
mod command;
mod error;
mod groups;
mod installer;
mod json_server;
mod registration;
mod settings_file;
mod toml_server;

pub use crate::edit::EditError;
pub(crate) use block::Block;
pub(crate) use command::program_of_hook;
pub use command::{local_url, quoted};
pub use error::InstallError;
pub(crate) use groups::{Asked, HookGroups};
pub(crate) use installer::usual_prompt;
pub use installer::{Directory, Installer, Switch, Trust};
pub(crate) use json_server::{JsonServer, command_of};
pub use registration::{Http, Registration};
pub(crate) use settings_file::FileEdit;
pub use settings_file::{FilePlace, Part, SettingsFile};
pub(crate) use toml_server::TomlServer;
