//! Finds the command that is really run, without wrappers: `sudo`, `timeout 60`, `npx` …

use crate::shell::is_assignment;

/// Shells that accept a line with `-c`.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "fish"];

/// The maximum number of nested wrappers that are removed.
const MAX_WRAPPERS: usize = 10;

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
    for _ in 0..MAX_WRAPPERS {
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

fn shell(arguments: &[String]) -> Unwrapped<'_> {
    let given = |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let Some(at) = arguments.iter().position(|word| given(&word)) else {
        let is_script = arguments.iter().any(|word| !word.starts_with('-') && word != "pipefail");
        return if is_script { Unwrapped::Program("sh", arguments) } else { Unwrapped::Shell(arguments) };
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

// A table of commands that run another command.

/// A command that runs another command.
struct Wrapper {
    name: &'static str,
    /// The words that must follow its name, such as `run`; options may come before or after them.
    verbs: &'static [&'static str],
    /// Options with the next word as their value.
    valued: &'static [&'static str],
    /// How many words come before the command, such as the seconds of `timeout`.
    operands: usize,
}

const fn wrapper(
    name: &'static str,
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, verbs, valued, operands }
}

/// Options of `uv run` that have a value.
const UV_OPTIONS: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--only-group",
    "--no-group",
    "--directory",
    "--project",
    "--package",
    "--env-file",
    "--index",
    "--index-url",
    "--with-editable",
    "--with-requirements",
    "--from",
    "--isolated-from",
];

/// Options of `docker exec` and `docker run` that have a value.
const DOCKER_OPTIONS: &[&str] = &[
    "-e",
    "--env",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--name",
    "--env-file",
    "-f",
    "--file",
    "-p",
    "--network",
    "--entrypoint",
    "--profile",
    "--platform",
    "--mount",
];

