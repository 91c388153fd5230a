//! Getting at the database: files, connections, locks, the schema, and one snapshot to read from.

pub(crate) mod access;
pub(crate) mod connection;
pub(crate) mod copies;
pub(crate) mod error;
pub(crate) mod file_id;
pub(crate) mod integrity;
pub(crate) mod made;
pub(crate) mod migrate;
pub(crate) mod open;
pub(crate) mod pool;
pub(crate) mod read_only;
pub(crate) mod reader;
pub(crate) mod retry;
pub(crate) mod session;
pub(crate) mod store;
pub(crate) mod wal;
