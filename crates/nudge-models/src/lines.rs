//! Lines out of bytes that arrive in any pieces.

/// The longest line that is accepted. A delta has a few hundred bytes.
const LONGEST: usize = 8 * 1024 * 1024;

/// A line is longer than any protocol sends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Collects bytes and gives out whole lines, so that no character is ever halved.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pending: Vec<u8>,
    /// Up to where `pending` is known to have no line end.
    searched: usize,
}

impl Lines {
    /// Takes more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() > LONGEST { Err(TooLong) } else { Ok(()) }
    }

    /// The next whole line, without its end.
    pub(crate) fn next(&mut self) -> Option<String> {
        let Some(at) = self.pending[self.searched..].iter().position(|byte| *byte == b'\n') else {
            self.searched = self.pending.len();
            return None;
        };
        let line: Vec<u8> = self.pending.drain(..=self.searched + at).collect();
        self.searched = 0;
        Some(text(&line))
    }

    /// What is left when the stream has ended.
    pub(crate) fn rest(&mut self) -> Option<String> {
        self.searched = 0;
        let rest = std::mem::take(&mut self.pending);
        (!rest.is_empty()).then(|| text(&rest))
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_for_every_cut() {
        let text = "data: grüße 🦀\r\n\r\ndata: b\n\nrest";
        for size in 1..=text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                lines.push(piece).unwrap();
                found.extend(std::iter::from_fn(|| lines.next()));
            }
            found.extend(lines.rest());
            assert_eq!(found, ["data: grüße 🦀", "", "data: b", "", "rest"], "pieces of {size}");
        }
    }

    #[test]
    fn a_line_without_end_is_not_collected_for_ever() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; LONGEST / 2];
        assert_eq!(lines.push(&piece), Ok(()));
        assert_eq!(lines.push(&piece), Ok(()));
        assert_eq!(lines.push(b"x"), Err(TooLong));
    }
}
