//! Text for display: cut, put on one line, fitted into columns, and checked for dangerous
//! characters.
//!
//! Every crate uses these, so that text is cut the same way everywhere. Functions that look alike
//! are side by side here, and each says why the other would not do.

mod age;
mod cut;
mod danger;
mod gist;
mod line;
mod slug;
mod width;

pub use age::{age, age_or_day};
pub use cut::{cut_to_chars, first_bytes, first_chars, without_controls};
pub use danger::{is_hidden, steers_terminal};
pub use gist::gist;
pub use line::{one_line, one_line_of_chars, one_line_of_columns, wrap};
pub use slug::{SLUG_MOST, slug};
pub use width::width;
