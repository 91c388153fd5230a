//! `grep` and similar tools: would this pattern have shown a failure line?

use regex::{Regex, RegexBuilder};

use super::View;

/// The maximum size of a compiled pattern, in bytes. The pattern is untrusted.
const LARGEST: usize = 1 << 20;

/// A search, as far as it was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grep {
    /// In the syntax of the `regex` crate.
    pattern: String,
    ignores_case: bool,
    inverted: bool,
    /// Lines are shown with their numbers before them.
    pub(crate) numbered: bool,
}

/// The syntax of a pattern.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// What `grep` with these arguments shows.
pub(super) fn view(program: &str, arguments: &[&str]) -> View {
    let options = Options::read(arguments);
    // With these options a search counts, stops early or reads its patterns from a file.
    if options.patterns.is_empty() || options.has(&['c', 'q', 'l', 'L', 'm', 'f']) {
        return View::Blind;
    }
    let syntax = options.syntax(program);
    let patterns = options.patterns.iter().flat_map(|all| all.split('\n'));
    let joined = patterns.map(|one| translated(one, syntax)).collect::<Vec<_>>().join("|");
    View::Grep(Grep {
        pattern: if options.has(&['w']) { format!(r"\b(?:{joined})\b") } else { joined },
        ignores_case: options.has(&['i', 'y']),
        inverted: options.has(&['v']),
        numbered: options.has(&['n']),
    })
}

impl Grep {
    /// The search of `sed -n '/x/p'`; inverted for `/x/d`.
    pub(super) fn of_sed(pattern: &str, inverted: bool) -> Self {
        let pattern = translated(pattern, Syntax::Basic);
        Self { pattern, ignores_case: false, inverted, numbered: false }
    }

    /// Whether all of the lines would be shown. An invalid pattern shows none.
    pub(crate) fn shows(&self, lines: &[&str]) -> bool {
        !lines.is_empty()
            && self
                .expression()
                .is_some_and(|regex| lines.iter().all(|line| regex.is_match(line) != self.inverted))
    }

    fn expression(&self) -> Option<Regex> {
        let mut builder = RegexBuilder::new(&self.pattern);
        builder.case_insensitive(self.ignores_case).size_limit(LARGEST).build().ok()
    }
}

/// The options of a search.
#[derive(Default)]
struct Options<'a> {
    patterns: Vec<&'a str>,
    /// Options by letter; long options are translated to theirs.
    letters: Vec<char>,
}

impl<'a> Options<'a> {
    fn read(arguments: &[&'a str]) -> Self {
        let mut options = Self::default();
        let mut words = arguments.iter().copied();
        let mut operand = None;
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some("-") => operand = operand.or_else(|| words.next()),
                Some(long) if long.starts_with('-') => options.long(long),
                Some(short) if !short.is_empty() => options.short(short, &mut words),
                _ => operand = operand.or(Some(word)),
            }
        }
        if options.patterns.is_empty() {
            options.patterns.extend(operand);
        }
        options
    }

    fn has(&self, letters: &[char]) -> bool {
        self.letters.iter().any(|letter| letters.contains(letter))
    }

    fn syntax(&self, program: &str) -> Syntax {
        let name = program.rsplit('/').next().unwrap_or(program);
        match self.letters.iter().rfind(|letter| "EPFG".contains(**letter)) {
            Some('F') => Syntax::Fixed,
            Some('G') => Syntax::Basic,
            None if name == "fgrep" => Syntax::Fixed,
            None if matches!(name, "grep" | "zgrep") => Syntax::Basic,
            _ => Syntax::Extended,
        }
    }

    fn long(&mut self, option: &'a str) {
        let letter = match option.split('=').next().unwrap_or(option) {
            "-ignore-case" => 'i',
            "-invert-match" => 'v',
            "-extended-regexp" | "-perl-regexp" => 'E',
            "-fixed-strings" => 'F',
            "-line-number" => 'n',
            "-word-regexp" => 'w',
            "-count" | "-quiet" | "-files-with-matches" => 'c',
            "-max-count" | "-file" => 'm',
            _ => return self.patterns.extend(option.strip_prefix("-regexp=")),
        };
        self.letters.push(letter);
    }

    fn short(&mut self, letters: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        for (at, letter) in letters.char_indices() {
            self.letters.push(letter);
            if !"eABCmfdDgtj".contains(letter) {
                continue;
            }
            // Its value is the rest of the word, or the next word.
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let value = if rest.is_empty() { words.next() } else { Some(rest) };
            self.patterns.extend(value.filter(|_| letter == 'e'));
            return;
        }
    }
}

/// Translates a pattern to the syntax of the `regex` crate.
fn translated(pattern: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Fixed => return regex::escape(pattern),
        Syntax::Extended => return pattern.replace(r"\<", r"\b").replace(r"\>", r"\b"),
        Syntax::Basic => {}
    }
    let mut written = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(special) if "|(){}+?".contains(special) => written.push(special),
                Some('<' | '>') => written.push_str(r"\b"),
                Some(other) => written.extend(['\\', other]),
                None => written.push_str(r"\\"),
            },
            special if "|(){}+?".contains(special) => written.extend(['\\', special]),
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_grep_reads_them() {
        let line = "test result: FAILED. 4 passed; 1 failed; 0 ignored";
        for (command, shows) in [
            ("grep result", true),
            ("grep -E ok|FAILED", true),
            (r"grep ok\|FAILED", true),
            ("grep ok|FAILED", false),
            ("grep -i failed.", true),
            ("grep -iE -A 5 ^TEST", true),
            ("grep -A5 -e ok -e FAILED", true),
            ("grep ok", false),
            ("grep -v ok", true),
            ("grep -vE ok|result", false),
            ("grep -F FAILED.", true),
            ("grep -w FAIL", false),
            ("rg test|x", true),
            ("egrep --color=never (a|result)", true),
            ("grep -P (?=test)", false),
            ("grep --regexp=FAILED -- x", true),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            let (program, arguments) = words.split_first().unwrap();
            let View::Grep(grep) = view(program, arguments) else { panic!("{command}") };
            assert_eq!(grep.shows(&[line]), shows, "{command}");
            assert!(!grep.shows(&[line, "x ok result"]) || shows, "{command}");
        }
    }

    #[test]
    fn searches_that_show_no_lines_are_blind() {
        for command in ["grep -c x", "grep -q x", "grep -m1 x", "grep", "grep --count x"] {
            let words: Vec<&str> = command.split(' ').collect();
            let (program, arguments) = words.split_first().unwrap();
            assert_eq!(view(program, arguments), View::Blind, "{command}");
        }
    }
}
