//! The layout of each kind of thing as text for users.

pub(crate) mod diff;
pub(crate) mod entry;
pub(crate) mod fault;
pub(crate) mod hint;
pub(crate) mod metadata;
pub(crate) mod model;
mod page;
pub(crate) mod pause;
pub(crate) mod proposal;
pub(crate) mod recall;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod statement;
pub(crate) mod time;
pub(crate) mod words;

pub(crate) use page::Page;
