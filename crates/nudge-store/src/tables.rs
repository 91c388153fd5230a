//! One file per table: its row, its reads, its writes.

pub(crate) mod agent_session;
pub(crate) mod attempt;
pub(crate) mod captured;
pub(crate) mod chunk;
pub(crate) mod entry;
pub(crate) mod feed;
pub(crate) mod hint;
pub(crate) mod hypothesis;
pub(crate) mod injection;
pub(crate) mod intern;
pub(crate) mod meta;
pub(crate) mod observation;
pub(crate) mod past_version;
pub(crate) mod place;
pub(crate) mod project;
pub(crate) mod prompt;
pub(crate) mod run;
pub(crate) mod secret_guard;
pub(crate) mod statement;
pub(crate) mod summary;
pub(crate) mod view;
pub(crate) mod writer;
