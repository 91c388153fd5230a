//! Pieces of a transcript, in complete lines.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most that is read at once; it takes a few milliseconds.
const AT_ONCE: u64 = 512 * 1024;

/// For a long transcript that was never read before, how far from its end reading starts. Anything
/// older is left to an import.
const FIRST_LOOK: u64 = 128 * 1024;

/// How far back to look for the end of a call that was written before its hook ran.
const LOOK_BACK: u64 = 256 * 1024;

/// Some complete lines of a file.
pub(super) struct Piece {
    pub(super) text: String,
    /// Where the next piece begins.
    pub(super) end: i64,
    /// Whether the file continues after this piece.
    pub(super) is_full: bool,
}

impl Piece {
    /// The text after a position, up to the last line end.
    pub(super) fn after(path: &Path, position: Option<i64>) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let from = match position.and_then(|position| u64::try_from(position).ok()) {
            Some(position) if position <= length => position,
            // Shorter than before: the file was rewritten.
            Some(_) => 0,
            None => length.saturating_sub(FIRST_LOOK),
        };
        let mut bytes = read_at(&mut file, from, AT_ONCE)?;
        let is_full = bytes.len() as u64 == AT_ONCE;
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            // A line longer than a piece is skipped, piece by piece.
            None if is_full => bytes.len(),
            None => 0,
        };
        bytes.truncate(whole);
        let end = i64::try_from(from + whole as u64).ok()?;
        Some(Self { text: String::from_utf8_lossy(&bytes).into_owned(), end, is_full })
    }

    /// The current end of the file.
    pub(super) fn last(path: &Path) -> Option<Self> {
        Self::before(path, i64::MAX)
    }

    /// The beginning of the file.
    pub(super) fn head(path: &Path) -> Option<Self> {
        Self::before(path, i64::try_from(LOOK_BACK).ok()?)
    }

    /// The text just before a position.
    pub(super) fn before(path: &Path, position: i64) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let upto = u64::try_from(position).ok()?.min(length);
        let from = upto.saturating_sub(LOOK_BACK);
        let bytes = read_at(&mut file, from, upto - from)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Self { text, end: position, is_full: upto < length })
    }
}

/// A file and its length. An unreadable file is treated as missing. If the payload names a pipe or
/// device instead of a file, opening it does not block.
fn open(path: &Path) -> Option<(File, u64)> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(nonblocking).open(path).ok()?;
    let facts = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((file, facts.len()))
}

fn read_at(file: &mut File, from: u64, most: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("written");
        file
    }

    fn piece(path: &Path, position: Option<i64>) -> (String, i64) {
        let piece = Piece::after(path, position).expect("a piece");
        (piece.text, piece.end)
    }

    #[test]
    fn pieces_end_with_a_line_and_begin_where_the_last_one_ended() {
        let file = file("one\ntwo\nthr");
        assert_eq!(piece(file.path(), None), ("one\ntwo\n".to_owned(), 8));
        assert_eq!(piece(file.path(), Some(4)), ("two\n".to_owned(), 8));
        assert_eq!(piece(file.path(), Some(8)), (String::new(), 8));
        assert_eq!(piece(file.path(), Some(99)), ("one\ntwo\n".to_owned(), 8));
    }

    #[test]
    fn a_line_longer_than_a_piece_is_passed_over() {
        let long = AT_ONCE as usize + 10;
        let file = file(&format!("{}\nnext\n", "x".repeat(long)));
        let (_, end) = piece(file.path(), Some(0));
        assert_eq!(end, AT_ONCE as i64);
        let (text, _) = piece(file.path(), Some(end));
        assert!(text.ends_with("\nnext\n"));
    }

    #[test]
    fn what_is_no_file_has_nothing_to_tell() {
        let dir = tempfile::TempDir::new().expect("a temporary directory");
        assert!(Piece::after(dir.path(), None).is_none());
        assert!(Piece::after(&dir.path().join("gone"), None).is_none());
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a pipe");
        assert!(Piece::after(&pipe, None).is_none());
    }
}
