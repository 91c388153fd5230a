//! Reads over several tables.

pub(crate) mod document;
pub mod foreign;
pub(crate) mod in_view;
pub(crate) mod paths;
pub mod plans;
pub(crate) mod recall;
pub(crate) mod recent;
pub(crate) mod repeats;
pub(crate) mod selection;
pub(crate) mod stats;
