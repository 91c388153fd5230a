//! What a session is told unasked, and what it is not.

mod ledger;
mod places;
mod poison;
mod quiet;
mod recovery;
mod restraint;
mod setup;
mod start;
