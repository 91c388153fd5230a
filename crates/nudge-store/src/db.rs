//! Getting at the database: files, connections, locks, the schema, and one snapshot to read from.

pub(crate) mod access;
pub(crate) mod copies;
pub(crate) mod error;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod made;
pub(crate) mod mark;
pub(crate) mod migrate;
pub(crate) mod open;
pub(crate) mod patience;
pub(crate) mod pool;
pub(crate) mod reader;
pub(crate) mod session;
pub(crate) mod shelter;
pub(crate) mod sound;
pub(crate) mod store;
