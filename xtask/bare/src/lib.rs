//! What the programs of this package share: figures, a made-up history, a bare table, and a real MCP client.
//!
//! The package holds the yardsticks that Nudge is measured against and the clients that the drills
//! and benches drive it with. They are programs of their own so that they are built like the
//! product and nothing they link reaches it.

pub mod bare_table;
pub mod client;
pub mod figures;
pub mod moments;
pub mod transcripts;
