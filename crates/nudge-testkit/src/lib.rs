//! Hermetic homes, servers, memories and client drivers, for tests only.
//!
//! A [`MemoryBench`] is a memory without a program around it; an [`EventBuilder`] builds the events
//! in it. A [`TestHome`] is a user's machine in a temporary directory: its own HOME, an environment
//! of only HOME and PATH, and the `nudge` binary under test. Tests name that binary with
//! `env!("CARGO_BIN_EXE_nudge")`; this crate cannot know it.

pub mod bench;
pub mod event;
pub mod git;
pub mod home;
pub mod mcp;
pub mod memory;
pub mod outcome;
pub mod raw_http;
pub mod scripted_model;
pub mod server;
pub mod small_disk;
pub mod speech;
pub mod stored_memory;
pub mod stranger;
pub mod terminal;
pub mod tidy;
pub mod unprivileged;
pub mod until;

pub use bench::MemoryBench;
pub use event::EventBuilder;
pub use home::{Call, TEST_DEADLINE, TestHome};
pub use mcp::McpStdio;
pub use nudge_agent::{call, registry};
pub use nudge_store as store;
pub use outcome::Outcome;
pub use scripted_model::ScriptedModel;
pub use server::Server;
pub use small_disk::SmallDisk;
pub use speech::Speech;
pub use stored_memory::StoredMemory;
pub use terminal::Terminal;
pub use until::until;
