//! Folds texts that differ only by chance into the same text: replaces paths, numbers, hashes,
//! temporary names and quoted words.

use std::borrow::Cow;

use nudge_core::text::first_chars;

/// The longest folded text, in characters; later differences are ignored.
const MAX_FOLDED_CHARS: usize = 200;

/// Replaces a number, a hash or a random name.
const NUMBER: char = '#';

/// Replaces text that does not matter, and the directories of a path.
const LEFT_OUT: char = '…';

/// The length of a UUID.
const UUID_BYTES: usize = 36;

/// Units that directly follow a number.
const UNITS: [&str; 20] = [
    "s", "ms", "us", "ns", "m", "h", "d", "b", "k", "kb", "mb", "gb", "kib", "mib", "gib", "x", "px", "min",
    "sec", "mins",
];

/// The fewest hex digits that count as a hash: git's abbreviated length.
const MIN_HASH_DIGITS: usize = 7;

/// Folds a command line, so that the same mistake made elsewhere, or with another randomly named
/// file, looks the same.
///
/// Anything around the command (`cd … &&`, variables, a wrapping shell, a pipe that only cuts the
/// output) is removed. A path keeps its last name: another file is another mistake.
pub fn command(text: &str) -> String {
    let line = without_document(text);
    shortened(&fold(peeled(&line), Paths::Named))
}

/// Folds an error line. Paths and quoted words are removed: they say where, not what.
pub fn error_without_quotes(line: &str) -> String {
    shortened(&fold(&without_escapes(line), Paths::Gone))
}

/// Folds the words of a simple command. A word that contains whitespace is replaced. An absolute
/// path keeps only its last name; a relative one is kept whole.
pub fn words(words: &[String]) -> String {
    let folded: Vec<String> = words.iter().map(|word| folded_word(word)).collect();
    shortened(&folded.join(" "))
}

/// The longest word that is kept, in bytes; a longer one is treated as free text.
const MAX_WORD_BYTES: usize = 80;

fn folded_word(word: &str) -> String {
    if word.contains(char::is_whitespace) || word.len() > MAX_WORD_BYTES {
        return format!("'{LEFT_OUT}'");
    }
    let is_rooted = word.starts_with(['/', '~']) && word.len() > 1;
    match path_of(word).filter(|_| is_rooted) {
        Some(_) if is_temporary(word) => format!("{LEFT_OUT}/tmp"),
        Some(name) => format!("{LEFT_OUT}/{}", numbers(name)),
        None => numbers(word),
    }
}

/// Words that many errors contain and that therefore distinguish none.
#[rustfmt::skip]
const GENERAL_WORDS: [&str; 32] = [
    "a", "access", "actual", "at", "be", "cannot", "command", "directory", "equal", "equals",
    "error", "exist", "exists", "exit", "expected", "failed", "fatal", "file", "found", "got", "in",
    "is", "no", "not", "of", "open", "or", "read", "received", "such", "the", "to",
];

/// Whether an error line is specific enough to recognise again; some lines only say that something
/// failed.
pub fn is_specific(line: &str) -> bool {
    error_with_quotes(line).split_whitespace().filter(|word| is_distinctive(word)).count() > 1
}

fn is_distinctive(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !GENERAL_WORDS.contains(&word.as_str())
}

/// Folds an error line, so that the same error with other paths, numbers, addresses and times looks
/// the same, and a different error does not. Quoted words say what the error is about, so they are
/// kept unless they are paths. If too little else is left, paths keep their last name.
pub fn error_with_quotes(line: &str) -> String {
    let plain = without_escapes(line).replace(['"', '\'', '`', '\u{2018}', '\u{2019}'], " ");
    let folded = fold(&plain, Paths::Gone);
    if folded.split_whitespace().filter(|word| is_distinctive(word)).count() > 1 {
        return shortened(&folded);
    }
    shortened(&fold(&plain, Paths::Named))
}

