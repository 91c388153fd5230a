//! Finds the part of a command line that an error is about, and the word that the error names.

use std::sync::LazyLock;

use regex::Regex;

use super as marks;
use super::part::Part;

/// Errors that recur whenever the same command is typed, whatever changes in the code.
static AS_TYPED: LazyLock<Regex> = LazyLock::new(|| {
    let words = "unrecogni[sz]ed|unknown|unexpected argument|illegal|invalid (option|choice|argument|flag|value)\
                 |not found|no such|not allowed|no matches found|http 404|accepts at most\
                 |accepts \\d|requires (at least|an argument|exactly)|missing (script|argument|required)\
                 |cannot access|bad option|no rule to make|unsupported|not supported|too many arguments\
                 |no module named|deprecated|ignored by";
    Regex::new(&format!("(?i-u:{words})")).expect("plain words make an expression")
});

/// Lines that name a place in the code: the next edit changes them.
static IN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\S*\.\w+[:(]\d+|\.(go|tsx?|jsx?|py|rs|c|cc|cpp|java|rb):\d+|^\s*at |undefined:|error TS\d+|error\[E\d+\]|^E  |^--- |^FAILED |(?i-u:assert)")
        .expect("a plain expression")
});

/// Words that are common in commands and in errors.
const COMMON_WORDS: [&str; 8] = ["run", "test", "build", "main", "origin", "head", "file", "error"];

/// The part that an error is about: the one with the program or a word that the error names, else
/// the last that does something, else the first that looks at something; later parts only filter
/// its output.
pub fn culprit<'p>(parts: &'p [Part], error: &str) -> Option<&'p Part> {
    let score = |part: &Part| {
        let program = part.program();
        let by_program =
            error.starts_with(&format!("{program}:")) || error.contains(&format!(": {program}:"));
        2 * usize::from(by_program) + usize::from(named_word(part, error).is_some())
    };
    let best = parts.iter().rev().max_by_key(|part| score(part)).filter(|part| score(part) > 0);
    best.or_else(|| parts.iter().rev().find(|part| !part.is_look()))
        .or_else(|| parts.iter().find(|part| part.program() != "cd"))
        .or(parts.last())
}

/// Whether this part certainly failed: the error is about it, or no part of another program could
/// have failed before it.
pub fn is_certain(parts: &[Part], culprit: &Part, error: &str) -> bool {
    let program = culprit.program();
    let is_named = named(error, program) || named_word(culprit, error).is_some();
    let others = parts.iter().take_while(|part| *part != culprit).filter(|part| !part.is_look());
    is_named
        || others
            .into_iter()
            .all(|part| matches!(part.program(), "cd" | "mkdir") || part.program() == program)
}

/// The marks that an error puts on a command, if the error recurs whenever the same is typed.
pub fn marks(part: &Part, error: &str) -> Vec<i64> {
    // Whether a path exists depends on the current directory.
    let is_about_a_path =
        ["No such file", "no such file", "cannot access"].iter().any(|phrase| error.contains(phrase));
    if !recurs_when_retyped(error) {
        return Vec::new();
    }
    if is_about_a_path {
        let paths = part.words.iter().skip(1).filter(|word| marks::is_path(word) && named(error, word));
        return paths.map(|word| marks::of_path(word)).collect();
    }
    let program = part.program();
    let is_missing = named(error, program)
        && (error.contains("command not found") || error.ends_with(&format!("{program}: not found")));
    match named_word(part, error) {
        Some(word) if marks::is_dashed_pattern(word) => marks::of_shape(part).into_iter().collect(),
        Some(word) => vec![marks::of_word(program, word)],
        None if is_missing => vec![marks::of_program(program)],
        None => {
            let marks: Vec<i64> = marks::of_shape(part).into_iter().chain(address(part, error)).collect();
            if marks.is_empty() { marks::of_verbs(part).into_iter().collect() } else { marks }
        }
    }
}

/// Whether a line names a place in the code.
pub fn is_in_code(error: &str) -> bool {
    // A missing module depends on where the command is run.
    IN_CODE.is_match(error) && !error.contains("No module named")
}

/// Whether an error recurs whenever the same command is typed.
pub fn recurs_when_retyped(error: &str) -> bool {
    AS_TYPED.is_match(error) && !is_in_code(error)
}

/// Whether an output without a known exit status starts with such an error about one of these
/// commands.
pub fn shows_typed_error(parts: &[Part], line: &str) -> bool {
    recurs_when_retyped(line)
        && parts.iter().any(|part| {
            line.starts_with(&format!("{}:", part.program()))
                || (line.contains("not found") && named(line, part.program()))
                || (line.starts_with("error: ") && named_word(part, line).is_some())
        })
}

/// The first word of a command that an error names.
fn named_word<'p>(part: &'p Part, error: &str) -> Option<&'p str> {
    let words = part.words.iter().skip(1).map(|word| marks::name_of_flag(word));
    // An absolute path as such is never what an error names.
    let words = words.filter(|word| {
        word.len() > 1 && !word.starts_with('/') && !COMMON_WORDS.contains(&word.to_lowercase().as_str())
    });
    let verb = part.words.get(1).map(String::as_str).filter(|word| !word.starts_with('-'));
    let is_named = |word: &&str| match Some(*word) == verb {
        // Errors use the program's own terms as ordinary words: a branch, a file. So a subcommand
        // counts only if quoted.
        true => ['\'', '"', '`'].iter().any(|quote| error.contains(&format!("{quote}{word}"))),
        false => {
            named(error, word)
                || is_named_letter(error, word)
                || is_named_option(error, word)
                || is_below_named(error, word)
        }
    };
    let mut words = words;
    words.find(is_named)
}

