//! Files on disk: their owner, their readers, and what happens after somebody tampered with them.

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
