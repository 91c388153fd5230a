//! The packet of a run: its blocks, its costs, and what can never leave an entry.

mod chain;
mod costs;
mod order;
mod quoting;
mod setup;
mod table;
mod visibility;
