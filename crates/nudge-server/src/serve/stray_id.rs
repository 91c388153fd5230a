//! Finds the id of a request that cannot be parsed.
//!
//! A client waits for the answer to its id, so a line that is not JSON is searched for one as
//! leniently as makes sense: strings and brackets are tracked, everything else is skipped.

use rmcp::model::{NumberOrString, RequestId};

/// The longest id considered; no real client uses a longer one.
const ID_LIMIT: usize = 256;

/// Searches for `"id"` in the outermost object of a line that arrives in pieces.
#[derive(Default)]
pub(super) struct IdScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The string or bare word being read at the outermost level.
    word: Vec<u8>,
    place: Place,
    found: Option<RequestId>,
}

/// The position within a member of the outermost object.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Key,
    /// After the colon of a member that is not called `id`.
    Other,
    /// After the colon of `id`.
    Id,
}

impl IdScanner {
    /// Searches the next piece.
    pub(super) fn feed(&mut self, piece: &[u8]) {
        for byte in piece {
            if self.found.is_some() {
                return;
            }
            self.step(*byte);
        }
    }

    /// The id, after the whole line was fed.
    pub(super) fn found(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.step_in_string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.word.clear();
            }
            b'}' | b']' => {
                self.settle();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.place == Place::Key => {
                self.place = if self.word == b"\"id\"" { Place::Id } else { Place::Other };
                self.word.clear();
            }
            b',' if self.depth == 1 => {
                self.settle();
                self.place = Place::Key;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() <= ID_LIMIT {
            self.word.push(byte);
        }
    }

    /// A value has ended: if it belongs to `id` and is a number or a string, it is found.
    fn settle(&mut self) {
        if self.depth == 1 && self.place == Place::Id && self.word.len() <= ID_LIMIT {
            self.found = serde_json::from_slice::<NumberOrString>(&self.word).ok();
        }
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(line: &[u8]) -> Option<RequestId> {
        // In pieces of three, as a pipe might deliver them.
        let mut scanner = IdScanner::default();
        line.chunks(3).for_each(|piece| scanner.feed(piece));
        scanner.found()
    }

    #[test]
    fn the_outermost_id_is_found_wherever_it_stands() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(id_of(br#"{"id":7,"params":{"v":"\ud800"}}"#), seven);
        assert_eq!(id_of(br#"{"params":{"id":1,"v":[1e400,{"id":2}]}, "id" : 7 }"#), seven);
        assert_eq!(id_of(br#"{"method":"\"id\":3,","k":"id","id":7,"#), seven);
        assert_eq!(id_of(b"{\"a\":\"\xff\xfe\",\"id\":\"x\\\"y\"}"), Some(RequestId::String("x\"y".into())));
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        for line in [
            &b""[..],
            b"hello",
            b"{",
            br#"["id",7]"#,
            br#"{"id":null,"#,
            br#"{"id":{"id":7}}"#,
            br#"{"id":7"#,
        ] {
            assert_eq!(id_of(line), None, "{}", String::from_utf8_lossy(line));
        }
    }
}
