//! Scripts that npm, pnpm, yarn and bun run.

use super::super::run::Runner;
use super::{Task, operands};

/// Scripts that keep running, so they have no verdict.
const SERVING: [&str; 9] =
    ["dev", "start", "serve", "watch", "preview", "storybook", "develop", "format", "fmt"];

/// Names of scripts that build or test.
const SCRIPTS: [&str; 14] = [
    "test",
    "spec",
    "build",
    "compile",
    "check",
    "lint",
    "tsc",
    "verify",
    "typecheck",
    "types",
    "e2e",
    "ci",
    "unit",
    "coverage",
];

pub(super) fn bun(arguments: &[&str]) -> Option<Task> {
    let words = operands(arguments, &["--cwd", "--filter", "-F", "--env-file", "--config", "-c"]);
    match (*words.first()?, words.get(1).copied()) {
        ("test", _) => Some(Task::Test),
        ("build", _) => Some(Task::Build),
        ("run", Some(script)) => (is_script(script) && !script.contains('.')).then_some(Task::Script),
        (script, _) => is_called_so(script).then_some(Task::Script),
    }
}

/// Options of npm, pnpm and yarn that have a value.
const PACKAGES: [&str; 9] =
    ["--prefix", "-C", "--dir", "-F", "--filter", "-w", "--workspace", "--cwd", "--loglevel"];

pub(super) fn npm(arguments: &[&str]) -> Option<Task> {
    let words = operands(arguments, &PACKAGES);
    match (*words.first()?, words.get(1).copied()) {
        ("test" | "t" | "tst" | "it" | "install-test" | "cit", _) => Some(Task::Script),
        ("run" | "run-script" | "rum" | "urn", Some(script)) => is_script(script).then_some(Task::Script),
        _ => None,
    }
}

/// yarn and pnpm accept the names of scripts and tools without `run`.
pub(super) fn yarn(arguments: &[&str]) -> Option<(Runner, Task)> {
    // In pnpm, `-w` has no value.
    let valued: Vec<&str> = PACKAGES.iter().copied().filter(|option| *option != "-w").collect();
    let words = operands(arguments, &valued);
    let mut words = words.into_iter().peekable();
    if words.next_if_eq(&"workspace").is_some() {
        words.next();
    }
    if words.next_if_eq(&"workspaces").is_some() {
        words.next_if_eq(&"foreach");
    }
    let is_named = words.next_if(|word| matches!(*word, "run" | "run-script" | "recursive")).is_some();
    let script = words.next()?;
    match script {
        "jest" => Some((Runner::Jest, Task::Test)),
        "vitest" => Some((Runner::Vitest, Task::Test)),
        "test" | "t" | "tst" | "mocha" => Some((Runner::Npm, Task::Script)),
        script if is_named && is_script(script) => Some((Runner::Npm, Task::Script)),
        script => is_called_so(script).then_some((Runner::Npm, Task::Script)),
    }
}

/// Whether a script may test or build.
pub(super) fn is_script(name: &str) -> bool {
    !name.split([':', '-', '.']).any(|part| SERVING.contains(&part))
}

fn is_called_so(name: &str) -> bool {
    is_script(name)
        && !name.contains('/')
        && name.split([':', '-', '_', '.']).any(|part| SCRIPTS.contains(&part))
}
