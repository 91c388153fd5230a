//! Access to the database: files, connections, locks, the schema, and read snapshots.

pub(crate) mod backup_file;
pub(crate) mod connection;
pub(crate) mod copies;
pub(crate) mod error;
pub(crate) mod files;
pub(crate) mod integrity;
pub(crate) mod made;
pub(crate) mod memory_session;
pub(crate) mod migrate;
pub(crate) mod open;
pub(crate) mod open_read;
pub(crate) mod open_write;
pub(crate) mod options;
pub(crate) mod read_only;
pub(crate) mod reader;
pub(crate) mod retry;
pub(crate) mod schema;
pub(crate) mod store;
