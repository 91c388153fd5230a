//! Marks: keys that recognise a command or an error again, without the parts that change from run
//! to run.

pub mod blame;
pub mod fold;
pub mod part;
pub mod signature;

use part::Part;

/// The metadata field with the error that an exit status of 0 hid.
pub const HIDDEN_ERROR: &str = "hidden_error";

/// How many words of a command an error can name.
const MAX_WORDS: usize = 12;

/// Programs that build and test.
const RUNNERS: [&str; 16] = [
    "cargo", "go", "npm", "pnpm", "yarn", "bun", "npx", "bunx", "make", "pytest", "mvn", "gradle", "dotnet",
    "mise", "just", "uv",
];

/// The mark of a whole simple command.
pub fn of_run(part: &Part) -> i64 {
    fingerprint(&["run", &part.folded_text()])
}

/// The mark of a word of a command.
pub fn of_word(program: &str, word: &str) -> i64 {
    fingerprint(&["word", program, &fold::words(&[word.to_owned()])])
}

/// The mark of a program that is not installed.
pub fn of_program(program: &str) -> i64 {
    fingerprint(&["program", program])
}

/// The mark of a command's unusual syntax; `None` if there is nothing unusual about it.
pub fn of_shape(part: &Part) -> Option<i64> {
    shape(part).map(|shape| fingerprint(&["shape", &shape]))
}

/// The mark of an error line of a program.
pub fn of_error(program: &str, line: &str) -> i64 {
    fingerprint(&["error", program, &fold::error_with_quotes(line)])
}

/// The mark of a program and its subcommands, such as `gh pr edit`; `None` for a program that
/// builds or tests, because its errors are about the code.
pub fn of_verbs(part: &Part) -> Option<i64> {
    let verbs = verbs(part);
    let program = part.program();
    (verbs.len() > 1 && !RUNNERS.contains(&program))
        .then(|| fingerprint(&["verbs", program, &verbs.join(" ")]))
}

/// The mark of a path that did not exist.
pub fn of_path(word: &str) -> i64 {
    fingerprint(&["path", &fold::words(&[word.to_owned()])])
}

/// How much evidence a mark needs before a command with it is warned about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It failed the last time, and mostly.
    Mostly,
    /// It never passed.
    Always,
    /// It never passed, in at least two sessions.
    AlwaysAgain,
}

/// Every mark under which an earlier failure of a command may be stored, the most specific first.
pub fn of_names(part: &Part) -> Vec<(i64, Proof)> {
    let program = part.program();
    let mut marks = vec![of_program(program)];
    let words = || part.words.iter().skip(1).filter(|word| word.len() > 1).take(MAX_WORDS);
    for word in words() {
        for form in [word.as_str(), name_of_flag(word), without_query(word)] {
            let mark = of_word(program, form);
            if !marks.contains(&mark) {
                marks.push(mark);
            }
        }
    }
    marks.extend(of_shape(part));
    let mut marks: Vec<(i64, Proof)> = marks.into_iter().map(|mark| (mark, Proof::Mostly)).collect();
    marks.extend(of_verbs(part).map(|mark| (mark, Proof::Always)));
    let paths = words().filter(|word| is_path(word));
    marks.extend(paths.map(|word| (of_path(word), Proof::AlwaysAgain)));
    marks
}

/// Whether a word is a relative path.
pub fn is_path(word: &str) -> bool {
    word.contains('/') && !word.starts_with(['/', '-', '~']) && !word.contains(['*', ' ', ':'])
}

/// The name of an option: `--port` for `--port=80`.
pub fn name_of_flag(word: &str) -> &str {
    match word.split_once('=') {
        Some((name, _)) if name.starts_with('-') => name,
        _ => word,
    }
}

/// A path or address without its query string.
pub fn without_query(word: &str) -> &str {
    word.split_once('?').map_or(word, |(path, _)| path)
}

/// The unusual syntax of a command: a pattern that starts like a flag or contains a line break, or
/// arguments after `--`.
fn shape(part: &Part) -> Option<String> {
    let mut signs: Vec<&str> = Vec::new();
    for word in part.words.iter().skip(1) {
        let sign = match word.as_str() {
            "--" => "--",
            _ if word.contains("\\n") => "\\n",
            _ if is_dashed_pattern(word) => "-pattern",
            _ => continue,
        };
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    }
    (!signs.is_empty()).then(|| format!("{} {} {}", part.program(), verbs(part).join(" "), signs.join(" ")))
}

/// Whether a word is a pattern that starts like a flag.
pub fn is_dashed_pattern(word: &str) -> bool {
    word.starts_with('-') && word.contains(['|', ' ', '*', '\\', '('])
}

/// The subcommands of a program.
fn verbs(part: &Part) -> Vec<&str> {
    let is_verb = |word: &&String| word.chars().all(|c| c.is_ascii_lowercase());
    part.words.iter().skip(1).take(2).take_while(is_verb).map(String::as_str).collect()
}

/// A hash of these words, in this order, for values that are only compared. Each word is preceded
/// by its length, so that different lists never hash the same bytes.
pub fn fingerprint(words: &[&str]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(first)
}
