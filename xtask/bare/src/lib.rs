//! What the programs of this package share: figures, and a real MCP client.
//!
//! The package holds the yardsticks that Nudge is measured against and the clients that the drills
//! and benches drive it with. They are programs of their own so that they are built like the
//! product and nothing they link reaches it.

pub mod client;
pub mod figures;
