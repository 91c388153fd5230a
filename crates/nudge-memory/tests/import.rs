//! Importing transcripts and memories into a store.

mod memories;
mod setup;
mod speech;
mod transcripts;
