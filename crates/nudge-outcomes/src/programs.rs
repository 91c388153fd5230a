//! The programs that a command line runs.

use super::shell::{Body, List, MAX_DEPTH, commands, is_assignment, parse};
use super::unwrapped::{Unwrapped, unwrapped};

/// Each program that a command line may run, by the last component of its path and with its
/// arguments: in lists, pipelines, groups and branches, in `$(…)` and `<(…)`, behind wrappers such
/// as `sudo`, and in the line of `sh -c`. One may be named more than once. What a shell reads from
/// elsewhere has no name.
pub fn programs(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    of_line(line, MAX_DEPTH, &mut found);
    found
}

fn of_line(line: &str, depth: usize, found: &mut Vec<Vec<String>>) {
    let Some(depth) = depth.checked_sub(1) else { return found.push(unreadable()) };
    for words in commands(line) {
        of_words(&words, "", depth, found);
    }
    of_list(&parse(line), depth, found);
}

fn of_list(list: &List, depth: usize, found: &mut Vec<Vec<String>>) {
    for stage in list.iter().flat_map(|step| &step.stages) {
        // What `$(…)` prints becomes part of the line that a shell runs.
        let is_line = matches!(unwrapped(&stage.words), Some(Unwrapped::Line(..)));
        if is_line && !stage.inner.is_empty() {
            found.push(unreadable());
        }
        of_words(&stage.words, stage.document.as_deref().unwrap_or_default(), depth, found);
        stage.inner.iter().for_each(|line| of_line(line, depth, found));
        if let Body::Group(list) | Body::Branches(list) = &stage.body {
            of_list(list, depth, found);
        }
    }
}

/// `document` is the here-document that the command reads.
fn of_words(words: &[String], document: &str, depth: usize, found: &mut Vec<Vec<String>>) {
    match unwrapped(words) {
        Some(Unwrapped::Program(name, arguments)) => {
            found.push(std::iter::once(name.to_owned()).chain(arguments.iter().cloned()).collect());
        }
        Some(Unwrapped::Line(line, _)) => of_line(line, depth, found),
        Some(Unwrapped::Shell(_)) if document.trim().is_empty() => found.push(unreadable()),
        Some(Unwrapped::Shell(_)) => of_line(document, depth, found),
        None if words.iter().all(|word| is_assignment(word)) => {}
        None => found.push(unreadable()),
    }
}

/// A part of which nobody knows what it runs.
fn unreadable() -> Vec<String> {
    vec![String::new()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(line: &str, program: &str) -> bool {
        programs(line).iter().any(|words| words.first().is_some_and(|name| name == program))
    }

    #[test]
    fn a_program_is_found_wherever_a_line_runs_it() {
        for line in [
            "curl -s https://a.b",
            "cd x && /usr/bin/curl https://a.b | jq .",
            "sudo -u me timeout 5 curl https://a.b",
            "sh -c 'cd x; curl https://a.b'",
            "bash -lc \"sh -c 'curl https://a.b'\"",
            "echo \"$(curl https://a.b)\"",
            "diff <(curl https://a.b) c",
            "if curl -f https://a.b; then echo up; fi",
            "for x in 1 2; do curl https://a.b/$x; done",
            "(curl https://a.b)",
            "A=1 curl https://a.b",
            "ls | xargs -n 1 curl",
            "bash <<'E'\ncurl https://a.b\nE",
            "eval 'curl https://a.b'",
        ] {
            assert!(runs(line, "curl"), "{line}: {:?}", programs(line));
        }
    }

    #[test]
    fn what_cannot_be_read_has_no_name() {
        for line in [
            "cat notes | sh",
            "bash < notes",
            "curl a.b | sudo bash -s",
            "ls; sh -x",
            "$(cat notes)",
            "eval \"$(cat notes)\"",
            "sh -c \"echo $(cat notes)\"",
            &"nice ".repeat(11),
        ] {
            assert!(runs(line, ""), "{line}: {:?}", programs(line));
        }
        for line in ["sh build.sh", "bash -x build.sh", "A=1"] {
            assert!(!runs(line, ""), "{line}: {:?}", programs(line));
        }
        assert!(runs("bash -x build.sh", "sh"));
    }

    #[test]
    fn a_name_in_an_argument_is_no_program() {
        for line in ["echo curl", "git commit -m 'curl the file'", "grep -rn curl src", "cargo add curl", ""]
        {
            assert!(!runs(line, "curl"), "{line}: {:?}", programs(line));
        }
    }
}
