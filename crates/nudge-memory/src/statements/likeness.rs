//! How new words are compared with earlier ones.

use nudge_core::instruction;

/// A way to compare texts.
#[derive(Copy, Clone, Debug)]
pub struct Similarity {
    /// Whether two texts say the same.
    pub same: fn(&str, &str) -> bool,
    /// Whether the first, said later, contradicts the second.
    pub contradicts: fn(&str, &str) -> bool,
}

/// How statements are compared.
pub const STATEMENTS: Similarity =
    Similarity { same: instruction::same, contradicts: instruction::contradicts };