/// The program that a command line runs: its first word.
pub fn program(text: &str) -> String {
    let line = without_document(text);
    let word = peeled(&line).split_whitespace().next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Removes terminal escape sequences.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            '\u{1b}' => {
                if chars.next() == Some('[') {
                    for end in chars.by_ref() {
                        if ('\u{40}'..='\u{7e}').contains(&end) {
                            break;
                        }
                    }
                }
            }
            next => out.push(next),
        }
    }
    Cow::Owned(out)
}

/// What happens to paths.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Paths {
    /// The last name is kept.
    Named,
    /// Nothing is kept.
    Gone,
}

fn fold(text: &str, paths: Paths) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if next.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            rest = &rest[next.len_utf8()..];
        } else if let Some((inner, after)) = quoted(rest, &out, paths) {
            let is_program = [" -c ", " -e "].iter().any(|flag| out.ends_with(flag));
            if is_program {
                out.push_str(&fold(inner, paths));
            } else {
                out.extend([next, LEFT_OUT, next]);
            }
            rest = after;
        } else {
            let end = word_end(rest, paths);
            fold_word(&rest[..end], paths, &mut out);
            rest = &rest[end..];
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A quoted text that starts here, and the rest after it. An apostrophe inside a word does not
/// start one.
fn quoted<'t>(text: &'t str, before: &str, paths: Paths) -> Option<(&'t str, &'t str)> {
    let quote = text.chars().next()?;
    let opens = match quote {
        '"' => true,
        '`' => paths == Paths::Gone,
        '\'' => !before.ends_with(|c: char| c.is_alphanumeric()),
        _ => false,
    };
    let inner = text.get(1..).filter(|_| opens)?;
    let end = inner.find(quote)?;
    Some((&inner[..end], &inner[end + 1..]))
}

fn word_end(text: &str, paths: Paths) -> usize {
    let stops = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '=' | '(' | ')' | ',')
            || (c == '`' && paths == Paths::Gone)
    };
    match text.find(stops) {
        // A delimiter that is a word by itself is consumed, too.
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => text.len(),
    }
}

fn fold_word(word: &str, paths: Paths, out: &mut String) {
    match (path_of(word), paths) {
        (None, _) => out.push_str(&numbers(word)),
        (Some(_), Paths::Gone) => out.push(LEFT_OUT),
        (Some(name), Paths::Named) => {
            out.extend([LEFT_OUT, '/']);
            out.push_str(if is_temporary(word) { "tmp" } else { "" });
            if !is_temporary(word) {
                out.push_str(&numbers(name));
            }
        }
    }
}

/// The last name of a word that is a path; `None` for any other word.
fn path_of(word: &str) -> Option<&str> {
    if word.contains("://") || word.starts_with('@') {
        return None;
    }
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| word.starts_with(root)) && word.len() > 1;
    let trimmed = word.trim_end_matches('/');
    let (dirs, name) = trimmed.rsplit_once(['/', '\\'])?;
    let windows = dirs.contains(":\\") || dirs.ends_with(':');
    let looks = name.contains('.') || dirs.contains('/');
    (rooted || windows || looks).then_some(name)
}

fn is_temporary(path: &str) -> bool {
    path.starts_with("/tmp/") || path.starts_with("/var/folders/") || path.contains("/tmp.")
}

/// Folds numbers, hashes and random names in a word.
fn numbers(word: &str) -> String {
    // Most words have none: only a UUID may consist of letters.
    if word.len() < UUID_BYTES && !word.bytes().any(|byte| byte.is_ascii_digit() || byte == NUMBER as u8) {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        if is_uuid(rest) {
            out.push(NUMBER);
            rest = &rest[UUID_BYTES..];
            continue;
        }
        let run = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        if run == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        out.push_str(&folded_run(&rest[..run], &out));
        rest = &rest[run..];
    }
    while ["#.#", "#:#", "#-#", "#,#"].iter().any(|joined| out.contains(joined)) {
        for joined in ["#.#", "#:#", "#-#", "#,#"] {
            out = out.replace(joined, "#");
        }
    }
    out
}

