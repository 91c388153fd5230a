//! What the bench of recall at size was asked for, and where it plays.

use std::path::PathBuf;

use super::stores::Stores;
use crate::stage::{Home, Programs};

/// What was asked for.
pub(super) struct Options {
    pub(super) rows: u64,
    pub(super) words: Option<PathBuf>,
    /// Whether stores that are there are made again.
    pub(super) is_fresh: bool,
    pub(super) with_fts: bool,
}

/// What is measured, and where.
pub(super) struct Scene {
    pub(super) programs: Programs,
    pub(super) home: Home,
    pub(super) rows: u64,
    pub(super) words: Option<PathBuf>,
    pub(super) stores: Stores,
}
