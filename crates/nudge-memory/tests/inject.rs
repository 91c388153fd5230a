//! What is injected into a session unasked, and what is not.

mod ask;
mod failures;
mod ledger;
mod long;
mod places;
mod poison;
mod present;
mod prompt;
mod quiet;
mod recovery;
mod restraint;
mod setup;
mod start;
mod stated;
mod why;
