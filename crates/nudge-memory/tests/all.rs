//! Every integration test of this crate, in one binary: a further one would be linked again.

mod captured_events;
mod entries;
mod hints;
mod import;
mod inject;
mod keep;
mod living;
mod recall;
mod search;
mod statements;
