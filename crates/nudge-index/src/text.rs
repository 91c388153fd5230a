//! The text index: words in, entries out, best first.
//!
//! [`index`] opens it for reading, [`index_writer`] writes it, [`search`] queries it. Entries that
//! the index does not have yet (`tail`) are scanned one by one ([`scan`]) with the same
//! [`analyzer`] and scored on the same [`scale`]. The [`engine`] is built on Tantivy.

pub(crate) mod analyzer;
pub(crate) mod engine;
pub(crate) mod filters;
pub(crate) mod index;
pub(crate) mod index_writer;
pub(crate) mod query;
pub(crate) mod scale;
pub(crate) mod scan;
pub(crate) mod search;
