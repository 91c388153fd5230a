//! Tests of the parser of tags: ten groups of outputs, properties, and time.

mod groups;
mod properties;
mod rules;
pub(crate) mod show;
mod time;
