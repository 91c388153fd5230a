//! A JSON object as another program wrote it, read with patience.

mod error;
mod fields;
pub(crate) mod surrogates;

pub use error::ParseError;
pub(crate) use fields::Fields;
