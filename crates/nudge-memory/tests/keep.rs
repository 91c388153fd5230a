//! Storing captured events: once, in their session, with everything that follows from them.

mod concluded;
mod growth;
mod heard;
mod learning;
mod once;
mod setup;
