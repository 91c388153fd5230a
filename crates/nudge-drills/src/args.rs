//! Arguments that several commands take.

use std::path::PathBuf;

use anyhow::Context;

use crate::stage::Programs;

/// How much is tested or measured.
#[derive(Copy, Clone, Debug, clap::Args)]
pub(crate) struct Size {
    /// As little as CI does.
    #[arg(long)]
    pub(crate) short: bool,
}

impl Size {
    /// One of two values: for the full form, and for the short one.
    pub(crate) fn pick<T>(self, (full, short): (T, T)) -> T {
        if self.short { short } else { full }
    }
}

/// What is tested, and how much.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Target {
    #[command(flatten)]
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) product: Product,
}

/// The product under test.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Product {
    /// A binary that is already built.
    #[arg(long, value_name = "FILE")]
    bin: Option<PathBuf>,
}

impl Product {
    /// The binary, built if none was named.
    pub(crate) fn path(&self) -> anyhow::Result<PathBuf> {
        match &self.bin {
            Some(file) => file.canonicalize().with_context(|| format!("no binary at {}", file.display())),
            None => Programs::product(),
        }
    }

    /// Whether a binary was named.
    pub(crate) fn is_named(&self) -> bool {
        self.bin.is_some()
    }
}
