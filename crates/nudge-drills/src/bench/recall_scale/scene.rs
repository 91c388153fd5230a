//! The options and the setting of the large-store recall bench.

use std::path::PathBuf;

use super::stores::Stores;
use crate::stage::{Home, Programs};

/// The parsed arguments.
pub(in crate::bench) struct Options {
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    /// Whether existing stores are made again.
    pub(in crate::bench) is_fresh: bool,
    pub(in crate::bench) with_fts: bool,
    /// The program that fills the stores; `None` for the one built here.
    pub(in crate::bench) filled_by: Option<PathBuf>,
    /// Whether only the hooks of starts and prompts are measured.
    pub(in crate::bench) only_hooks: bool,
}

/// The programs, the home and the stores of the bench.
pub(in crate::bench) struct Scene {
    pub(in crate::bench) programs: Programs,
    pub(in crate::bench) home: Home,
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    pub(in crate::bench) stores: Stores,
}
