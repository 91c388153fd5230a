//! What people see: how each kind of thing is laid out as text.

pub(crate) mod fault;
pub(crate) mod hint;
mod page;
pub(crate) mod pause;
pub(crate) mod proposal;
pub(crate) mod recall;
pub(crate) mod schema;
pub(crate) mod statement;
pub(crate) mod words;

pub(crate) use page::Page;