const WRAPPERS: &[Wrapper] = &[
    wrapper("sudo", &[], &["-u", "-g", "-h", "-p", "-C", "-D", "--user", "--group"], 0),
    wrapper("doas", &[], &["-u", "-C"], 0),
    wrapper("env", &[], &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("timeout", &[], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("gtimeout", &[], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("time", &[], &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &[], &["-n", "--adjustment"], 0),
    wrapper("ionice", &[], &["-c", "-n", "--class", "--classdata"], 0),
    wrapper("chrt", &[], &[], 1),
    wrapper("taskset", &[], &[], 1),
    wrapper("stdbuf", &[], &["-i", "-o", "-e"], 0),
    wrapper("nohup", &[], &[], 0),
    wrapper("setsid", &[], &[], 0),
    wrapper("unbuffer", &[], &[], 0),
    wrapper("command", &[], &[], 0),
    wrapper("exec", &[], &["-a"], 0),
    wrapper("builtin", &[], &[], 0),
    wrapper("xvfb-run", &[], &["-s", "-n", "-e", "--server-args"], 0),
    wrapper("dbus-run-session", &[], &[], 0),
    wrapper("xargs", &[], &["-n", "-P", "-I", "-L", "-d", "-a", "-s", "-E"], 0),
    wrapper("cross-env", &[], &[], 0),
    wrapper("dotenv", &[], &["-e", "-f", "-c"], 0),
    wrapper("rtk", &["proxy"], &[], 0),
    wrapper("rtk", &["test"], &[], 0),
    wrapper("rtk", &["err"], &[], 0),
    wrapper("rtk", &[], &[], 0),
    wrapper("mise", &["exec"], &["-C", "--cd", "-j", "-E", "--env"], 0),
    wrapper("mise", &["x"], &["-C", "--cd", "-j", "-E", "--env"], 0),
    wrapper("asdf", &["exec"], &[], 0),
    wrapper("direnv", &["exec"], &[], 1),
    wrapper("nix", &["develop"], &[], 0),
    wrapper("npx", &[], &["-p", "--package", "-w", "--workspace", "-c", "--call", "--prefix"], 0),
    wrapper("bunx", &[], &["-p", "--package"], 0),
    wrapper("bun", &["x"], &["--cwd"], 0),
    wrapper("npm", &["exec"], &["-p", "--package", "-w", "--workspace", "--prefix"], 0),
    wrapper("npm", &["x"], &["-p", "--package", "-w", "--workspace", "--prefix"], 0),
    wrapper("pnpm", &["exec"], &["-C", "--dir", "-F", "--filter"], 0),
    wrapper("pnpm", &["dlx"], &["-C", "--dir", "-F", "--filter", "--package"], 0),
    wrapper("yarn", &["exec"], &["--cwd"], 0),
    wrapper("yarn", &["dlx"], &["--cwd", "-p", "--package"], 0),
    wrapper("uv", &["run"], UV_OPTIONS, 0),
    wrapper("uv", &["tool", "run"], UV_OPTIONS, 0),
    wrapper("uvx", &[], UV_OPTIONS, 0),
    wrapper("pipx", &["run"], &["--spec"], 0),
    wrapper("poetry", &["run"], &["-C", "--directory", "-P", "--project"], 0),
    wrapper("pipenv", &["run"], &[], 0),
    wrapper("pdm", &["run"], &["-p", "--project"], 0),
    wrapper("hatch", &["run"], &["-e", "--env"], 0),
    wrapper("rye", &["run"], &[], 0),
    wrapper("pixi", &["run"], &["-e", "--environment", "--manifest-path"], 0),
    wrapper("conda", &["run"], &["-n", "--name", "-p", "--prefix", "--cwd"], 0),
    wrapper("micromamba", &["run"], &["-n", "--name", "-p", "--prefix", "--cwd"], 0),
    wrapper("coverage", &["run"], &["--source", "--omit", "--include", "--rcfile", "--data-file"], 0),
    wrapper("bundle", &["exec"], &[], 0),
    wrapper("docker", &["compose", "exec"], DOCKER_OPTIONS, 1),
    wrapper("docker", &["compose", "run"], DOCKER_OPTIONS, 1),
    wrapper("docker-compose", &["exec"], DOCKER_OPTIONS, 1),
    wrapper("docker-compose", &["run"], DOCKER_OPTIONS, 1),
    wrapper("docker", &["exec"], DOCKER_OPTIONS, 1),
    wrapper("docker", &["run"], DOCKER_OPTIONS, 1),
    wrapper("podman", &["exec"], DOCKER_OPTIONS, 1),
    wrapper("podman", &["run"], DOCKER_OPTIONS, 1),
];

impl Wrapper {
    /// The words of the wrapped command.
    fn inside<'a>(&self, arguments: &'a [String]) -> Option<&'a [String]> {
        let mut rest = arguments;
        for verb in self.verbs {
            rest = self.without_options(rest);
            let (first, behind) = rest.split_first()?;
            if first != verb {
                return None;
            }
            rest = behind;
        }
        rest = self.without_options(rest);
        if self.takes_tools() {
            let behind = rest.iter().position(|word| word == "--").map(|at| at + 1);
            rest = rest.get(behind.unwrap_or(0)..).unwrap_or_default();
        }
        let rest = rest.get(self.operands..).unwrap_or_default();
        Some(match rest.split_first() {
            Some((first, behind)) if matches!(first.as_str(), "-m" | "--module" | "--") => behind,
            _ => rest,
        })
    }

    /// `mise exec node@20 -- npm test` and `nix develop -c make` name other things first.
    fn takes_tools(&self) -> bool {
        matches!(self.name, "mise" | "nix" | "dotenv")
    }

    fn without_options<'a>(&self, words: &'a [String]) -> &'a [String] {
        let mut rest = words;
        while let Some((first, behind)) = rest.split_first() {
            // In `uv run -m pytest`, the module is the command.
            if !first.starts_with('-') || matches!(first.as_str(), "-m" | "--module" | "--") {
                break;
            }
            let values = usize::from(self.valued.contains(&first.as_str()));
            rest = behind.get(values..).unwrap_or_default();
        }
        rest
    }
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
        assert!(matches!(unwrapped(&script), Some(Unwrapped::Program("sh", _))));
    }
}
