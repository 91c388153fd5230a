//! The adapters against what the real programs sent.

mod anything;
mod apart;
mod fixtures;
mod parsing;
mod permissive;
mod promises;
mod replies;
mod tools;
mod transcripts;
