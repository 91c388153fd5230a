//! How what is said now is compared with what was said before.

use nudge_core::instruction;

/// A way to compare.
#[derive(Copy, Clone, Debug)]
pub struct Likeness {
    /// Whether two texts say the same.
    pub same: fn(&str, &str) -> bool,
    /// Whether the first, said later, speaks against the second.
    pub contradicts: fn(&str, &str) -> bool,
}

/// How statements are compared.
pub const STATEMENTS: Likeness = Likeness { same: instruction::same, contradicts: instruction::contradicts };
