//! Lenient reading of JSON objects that other programs wrote.

mod error;
mod fields;
pub(crate) mod surrogates;

pub use error::ParseError;
pub(crate) use fields::Fields;
