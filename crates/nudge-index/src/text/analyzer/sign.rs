//! Signs that belong to a name: `c++`, `c#`, `.net`.

use super::letter::{Letter, letter};
use super::word::Form;

/// A sign attached to a name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `++` after a name, not followed by a letter or a third `+`.
    Plus,
    /// `#` after a name, with no part of a name after it: `repo#12` is something else.
    Sharp,
    /// A dot at the start of a word, with a letter after it.
    Dot,
    /// A dot with a letter after it anywhere else.
    InnerDot,
}

impl Sign {
    /// The sign that `c` begins, given the character before it and the two after.
    pub(crate) fn read(before: Option<char>, c: char, [next, later]: [Option<char>; 2]) -> Option<Self> {
        match c {
            '+' if next == Some('+') && later != Some('+') && !later.is_some_and(is_letter) => {
                Some(Self::Plus)
            }
            '#' if next != Some('#') && !next.is_some_and(|next| is_letter(next) || is_digit(next)) => {
                Some(Self::Sharp)
            }
            '.' if before != Some('.') && next.is_some_and(is_letter) => {
                Some(if before.is_none_or(opens) { Self::Dot } else { Self::InnerDot })
            }
            _ => None,
        }
    }

    /// As written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Plus => "++",
            Self::Sharp => "#",
            Self::Dot | Self::InnerDot => ".",
        }
    }

    /// The form of a part with this sign.
    pub(crate) fn form(self) -> Form {
        if self == Self::InnerDot { Form::Dotted } else { Form::Signed }
    }
}

/// Whether a word can begin after this character.
fn opens(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '(' | '[' | '{' | '<' | '"' | '\'' | '`' | '/' | '\\' | ',' | ';' | ':' | '=' | '*' | '|'
        )
}

fn is_letter(c: char) -> bool {
    matches!(letter(c), Letter::Upper | Letter::Lower)
}

fn is_digit(c: char) -> bool {
    letter(c) == Letter::Digit
}
