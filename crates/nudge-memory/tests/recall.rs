//! Reads back what was captured: by id, around a point in time, by session, by file, and what is
//! recent.

mod by_id;
mod cold;
mod damaged;
mod file;
mod fit;
mod hostile;
mod page;
mod recent;
mod recent_reach;
mod session;
mod setup;
mod timeline;
