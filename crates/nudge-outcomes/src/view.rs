//! What part of an output a filter leaves visible: `tail`, `head`, `grep` …

use regex::{Regex, RegexBuilder};

/// A filter, by the part it shows. A filter that shows everything is not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Shows only this many lines at the end; `None` if the number is unknown.
    Tail(Option<usize>),
    /// Shows only this many lines at the beginning; `None` if the number is unknown.
    Head(Option<usize>),
    Grep(Grep),
    /// Which part it shows is unknown.
    Blind,
    /// Shows nothing: the output went to a file that is not shown.
    Hidden,
}

/// The part a filter shows; `None` if it shows everything.
pub(crate) fn view(words: &[String]) -> Option<View> {
    let (program, arguments) = words.split_first()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match program.rsplit('/').next().unwrap_or(program) {
        "cat" | "tee" | "less" | "more" | "nl" | "uniq" | "cut" | "fold" | "ts" | "col" | "tr" | "bat"
        | "expand" | "iconv" | "ansi2txt" | "strip-ansi" | "stdbuf" => None,
        "awk" | "gawk" | "mawk" if matches!(arguments.as_slice(), ["1" | "{print}" | "{print $0}"]) => None,
        "tail" => Some(tail(&arguments)),
        "head" => Some(View::Head(lines_of(&arguments))),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" => Some(grep_view(program, &arguments)),
        "sed" => sed(&arguments),
        _ => Some(View::Blind),
    }
}

/// The end of the output; `+5` and `-r` are different.
fn tail(arguments: &[&str]) -> View {
    if arguments.iter().any(|word| word.starts_with("-r") || word.starts_with("--reverse")) {
        return View::Blind;
    }
    let from_beginning = arguments.iter().any(|word| word.contains('+'));
    View::Tail(lines_of(arguments).filter(|_| !from_beginning))
}

/// How many lines `head` or `tail` shows.
fn lines_of(arguments: &[&str]) -> Option<usize> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let number = match *word {
            "-n" | "--lines" => words.next().copied().unwrap_or_default(),
            word if word.starts_with("-c") || word.starts_with("--bytes") => return None,
            word => word.trim_start_matches("--lines=").trim_start_matches("-n").trim_start_matches('-'),
        };
        if let Ok(lines) = number.parse() {
            return Some(lines);
        }
    }
    // The default of both.
    Some(10)
}

/// `sed -n '1,20p'` is a head and `sed -n '/x/p'` a grep; substitutions show everything.
fn sed(arguments: &[&str]) -> Option<View> {
    let is_quiet =
        arguments.iter().any(|word| matches!(*word, "-n" | "--quiet" | "-nE" | "-nr" | "-En" | "-ne"));
    let Some(script) = arguments.iter().find(|word| !word.starts_with('-')) else { return Some(View::Blind) };
    if !is_quiet {
        return match script.strip_suffix('q').map(str::parse) {
            Some(Ok(lines)) => Some(View::Head(Some(lines))),
            _ if script.starts_with('s') => None,
            _ => Some(deleted(script)),
        };
    }
    let Some(address) = script.strip_suffix('p') else { return Some(View::Blind) };
    if address.ends_with('$') {
        return Some(View::Tail(None));
    }
    let lines = address.split_once(',').and_then(|(from, to)| {
        let (from, to): (usize, usize) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        Some((to + 1).saturating_sub(from))
    });
    let pattern = address.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    Some(match (lines, pattern) {
        (Some(lines), _) => View::Head(Some(lines)),
        (None, Some(pattern)) => View::Grep(Grep::of_sed(pattern, false)),
        (None, None) => View::Blind,
    })
}

/// `sed '/x/d'` shows all other lines.
fn deleted(script: &str) -> View {
    let pattern = script.strip_prefix('/').and_then(|rest| rest.strip_suffix("/d"));
    pattern.map_or(View::Blind, |pattern| View::Grep(Grep::of_sed(pattern, true)))
}

// `grep` and similar tools: would this pattern have shown a failure line?

/// The maximum size of a compiled pattern, in bytes. The pattern is untrusted.
const MAX_PATTERN_BYTES: usize = 1 << 20;

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
fn grep_view(program: &str, arguments: &[&str]) -> View {
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
    fn of_sed(pattern: &str, inverted: bool) -> Self {
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
        builder.case_insensitive(self.ignores_case).size_limit(MAX_PATTERN_BYTES).build().ok()
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
    fn filters_let_through_what_they_do() {
        for (line, expected) in [
            ("cat", None),
            ("tee log", None),
            ("tail -5", Some(View::Tail(Some(5)))),
            ("tail -n +5", Some(View::Tail(None))),
            ("tail -c 50", Some(View::Tail(None))),
            ("sort", Some(View::Blind)),
            ("head", Some(View::Head(Some(10)))),
            ("head -n 20", Some(View::Head(Some(20)))),
            ("head -20", Some(View::Head(Some(20)))),
            ("head -c 100", Some(View::Head(None))),
            ("sed -n 1,20p", Some(View::Head(Some(20)))),
            ("sed -n 5,$p", Some(View::Tail(None))),
            ("sed 30q", Some(View::Head(Some(30)))),
            ("sed s/a/b/", None),
            ("wc -l", Some(View::Blind)),
            ("awk {print}", None),
            ("awk /ok/", Some(View::Blind)),
            ("grep -c x", Some(View::Blind)),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(view(&words), expected, "{line}");
        }
    }

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
            let View::Grep(grep) = grep_view(program, arguments) else { panic!("{command}") };
            assert_eq!(grep.shows(&[line]), shows, "{command}");
            assert!(!grep.shows(&[line, "x ok result"]) || shows, "{command}");
        }
    }

    #[test]
    fn searches_that_show_no_lines_are_blind() {
        for command in ["grep -c x", "grep -q x", "grep -m1 x", "grep", "grep --count x"] {
            let words: Vec<&str> = command.split(' ').collect();
            let (program, arguments) = words.split_first().unwrap();
            assert_eq!(grep_view(program, arguments), View::Blind, "{command}");
        }
    }
}
