//! Tests the adapters with payloads that the real programs sent.

mod anything;
mod apart;
mod conclusions;
mod fixtures;
mod import;
mod parsing;
mod permissive;
mod promises;
mod replies;
mod thinking;
mod tools;
mod transcripts;
