//! What was captured, read back: by id, around a moment, by session, by file, and what is recent.

mod by_id;
mod damaged;
mod file;
mod hostile;
mod recent;
mod session;
mod setup;
mod timeline;
