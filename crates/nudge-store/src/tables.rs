//! One file per noun that has a table: its row, how it is read, how it is written.

pub(crate) mod agent_session;
pub(crate) mod cursor;
pub(crate) mod entry;
pub(crate) mod feed;
pub(crate) mod hint;
pub(crate) mod history;
pub(crate) mod injection;
pub(crate) mod intern;
pub(crate) mod interned;
pub(crate) mod keyed;
pub(crate) mod meta;
pub(crate) mod observation;
pub(crate) mod operation;
pub(crate) mod past_version;
pub(crate) mod place;
pub(crate) mod project;
pub(crate) mod prompt;
pub(crate) mod scheme;
pub(crate) mod secret_guard;
pub(crate) mod seen;
pub(crate) mod silenced;
pub(crate) mod statement;
pub(crate) mod summary;
pub(crate) mod tally;
pub(crate) mod words;
pub(crate) mod writer;
