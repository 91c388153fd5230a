//! The waiting times of users and agents, compared with a minimal program.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns, so that other load on the machine affects both alike. A missed aim is
//! reported but does not fail the run, because a busy machine can miss any of them.

mod footprint;
mod kernel;
mod large_store;
pub(super) mod mcp;
mod process;
mod size;
mod store;
mod tokens;

use super::table::{self, Table};
use crate::stage::Programs;

pub(super) use size::Size;

/// Measures everything and prints the table.
pub(super) fn run(size: Size) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let mut table = Table::default();
    process::measure(&programs, size, &mut table)?;
    mcp::measure(&programs, size, &mut table)?;
    large_store::measure(&programs, size, &mut table)?;
    kernel::measure(&programs, size, &mut table)?;
    tokens::measure(&programs, &mut table)?;
    footprint::measure(&programs, &mut table)?;
    print!("{table}");
    Ok(true)
}