/// Folds a run of letters and digits.
fn folded_run(run: &str, before: &str) -> String {
    let digits = run.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &run[digits..];
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let any_digit = run.bytes().any(|byte| byte.is_ascii_digit());
    if digits == run.len() {
        // A number at the end of a name is part of the name.
        return if before.ends_with('_') && digits < 4 { run.to_owned() } else { NUMBER.to_string() };
    }
    let address = run.strip_prefix("0x").is_some_and(|address| !address.is_empty() && hex(address));
    if address || (run.len() >= MIN_HASH_DIGITS && any_digit && hex(run)) {
        return NUMBER.to_string();
    }
    // The middle and the end of a time such as 2026-11-05T03:04:17Z.
    let is_time = |rest: &str| {
        rest.strip_prefix(['T', 'Z']).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    if digits > 0 && is_time(rest) {
        return NUMBER.to_string();
    }
    if digits > 0 && UNITS.contains(&rest.to_ascii_lowercase().as_str()) {
        return format!("{NUMBER}{rest}");
    }
    if run.len() > 3 && run.starts_with("tmp") && any_digit {
        return format!("tmp{NUMBER}");
    }
    run.to_owned()
}

fn is_uuid(text: &str) -> bool {
    let Some(bytes) = text.as_bytes().get(..UUID_BYTES) else { return false };
    bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

fn shortened(text: &str) -> String {
    first_chars(text, MAX_FOLDED_CHARS).to_owned()
}

// Strips a command line to the command itself, without where and how it is run and how much output
// is shown.

/// Removes here-documents; only the line that starts one counts.
fn without_document(text: &str) -> String {
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, _)) if first.contains("<<") => first.to_owned(),
        _ => text.replace("\\\n", " ").replace('\n', " ; "),
    }
}

/// The command itself, without the parts that only say where and how it is run or how much of its
/// output is shown.
fn peeled(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let next = without_tail(without_head(rest)).trim();
        if next == rest || next.is_empty() {
            return rest;
        }
        rest = next;
    }
}

fn without_head(text: &str) -> &str {
    if let Some(after) = text.strip_prefix("cd ") {
        let end = [after.find("&&").map(|at| at + 2), after.find(';').map(|at| at + 1)];
        if let Some(end) = end.into_iter().flatten().min() {
            return after[end..].trim_start();
        }
    }
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if is_assignment(first) && !rest.trim().is_empty() {
        return rest.trim_start();
    }
    let shell = matches!(first.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash"));
    let inner = rest.trim_start().strip_prefix("-lc ").or_else(|| rest.trim_start().strip_prefix("-c "));
    if let (true, Some(inner)) = (shell, inner) {
        return unquoted(inner.trim());
    }
    if first == "timeout"
        && let Some((length, command)) = rest.trim_start().split_once(' ')
        && length.starts_with(|c: char| c.is_ascii_digit())
    {
        return command;
    }
    text
}

fn without_tail(text: &str) -> &str {
    let text = text.strip_suffix("2>&1").unwrap_or(text).trim_end();
    if let Some((command, last)) = text.rsplit_once('|') {
        let shown = matches!(last.split_whitespace().next(), Some("tail" | "head" | "less" | "cat"));
        if shown && !command.ends_with('|') && !last.contains(['\'', '"', ';', '&']) {
            return command.trim_end();
        }
    }
    text
}

/// Whether a word is `NAME=value`, before a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        let named = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        named && !name.is_empty() && !value.contains(['"', '\'', '$'])
    })
}

