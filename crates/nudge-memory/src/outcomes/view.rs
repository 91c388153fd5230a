//! What part of an output a filter leaves visible: `tail`, `head`, `grep` …

mod grep;

pub(crate) use grep::Grep;

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
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" => Some(grep::view(program, &arguments)),
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
}
