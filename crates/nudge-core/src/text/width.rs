//! How many columns of a terminal a text takes.

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The columns that a character takes: the wide blocks of East Asian scripts and emoji take two,
/// combining marks none. Enough to keep columns straight; not the whole of Unicode's table.
pub(super) fn char_width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
