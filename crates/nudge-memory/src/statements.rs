//! Statements: who said what, and what an agent may only propose.

pub mod proposals;
mod stated_by;

pub(crate) use stated_by::stated_by;
