//! Text on its way to a reader: cut, put on one line, fitted into columns, and what is dangerous in
//! it.
//!
//! Every crate uses these, so that a text is cut in the same way wherever it is shown. Two functions
//! that look alike stand side by side here, and each says why the other would not do.

mod age;
mod cut;
mod danger;
mod gist;
mod line;
mod width;

pub use age::{age, age_or_day};
pub use cut::{cut_to_chars, first_bytes, first_chars, without_controls};
pub use danger::{is_hidden, steers_terminal};
pub use gist::gist;
pub use line::{one_line, one_line_of_chars, one_line_of_columns, wrap};
pub use width::width;
