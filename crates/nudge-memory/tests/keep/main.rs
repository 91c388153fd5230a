//! Captured moments on their way into the store: once, in their session, with what follows from them.

mod concluded;
mod growth;
mod heard;
mod learning;
mod once;
mod setup;
