//! What a purge by text left behind. A purge reports it and fails.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use nudge_core::Fault;
use nudge_home::Home;
use nudge_store::Store;
use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;

/// How many bytes are searched at a time.
const PIECE_BYTES: usize = 1 << 20;

/// A place that still holds the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// A column of the database, such as `project.root`, or a file.
    pub place: String,
    /// How many rows hold it; `None` for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// Searches every text column of the store, and every byte in the memory's directory. The user's
/// own settings are not searched. Several words are searched for in the columns only: each of them
/// alone may stay.
pub(super) fn search(store: &Store, home: &Home, words: &[String]) -> Result<Vec<Left>, Fault> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let columns = store.read(|reader| reader.columns_holding(words))?;
    let mut left: Vec<Left> =
        columns.into_iter().map(|found| Left { place: found.name, rows: Some(found.rows) }).collect();
    let in_rows = !left.is_empty();
    if let ([word], Ok(pattern)) = (words, pattern_of(&words[0])) {
        let overlap = word.len() * 6;
        for file in files(home) {
            // The rows of the database are listed by column.
            if (!in_rows || file != home.db()) && holds(&file, &pattern, overlap) {
                left.push(Left { place: file.display().to_string(), rows: None });
            }
        }
    }
    Ok(left)
}

/// Matches the word in upper or lower case, also as it is written inside JSON.
fn pattern_of(word: &str) -> Result<Regex, regex::Error> {
    let quoted = serde_json::Value::from(word).to_string();
    let inside = quoted.trim_matches('"');
    RegexBuilder::new(&format!("{}|{}", regex::escape(word), regex::escape(inside)))
        .case_insensitive(true)
        .build()
}

/// All files below the memory's directory, without following links.
fn files(home: &Home) -> Vec<PathBuf> {
    let own = [home.config_file(), home.keys_file()];
    let (mut open, mut files) = (vec![home.root().to_owned()], Vec::new());
    while let Some(dir) = open.pop() {
        for item in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match item.file_type() {
                Ok(kind) if kind.is_dir() => open.push(item.path()),
                Ok(kind) if kind.is_file() && !own.contains(&item.path()) => files.push(item.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Whether a file holds it. A file that cannot be read counts as one that does not.
fn holds(path: &Path, pattern: &Regex, overlap: usize) -> bool {
    let Ok(mut file) = File::open(path) else { return false };
    let mut piece: Vec<u8> = Vec::with_capacity(PIECE_BYTES + overlap);
    loop {
        let keep = piece.len().saturating_sub(overlap);
        piece.drain(..keep);
        match file.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece) {
            Ok(0) | Err(_) => return false,
            Ok(_) if pattern.is_match(&piece) => return true,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_between_two_pieces_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("file");
        let mut bytes = vec![b'x'; PIECE_BYTES - 3];
        bytes.extend_from_slice(b"SwordFish");
        std::fs::write(&path, bytes).expect("written");
        let pattern = pattern_of("swordfish").expect("a pattern");
        assert!(holds(&path, &pattern, 54));
        assert!(!holds(&path, &pattern_of("swordfishes").expect("a pattern"), 66));
    }

    #[test]
    fn a_word_inside_json_is_found() {
        let pattern = pattern_of("say \"hi\"").expect("a pattern");
        assert!(pattern.is_match(br#"{"text":"Say \"hi\" twice"}"#));
    }
}
