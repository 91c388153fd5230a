//! What the programs of this package share: figures, made-up histories, bare engines, and a real MCP client.
//!
//! The package holds the yardsticks that Nudge is measured against and the clients that the drills
//! and benches drive it with. They are programs of their own so that they are built like the
//! product and nothing they link reaches it.

pub mod bare_fts;
pub mod bare_table;
pub mod bare_tantivy;
pub mod client;
pub mod dice;
pub mod figures;
pub mod made_up_store;
pub mod moments;
pub mod product;
pub mod prose;
pub mod questions;
pub mod resident;
pub mod texts;
pub mod transcripts;
pub mod vocabulary;
pub mod whole_lines;
