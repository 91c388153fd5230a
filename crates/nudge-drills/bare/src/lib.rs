//! Code that the programs of this package share: figures, made-up histories, bare engines and a
//! real MCP client.
//!
//! The package contains the baselines that Nudge is measured against and the clients that the
//! drills and benches drive it with. They are separate programs so that they are built like the
//! product and nothing they link ends up in it.

pub mod bare_fts;
pub mod bare_table;
pub mod bare_tantivy;
pub mod captured_events;
pub mod client;
pub mod figures;
pub mod made_up_entries;
pub mod made_up_store;
pub mod product;
pub mod prose;
pub mod questions;
pub mod random;
pub mod resident;
pub mod texts;
pub mod transcripts;
pub mod vocabulary;
pub mod whole_lines;
