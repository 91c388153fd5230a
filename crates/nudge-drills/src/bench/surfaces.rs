//! What a person and an agent wait for, beside the least that any program could do.
//!
//! Prints one table in Markdown, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns, so that what else the machine does meets both alike. An aim that is
//! missed is said so; it does not fail the run, because a busy machine can miss any of them.

mod footprint;
mod kernel;
mod large_store;
mod mcp;
mod process;
mod store;
mod tokens;

use super::table::{self, Table};
use crate::stage::Programs;

/// How much is measured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// What `docs/performance.md` shows.
    Full,
    /// Enough to see that everything runs.
    Short,
}

impl Size {
    /// The large store.
    const fn entries(self) -> u64 {
        match self {
            Self::Full => 1_000_000,
            Self::Short => 50_000,
        }
    }

    /// Whole processes timed for each side.
    const fn processes(self) -> usize {
        match self {
            Self::Full => 500,
            Self::Short => 40,
        }
    }

    /// Rounds of calls for each side, and calls in a round.
    const fn calls(self) -> (usize, usize) {
        match self {
            Self::Full => (40, 100),
            Self::Short => (4, 50),
        }
    }

    /// Reads of the kernel timed for each store.
    const fn samples(self) -> u64 {
        match self {
            Self::Full => 20_000,
            Self::Short => 2_000,
        }
    }
}

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
