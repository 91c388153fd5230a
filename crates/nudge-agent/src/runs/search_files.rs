//! Searches the files of a project for the words of a text.

use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::text::one_line_of_chars;
use nudge_home::workspace::{Constraint, ScanRules, Workspace};

use nudge_memory::entries::read_file;

/// Shorter words are in every file.
const WORD_LEAST: usize = 3;

/// How many words of a question are looked for.
const WORDS_MOST: usize = 12;

/// A word that at most this many files have says something by itself.
const FEW: usize = 2;

/// Larger files are data, not source.
const FILE_MOST: u64 = 512 * 1024;

/// The search ends after this time with what it has.
const WITHIN: Duration = Duration::from_millis(1_500);

/// The longest line that is shown.
const LINE_MOST: usize = 160;

/// Words that questions are made of.
const COMMON: [&str; 44] = [
    "the", "and", "for", "why", "how", "what", "when", "where", "who", "does", "did", "are", "was", "were",
    "has", "have", "had", "can", "could", "should", "would", "will", "with", "from", "into", "this", "that",
    "these", "those", "there", "our", "your", "use", "used", "using", "not", "but", "all", "any", "its",
    "which", "about", "get", "out",
];

/// A file that has words of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundInFile {
    pub(super) path: String,
    /// The line with most of the words, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    /// Which of the words the file has, a bit for each.
    which: u32,
}

impl FoundInFile {
    /// How many of the words the file has.
    pub(super) const fn words(&self) -> u32 {
        self.which.count_ones()
    }

    const fn has(&self, word: usize) -> bool {
        self.which >> word & 1 == 1
    }
}

/// What was found, and whether all files were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSearch {
    pub(super) found: Vec<FoundInFile>,
    pub(super) is_complete: bool,
}

/// The files with most of a question's words, best first.
pub(super) fn search(root: &Path, constraints: Vec<Constraint>, question: &str, limit: usize) -> FileSearch {
    let words = words_of(question);
    let Ok(workspace) = Workspace::open(root) else { return FileSearch::default() };
    if words.is_empty() {
        return FileSearch { is_complete: true, ..FileSearch::default() };
    }
    let began = Instant::now();
    let is_late = || began.elapsed() > WITHIN;
    let scan = workspace.scan(&ScanRules::new(constraints), &is_late);
    let mut is_complete = scan.is_complete();
    let mut found: Vec<FoundInFile> = Vec::new();
    for file in scan.files.iter().filter(|file| file.size <= FILE_MOST) {
        if is_late() {
            is_complete = false;
            break;
        }
        let Ok(read) = read_file(&workspace, &file.path) else { continue };
        found.extend(of_file(&file.path, &read.text, &words));
    }
    // A file with one word of a longer question is there by chance, unless few files have the word.
    let least = if words.len() > 2 { 2 } else { 1 };
    let rare = (0..words.len()).filter(|at| found.iter().filter(|file| file.has(*at)).count() <= FEW);
    let rare: Vec<usize> = rare.collect();
    found.retain(|file| file.words() >= least || rare.iter().any(|at| file.has(*at)));
    found.sort_by(|a, b| b.words().cmp(&a.words()).then_with(|| a.path.cmp(&b.path)));
    found.truncate(limit);
    FileSearch { found, is_complete }
}

fn words_of(question: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let parts = question.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for word in parts.map(str::to_lowercase).filter(|word| word.chars().count() >= WORD_LEAST) {
        if !COMMON.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(WORDS_MOST);
    words
}

fn of_file(path: &str, text: &str, words: &[String]) -> Option<FoundInFile> {
    let (path_low, text_low) = (path.to_lowercase(), text.to_lowercase());
    let is_there = |word: &String| text_low.contains(word) || path_low.contains(word);
    let which = words.iter().enumerate().fold(0, |bits, (at, word)| bits | u32::from(is_there(word)) << at);
    if which == 0 {
        return None;
    }
    let has = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(*word)).count()
    };
    let mut best = (0, 1, "");
    for (at, line) in text.lines().enumerate() {
        let score = has(line);
        if score > best.0 {
            best = (score, at + 1, line);
        }
    }
    Some(FoundInFile {
        path: path.to_owned(),
        line: best.1,
        text: one_line_of_chars(best.2, LINE_MOST),
        which,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_searched_by_its_rare_words() {
        assert_eq!(
            words_of("Why does the router drop long requests?"),
            ["router", "drop", "long", "requests"]
        );
        assert_eq!(words_of("how and why"), Vec::<String>::new());
    }

    #[test]
    fn the_best_line_of_a_file_is_shown() {
        let words = words_of("router drop requests");
        let text = "fn a() {}\n// The router drops requests over 8 KiB.\nfn router() {}\n";
        let found = of_file("src/net.rs", text, &words).expect("found");
        assert_eq!((found.line, found.words()), (2, 3));
        assert_eq!(of_file("src/net.rs", "nothing", &words), None);
    }
}
