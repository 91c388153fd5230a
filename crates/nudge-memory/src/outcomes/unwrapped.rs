//! Finds the command that is really run, without wrappers: `sudo`, `timeout 60`, `npx` …

mod wrappers;

use wrappers::WRAPPERS;

/// Shells that accept a line with `-c`.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "fish"];

/// The maximum number of nested wrappers that are removed.
const MOST: usize = 10;

/// What a command really runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unwrapped<'a> {
    /// A program, by the last component of its path, and its arguments.
    Program(&'a str, &'a [String]),
    /// A shell with a line to run, and the options before the line.
    Line(&'a str, &'a [String]),
    /// A shell that reads the line from its standard input.
    Shell(&'a [String]),
}

/// Removes assignments and wrappers.
pub(crate) fn unwrapped(words: &[String]) -> Option<Unwrapped<'_>> {
    let mut words = words;
    for _ in 0..MOST {
        words = without_assignments(words);
        let (program, arguments) = words.split_first()?;
        let name = base_name(program);
        if SHELLS.contains(&name) {
            return Some(shell(arguments));
        }
        if name == "eval" {
            return arguments.first().map(|line| Unwrapped::Line(line, &[]));
        }
        if let Some(module) = module(name, arguments) {
            words = module;
            continue;
        }
        match WRAPPERS
            .iter()
            .filter(|wrapper| wrapper.name == name)
            .find_map(|wrapper| wrapper.inside(arguments))
        {
            Some(inside) if !inside.is_empty() => words = inside,
            _ => return Some(Unwrapped::Program(name, arguments)),
        }
    }
    None
}

/// The last component of a path, without the extension of Windows programs.
fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    [".exe", ".cmd", ".bat"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn without_assignments(words: &[String]) -> &[String] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    words.get(count..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+".contains(c))
    })
}

fn shell(arguments: &[String]) -> Unwrapped<'_> {
    let given = |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let Some(at) = arguments.iter().position(|word| given(&word)) else {
        let is_script = arguments.iter().any(|word| !word.starts_with('-') && word != "pipefail");
        return if is_script { Unwrapped::Program("", arguments) } else { Unwrapped::Shell(arguments) };
    };
    // `bash -c -e '…'` and `bash -co pipefail '…'` have options in between.
    let behind = arguments.get(at + 1..).unwrap_or_default();
    let options = behind.iter().take_while(|word| word.starts_with('-') || *word == "pipefail").count();
    let (before, line) = arguments.split_at((at + 1 + options).min(arguments.len()));
    line.first().map_or(Unwrapped::Shell(arguments), |line| Unwrapped::Line(line, before))
}

/// The words of `python -m pytest …`, starting at the module.
fn module<'a>(name: &str, arguments: &'a [String]) -> Option<&'a [String]> {
    let is_python =
        ["python", "python2", "python3", "pypy3", "py"].contains(&name) || name.starts_with("python3.");
    let at = arguments.iter().position(|word| word == "-m").filter(|_| is_python)?;
    let before = arguments.get(..at)?;
    if before
        .iter()
        .any(|word| !word.starts_with('-') && !["default", "error", "ignore", "dev"].contains(&word.as_str()))
    {
        return None;
    }
    arguments.get(at + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn wrappers_are_taken_off() {
        for (line, expected) in [
            ("cargo test", "cargo test"),
            ("A=1 B=x=y cargo test -p a", "cargo test -p a"),
            ("sudo -u me timeout -k 5 60 nice -n 19 env A=1 make test", "make test"),
            ("/usr/bin/time -f %e ./gradlew test", "gradlew test"),
            ("python3 -m pytest -q", "pytest -q"),
            ("python3.12 -W error -m pytest", "pytest"),
            ("python a.py -m x", "python a.py -m x"),
            ("uv run --with x --extra dev pytest -x", "pytest -x"),
            ("uv run -m pytest", "pytest"),
            ("uv --directory x run python -m pytest", "pytest"),
            ("poetry run coverage run --source a -m pytest", "pytest"),
            ("npx --yes -p a jest", "jest"),
            ("pnpm -F web exec vitest run", "vitest run"),
            ("pnpm test", "pnpm test"),
            ("bundle exec rspec", "rspec"),
            ("mise exec node@20 -- npm test", "npm test"),
            ("rtk cargo test", "cargo test"),
            ("rtk test npm test", "npm test"),
            ("docker compose -f a.yml exec -T web pytest", "pytest"),
            ("xargs -n 1 pytest", "pytest"),
            (".venv/bin/pytest", "pytest"),
        ] {
            let line = words(line);
            let Some(Unwrapped::Program(name, arguments)) = unwrapped(&line) else { panic!("{line:?}") };
            let found: Vec<&str> = [name].into_iter().chain(arguments.iter().map(String::as_str)).collect();
            assert_eq!(found.join(" "), expected);
        }
    }

    #[test]
    fn shells_have_lines_of_their_own() {
        let line: Vec<String> = ["bash", "-o", "pipefail", "-lc", "a | b"].map(str::to_owned).to_vec();
        assert_eq!(unwrapped(&line), Some(Unwrapped::Line("a | b", line.get(1..4).unwrap())));
        assert_eq!(unwrapped(&words("bash")), Some(Unwrapped::Shell(&[])));
        assert_eq!(unwrapped(&words("A=1")), None);
        let script = words("bash run.sh");
        assert!(matches!(unwrapped(&script), Some(Unwrapped::Program("", _))));
    }
}
