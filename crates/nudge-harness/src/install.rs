//! Installs Nudge in an agent's settings, and uninstalls it.
//!
//! Text in, text out: given the text of a settings file, the functions here return what it should
//! be. Anything they need not change stays the same, byte for byte: order, indentation, line ends.
//! The caller reads and writes the files.

mod command;
mod groups;
mod installer;
mod json_server;
mod settings_file;
mod toml_server;

pub use crate::edit::EditError;
pub(crate) use command::program_of_hook;
pub use command::{Http, InstallError, Registration, local_url, quoted};
pub(crate) use groups::{HookEventRequest, HookGroups};
pub(crate) use installer::usual_prompt;
pub use installer::{Directory, Installer, Switch, Trust};
pub(crate) use json_server::{JsonServer, command_of};
pub(crate) use settings_file::{Block, FileEdit};
pub use settings_file::{FilePlace, Part, SettingsFile};
pub(crate) use toml_server::TomlServer;
