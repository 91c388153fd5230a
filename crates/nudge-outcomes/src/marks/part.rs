//! The simple commands of a line, without the parts that only say how they are run.

use super::fold;
use crate::shell::{Body, List, Step, Then, is_assignment, is_read_only_command, parse};

/// How many simple commands of a line are read.
const MAX_PARTS: usize = 12;

/// Programs that only run the command that follows them.
const WRAPPERS: [&str; 9] =
    ["time", "nohup", "sudo", "env", "command", "exec", "nice", "stdbuf", "caffeinate"];

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The variables that are set for it alone, as typed.
    pub set: Vec<String>,
    /// Its words, the program first.
    pub words: Vec<String>,
    /// Whether the line can only succeed if this command does.
    pub decides: bool,
    /// Whether it writes its output to a file.
    pub writes: bool,
}

impl Part {
    /// The program, without its directory.
    pub fn program(&self) -> &str {
        let program = self.words.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or(program)
    }

    /// Whether it only looks at something.
    pub fn is_look(&self) -> bool {
        !self.writes && is_read_only_command(&self.words)
            || matches!(self.program(), "sed" | "awk" | "xargs" | "tee" | "export" | "set")
    }

    /// The command without the parts that change from run to run.
    pub fn folded_text(&self) -> String {
        let names = self.set.iter().filter_map(|set| set.split_once('=')).map(|(name, _)| name);
        let names: String = names.map(|name| format!("{name}=… ")).collect();
        format!("{names}{}", fold::words(&self.words))
    }

    /// The command as one would type it.
    pub fn text(&self) -> String {
        self.set.iter().chain(&self.words).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// The simple commands of a line, in order.
pub fn parts(line: &str) -> Vec<Part> {
    let mut found = Vec::new();
    take(&parse(line), true, 0, &mut found);
    found.truncate(MAX_PARTS);
    found
}

fn take(list: &List, decides: bool, depth: usize, found: &mut Vec<Part>) {
    for (at, step) in list.iter().enumerate() {
        if found.len() >= MAX_PARTS {
            return;
        }
        // An exit status reaches the end of the line only through `&&`.
        let rest = list.get(at..).unwrap_or_default();
        let last = rest.len().saturating_sub(1);
        let reaches = rest.iter().take(last).all(|step| step.then == Then::And);
        let ends = rest.last().is_none_or(|step| step.then == Then::End);
        take_step(step, decides && reaches && ends && !step.negated, depth, found);
    }
}

fn take_step(step: &Step, decides: bool, depth: usize, found: &mut Vec<Part>) {
    let last = step.stages.len().saturating_sub(1);
    for (at, stage) in step.stages.iter().enumerate() {
        let decides = decides && at == last;
        match &stage.body {
            Body::Group(list) => take(list, decides, depth + 1, found),
            Body::Branches(list) => take(list, false, depth + 1, found),
            Body::None => {
                let (set, words) = unwrapped(&stage.words);
                match line_of_shell(&words).filter(|_| depth < 3) {
                    Some(line) => take(&parse(&line), decides, depth + 1, found),
                    None if words.is_empty() => {}
                    None => {
                        let writes = stage.file.as_deref().is_some_and(|file| file != "/dev/null");
                        found.push(Part { set, words, decides, writes });
                    }
                }
            }
        }
    }
}

/// The variables that are set, and the words without wrappers and their options.
fn unwrapped(words: &[String]) -> (Vec<String>, Vec<String>) {
    let mut rest = words;
    let mut set = Vec::new();
    loop {
        let Some((first, behind)) = rest.split_first() else { return (set, Vec::new()) };
        if is_assignment(first) {
            set.push(first.clone());
            rest = behind;
        } else if WRAPPERS.contains(&first.as_str()) {
            rest = behind;
        } else if first == "timeout" {
            let options = behind.iter().take_while(|word| word.starts_with('-')).count();
            rest = behind.get(options + 1..).unwrap_or_default();
        } else {
            return (set, rest.to_vec());
        }
    }
}

/// The command line inside `bash -lc '…'`.
fn line_of_shell(words: &[String]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    let shell = matches!(program.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash"));
    let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c')).filter(|_| shell)?;
    rest.get(at + 1).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> Vec<(String, bool)> {
        parts(line).iter().map(|part| (part.folded_text(), part.decides)).collect()
    }

    #[test]
    fn a_line_falls_into_what_it_runs() {
        for (line, expected) in [
            (
                "cd /w/shop && FOO=1 timeout 60 cargo test 2>&1",
                &[("cd …/shop", true), ("FOO=… cargo test", true)][..],
            ),
            ("pytest -q | tail -5", &[("pytest -q", false), ("tail -#", true)]),
            ("make; ls", &[("make", false), ("ls", true)]),
            (
                "git add a.rs && git commit -m 'fix: one two'",
                &[("git add a.rs", true), ("git commit -m '…'", true)],
            ),
            ("bash -lc 'npm test || true'", &[("npm test", false), ("true", true)]),
            ("make &", &[("make", false)]),
        ] {
            let expected: Vec<(String, bool)> =
                expected.iter().map(|(text, decides)| ((*text).to_owned(), *decides)).collect();
            assert_eq!(seen(line), expected, "{line}");
        }
    }
}
