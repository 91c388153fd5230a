//! Whether a word in the place of a program's password is one.

use super::super::Finding;
use super::super::placeholder::is_placeholder;

/// The password in a range, if it is one.
pub(super) fn finding(text: &[u8], (start, end): (usize, usize)) -> Option<Finding> {
    is_password(&text[start..end]).then_some(Finding { rule: "command-password", start, end })
}

/// Anything but a placeholder, a number (`-u 1000:1000`, `-p 27017`) or another flag.
fn is_password(value: &[u8]) -> bool {
    let is_mark = |b: &&u8| b"\\\"'".contains(b);
    let value = &value[value.iter().take_while(is_mark).count()..];
    let value = &value[..value.len() - value.iter().rev().take_while(is_mark).count()];
    value.len() >= 4
        && !value.starts_with(b"-")
        && (!value.iter().all(u8::is_ascii_digit) || value.len() >= 10)
        && !is_placeholder(value)
}