/// Whether a word occurs in an error as a whole word.
fn named(error: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    error.match_indices(word).any(|(at, _)| {
        let before = error[..at].chars().next_back();
        let after = error[at + word.len()..].chars().next();
        !before.is_some_and(|c| part_of_word(c) || c == '.') && !after.is_some_and(part_of_word)
    })
}

/// ``unknown option `wombat'`` is about `--wombat`.
fn is_named_option(error: &str, word: &str) -> bool {
    let name = word.strip_prefix("--").filter(|name| name.len() > 1);
    name.is_some_and(|name| error.contains(&format!("option `{name}'")))
}

/// Whether an error names a parent directory of a path.
fn is_below_named(error: &str, word: &str) -> bool {
    let ends = word.match_indices('/').map(|(at, _)| &word[..at]);
    ends.filter(|dir| dir.contains('/')).any(|dir| named(error, dir))
}

/// `illegal option -- A` is about `-A`.
fn is_named_letter(error: &str, word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
        return false;
    };
    let is_about = |mark: &str| {
        let named = error.rsplit_once(mark).map(|(_, rest)| rest.trim().trim_matches(['\'', '"']));
        named.is_some_and(|named| named.chars().count() == 1 && letters.contains(named))
    };
    letters.len() <= 3 && [" -- ", "option ", "flag "].iter().any(|mark| is_about(mark))
}

/// The mark of an address that the server does not have.
fn address(part: &Part, error: &str) -> Option<i64> {
    let word = part.words.iter().skip(1).find(|word| word.contains('/')).filter(|_| error.contains("404"))?;
    Some(marks::of_word(part.program(), marks::without_query(word)))
}

#[cfg(test)]
mod tests {
    use super::super::part::parts;
    use super::*;

    /// Whether a failed command's error puts a mark on it that the next command also has.
    fn warns(failed: &str, error: &str, next: &str) -> bool {
        let failed = parts(failed);
        let Some(culprit) = culprit(&failed, error) else { return false };
        let marks = marks(culprit, error);
        parts(next).iter().flat_map(marks::of_names).any(|(mark, _)| marks.contains(&mark))
    }

    #[test]
    fn what_was_typed_wrongly_is_known_again() {
        for (failed, error, next) in [
            (
                "rtk bun run test 2>&1",
                "error: unrecognized subcommand 'bun'",
                "cd x && rtk bun run lint | tail",
            ),
            ("git -C /w/a status", "error: unexpected argument '-C' found", "git -C /w/b add x"),
            ("sed -n '1p' a | cat -A", "cat: illegal option -- A", "cat -A b.ts | head"),
            ("gh pr diff 88 --stat", "unknown flag: --stat", "gh pr diff 104 --stat"),
            ("git status --wombat", "error: unknown option `wombat'", "git status -s --wombat"),
            ("staticcheck ./...", "zsh: command not found: staticcheck", "staticcheck --version"),
            (
                "gh api repos/a/b/pulls/1/comments/22",
                "gh: Not Found (HTTP 404)",
                "gh api repos/a/b/pulls/9/comments/7 | jq .body",
            ),
            (
                "gh pr diff 142 -- a/b.go | head",
                "accepts at most 1 arg(s), received 2",
                "gh pr diff 3 -- c d",
            ),
            ("rg -n '--trace|x' src", "rg: unrecognized flag --trace|x", "rg '- name: y' lib"),
            (
                "gh pr edit 1 --body-file b.md",
                "GraphQL: Projects (classic) is being deprecated in favor of the new one",
                "gh pr edit 2 --title x",
            ),
            (
                "git add a.ts web/dist/out.css && git commit -m x",
                "The following paths are ignored by one of your .gitignore files: web/dist",
                "git add b.ts web/dist/out.css",
            ),
            (
                "ls scripts/go.sh",
                "ls: cannot access 'scripts/go.sh': No such file or directory",
                "sh scripts/go.sh",
            ),
            ("rg 'a\\nb' src", "rg: the literal \"\\n\" is not allowed in a regex", "rg -n \"x\\ny\" lib"),
        ] {
            assert!(warns(failed, error, next), "{failed} -> {next}");
        }
    }

    #[test]
    fn another_command_is_no_repeat() {
        for (failed, error, next) in [
            ("rtk bun run test", "error: unrecognized subcommand 'bun'", "bun run test"),
            ("cat -A a", "cat: illegal option -- A", "cat -v a"),
            ("go build ./...", "a.go:3:2: undefined: x", "go build ./..."),
            ("cargo test", "test result: FAILED", "cargo test"),
            ("cat a.txt", "cat: a.txt: No such file or directory", "cat b.txt"),
        ] {
            assert!(!warns(failed, error, next), "{failed} -> {next}");
        }
    }
}
