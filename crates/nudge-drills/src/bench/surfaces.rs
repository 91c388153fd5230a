//! What a person and an agent wait for, beside the least that any program could do.
//!
//! Prints one table in Markdown, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns, so that what else the machine does meets both alike. An aim that is
//! missed is said so; it does not fail the run, because a busy machine can miss any of them.

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
