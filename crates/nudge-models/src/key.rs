//! A provider's key, in a type that never shows it.

use std::fmt;

use nudge_secrets::REDACTED;

/// The longest key that is accepted. Keys in use have a few hundred characters at most.
const LONGEST: usize = 4096;

/// A shorter text is no secret, and replacing it would make a message unreadable.
const SHORTEST_REPLACED: usize = 4;

/// A credential. Debug and Display show `[REDACTED]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// A text cannot be a key. Says nothing of the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key consists of 1 to 4096 visible ASCII characters, without spaces")]
pub struct BadKey;

impl Key {
    /// Takes a key, without the white space around it.
    pub fn new(text: &str) -> Result<Self, BadKey> {
        let text = text.trim();
        let fits = (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(BadKey) }
    }

    /// The key itself, for a header or the keys file and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The text with the key replaced.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_REPLACED {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" plain-but-secret\n").unwrap();
        assert_eq!(key.reveal(), "plain-but-secret");
        assert_eq!(format!("{key} {key:?} {:?}", Some(&key)), "[REDACTED] [REDACTED] Some([REDACTED])");
        assert_eq!(key.hide_in("bad key plain-but-secret!"), "bad key [REDACTED]!");
    }

    #[test]
    fn what_cannot_be_a_header_is_no_key() {
        for text in ["", "  ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(Key::new(text), Err(BadKey), "{text:?}");
        }
    }
}
