//! One parser for each tool that prints summaries. Each knows only the tool's own lines, in the
//! places where the tool prints them.

mod biome;
mod builds;
mod bun;
mod cargo;
mod ctest;
mod dotnet;
mod eslint;
mod go;
mod golangci_lint;
mod gradle;
mod jest;
mod make;
mod maven;
mod mocha;
mod mypy;
mod nextest;
mod playwright;
mod pytest;
mod rspec;
mod ruff;
mod scripts;
mod tox;
mod traces;
mod tsc;
mod unittest;
mod vitest;

pub(crate) use traces::is_trace;

use super::reading::Reading;
use super::run::Runner;
use super::runner::{Call, Task};

/// A tool that prints summaries.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Nextest,
    Cargo,
    /// cargo under nextest, which has its own summaries.
    CargoBuild,
    Pytest,
    /// pytest in the environments of tox.
    Tox,
    Jest,
    Vitest,
    Mocha,
    Playwright,
    Bun,
    Tsc,
    Eslint,
    Biome,
    Unittest,
    Ruff,
    Mypy,
    Builds,
    Scripts,
    Go,
    GolangciLint,
    Maven,
    Gradle,
    Dotnet,
    Ctest,
    Rspec,
    Make,
}

/// Tools that scripts and makefiles run.
const ALL: &[Tool] = &[
    Tool::Nextest,
    Tool::Cargo,
    Tool::Pytest,
    Tool::Jest,
    Tool::Vitest,
    Tool::Mocha,
    Tool::Playwright,
    Tool::Bun,
    Tool::Tsc,
    Tool::Eslint,
    Tool::Biome,
    Tool::Unittest,
    Tool::Ruff,
    Tool::Mypy,
    Tool::Builds,
    Tool::Scripts,
    Tool::Go,
    Tool::GolangciLint,
    Tool::Maven,
    Tool::Gradle,
    Tool::Dotnet,
    Tool::Ctest,
    Tool::Rspec,
    Tool::Make,
];

/// What is known about the runs besides their output.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Runs {
    /// The maximum number of summaries.
    pub(crate) most: usize,
    /// Other tools may have printed to the same output.
    pub(crate) in_script: bool,
    /// Failures are ignored, and reported differently.
    pub(crate) ignore_failures: bool,
}

/// The tools that may have printed the output of a run.
pub(crate) fn tools(call: Call) -> &'static [Tool] {
    match call.runner {
        Runner::Cargo => &[Tool::Cargo],
        Runner::Nextest => &[Tool::Nextest, Tool::CargoBuild],
        Runner::Pytest if call.task == Task::Script => &[Tool::Tox],
        Runner::Pytest => &[Tool::Pytest],
        Runner::Jest => &[Tool::Jest, Tool::Scripts],
        Runner::Vitest => &[Tool::Vitest, Tool::Scripts],
        Runner::Go => &[Tool::Go],
        Runner::Bun if call.task == Task::Test => &[Tool::Bun],
        Runner::Bun | Runner::Npm | Runner::Make | Runner::Mise | Runner::Just => ALL,
        Runner::Node => &[Tool::Mocha],
        Runner::Tsc => &[Tool::Tsc, Tool::Scripts],
        Runner::Eslint => &[Tool::Eslint, Tool::Scripts],
        Runner::Biome => &[Tool::Biome, Tool::Scripts],
        Runner::Unittest => &[Tool::Unittest],
        Runner::Ruff => &[Tool::Ruff],
        Runner::Mypy => &[Tool::Mypy],
        Runner::GolangciLint => &[Tool::GolangciLint],
        Runner::Maven => &[Tool::Maven],
        Runner::Gradle => &[Tool::Gradle],
        Runner::Dotnet => &[Tool::Dotnet],
        Runner::Ctest => &[Tool::Ctest],
        Runner::Rspec => &[Tool::Rspec],
    }
}

impl Tool {
    /// Parses the tool's lines.
    pub(crate) fn read(self, lines: &[&str], runs: Runs) -> Reading {
        match self {
            Self::Nextest => nextest::read(lines),
            Self::Cargo => cargo::read(lines, runs.in_script),
            Self::CargoBuild => cargo::read_builds(lines),
            Self::Pytest => pytest::read(lines, runs.most),
            Self::Tox => tox::read(lines),
            Self::Jest => jest::read(lines),
            Self::Vitest => vitest::read(lines),
            Self::Mocha => mocha::read(lines),
            Self::Playwright => playwright::read(lines),
            Self::Bun => bun::read(lines),
            Self::Tsc => tsc::read(lines),
            Self::Eslint => eslint::read(lines),
            Self::Biome => biome::read(lines),
            Self::Unittest => unittest::read(lines),
            Self::Ruff => ruff::read(lines),
            Self::Mypy => mypy::read(lines),
            Self::Builds => builds::read(lines),
            Self::Scripts => scripts::read(lines),
            Self::Go => go::read(lines),
            Self::GolangciLint => golangci_lint::read(lines),
            Self::Maven => maven::read(lines),
            Self::Gradle => gradle::read(lines),
            Self::Dotnet => dotnet::read(lines),
            Self::Ctest => ctest::read(lines),
            Self::Rspec => rspec::read(lines),
            Self::Make => make::read(lines, runs.ignore_failures),
        }
    }
}

/// Runs a parser on test cases.
#[cfg(test)]
fn check(parser: impl Fn(&[&str]) -> Reading, cases: &[(&str, &str)]) {
    for (output, expected) in cases {
        let lines: Vec<&str> = output.lines().collect();
        let reading = parser(&lines);
        let success = reading.success(Task::Script);
        let verdict = match (&reading, success) {
            (reading, _) if reading.sure => "failed",
            (reading, success)
                if reading.likely.max(reading.doubtful) > success.map(|success| success.at) =>
            {
                "likely"
            }
            (_, Some(_)) => "passed",
            _ => "unknown",
        };
        let line = reading.failure().map(|(_, line)| line).filter(|_| verdict != "passed");
        let line = line.or(success.map(|success| success.line.as_str())).unwrap_or("-");
        let count = |count: Option<u32>| count.map_or("-".to_owned(), |count| count.to_string());
        let found = format!("{verdict} {} {} {line}", count(reading.passed), count(reading.failed));
        assert_eq!(&found, expected, "{output}");
    }
}