fn unquoted(text: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_mistake_is_one_command() {
        for (one, folded) in [
            ("cargo test -p shop", "cargo test -p shop"),
            ("cd /w/shop && cargo test -p shop 2>&1 | tail -20", "cargo test -p shop"),
            ("RUST_BACKTRACE=1 cargo test -p shop", "cargo test -p shop"),
            ("bash -lc 'cargo test -p shop'", "cargo test -p shop"),
            ("timeout 60 cargo test -p shop", "cargo test -p shop"),
            ("git commit -m 'first try'", "git commit -m '…'"),
            ("git commit -m \"second try\"", "git commit -m \"…\""),
            ("git show 1a2b3c4d", "git show #"),
            ("sleep 30s; curl localhost:8080/health", "sleep #s; curl localhost:#/health"),
            ("python /home/me/shop/run.py", "python …/run.py"),
            ("python ./run.py", "python …/run.py"),
            ("cat /tmp/x8f/out.log", "cat …/tmp"),
            ("node -e 'require(\"x\")'", "node -e require(\"…\")"),
            ("kill -9 4711", "kill -# #"),
            ("git checkout feature/x1", "git checkout feature/x1"),
            ("cat > a.txt <<EOF\nsecret text\nEOF", "cat > a.txt <<EOF"),
            ("npm test --port=3000", "npm test --port=#"),
            ("open 550e8400-e29b-41d4-a716-446655440000", "open #"),
        ] {
            assert_eq!(command(one), folded, "{one}");
        }
    }

    #[test]
    fn another_file_is_another_mistake() {
        assert_ne!(command("python a/run.py"), command("python a/walk.py"));
        assert_ne!(command("pytest test_1"), command("pytest test_2"));
    }

    #[test]
    fn an_error_is_known_wherever_it_happens() {
        for (line, folded) in [
            ("error[E0432]: unresolved import `shop::cart`", "error[E0432]: unresolved import `…`"),
            ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named '…'"),
            ("cat: /w/shop/a.txt: No such file or directory", "cat: … No such file or directory"),
            ("\u{1b}[31merror\u{1b}[0m: took 12ms at 0x7f3a", "error: took #ms at #"),
            ("I/O error 5", "I/O error #"),
            ("don't know 'x'", "don't know '…'"),
        ] {
            assert_eq!(error_without_quotes(line), folded, "{line}");
        }
    }

    #[test]
    fn the_same_failure_is_known_with_other_paths_numbers_and_times() {
        for (one, other) in [
            ("/w/a/src/x.rs:10:3: error: mismatched types", "/tmp/b/src/x.rs:99:1: error: mismatched types"),
            ("connect to 127.0.0.1:5432 refused after 30s", "connect to 10.0.0.7:6432 refused after 5s"),
            ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named \"yaml\""),
            ("2026-11-05T03:04:17Z fatal: lost lease", "2025-01-30T23:59:01Z fatal: lost lease"),
            ("panic at 0x7f3a12 in worker-3", "panic at 0x8811aa in worker-12"),
        ] {
            assert_eq!(error_with_quotes(one), error_with_quotes(other), "{one}");
        }
        for (one, other) in [
            ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'toml'"),
            ("cat: /w/a.txt: No such file or directory", "cat: /w/b.txt: No such file or directory"),
            ("error: Script not found \"lint\"", "error: Script not found \"build\""),
        ] {
            assert_ne!(error_with_quotes(one), error_with_quotes(other), "{one}");
        }
    }

    #[test]
    fn programs_are_named_without_their_place() {
        assert_eq!(program("cd x && FOO=1 /usr/bin/python3 run.py"), "python3");
        assert_eq!(program(""), "");
    }

    proptest! {
        #[test]
        fn whatever_comes_in_is_folded_once(text in "\\PC{0,80}|[ a-z0-9/'\"`=;|&.<>\\n-]{0,80}") {
            let folded = command(&text);
            prop_assert!(folded.chars().count() <= MAX_FOLDED_CHARS);
            prop_assert!(!folded.contains('\n'));
            prop_assert!(error_without_quotes(&text).chars().count() <= MAX_FOLDED_CHARS);
        }
    }
}
