//! What was captured, read back: by id, around a moment, by session, by file, and what is recent.

mod by_id;
mod cold;
mod damaged;
mod file;
mod fit;
mod hostile;
mod recent;
mod recent_reach;
mod session;
mod setup;
mod timeline;
