//! What lies on disk: whose it is, who may read it, and what is done when somebody meddled with it.

#[path = "trespass/file_modes.rs"]
mod file_modes;
#[path = "trespass/person.rs"]
mod person;
#[path = "trespass/run_dir.rs"]
mod run_dir;
#[path = "trespass/token_file.rs"]
mod token_file;
#[path = "trespass/token_secrecy.rs"]
mod token_secrecy;
