//! What the bench of recall at size was asked for, and where it plays.

use std::path::PathBuf;

use super::stores::Stores;
use crate::stage::{Home, Programs};

/// What was asked for.
pub(in crate::bench) struct Options {
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    /// Whether stores that are there are made again.
    pub(in crate::bench) is_fresh: bool,
    pub(in crate::bench) with_fts: bool,
    /// The program that fills them, where it is not the one built here.
    pub(in crate::bench) filled_by: Option<PathBuf>,
    /// Whether only the hooks of starts and prompts are measured.
    pub(in crate::bench) only_hooks: bool,
}

/// What is measured, and where.
pub(in crate::bench) struct Scene {
    pub(in crate::bench) programs: Programs,
    pub(in crate::bench) home: Home,
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    pub(in crate::bench) stores: Stores,
}
