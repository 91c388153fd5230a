//! One parser for each tool that prints summaries. Each knows only the tool's own lines, in the
//! places where the tool prints them.

mod builds;
mod checkers;
mod dotnet;
mod go;
mod javascript;
mod jvm;
mod python;
mod rspec;
mod rust;

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
const ALL_TOOLS: &[Tool] = &[
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
        Runner::Bun | Runner::Npm | Runner::Make | Runner::Mise | Runner::Just => ALL_TOOLS,
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
            Self::Nextest => rust::read_nextest(lines),
            Self::Cargo => rust::read_cargo(lines, runs.in_script),
            Self::CargoBuild => rust::read_cargo_builds(lines),
            Self::Pytest => python::read_pytest(lines, runs.most),
            Self::Tox => python::read_tox(lines),
            Self::Jest => javascript::read_jest(lines),
            Self::Vitest => javascript::read_vitest(lines),
            Self::Mocha => javascript::read_mocha(lines),
            Self::Playwright => javascript::read_playwright(lines),
            Self::Bun => javascript::read_bun(lines),
            Self::Tsc => checkers::read_tsc(lines),
            Self::Eslint => checkers::read_eslint(lines),
            Self::Biome => checkers::read_biome(lines),
            Self::Unittest => python::read_unittest(lines),
            Self::Ruff => checkers::read_ruff(lines),
            Self::Mypy => checkers::read_mypy(lines),
            Self::Builds => builds::read_bundlers(lines),
            Self::Scripts => builds::read_scripts(lines),
            Self::Go => go::read(lines),
            Self::GolangciLint => checkers::read_golangci_lint(lines),
            Self::Maven => jvm::read_maven(lines),
            Self::Gradle => jvm::read_gradle(lines),
            Self::Dotnet => dotnet::read(lines),
            Self::Ctest => builds::read_ctest(lines),
            Self::Rspec => rspec::read(lines),
            Self::Make => builds::read_make(lines, runs.ignore_failures),
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

/// Whether the runner of a call prints this line, which shows that it ran, not how it ended.
pub(crate) fn is_trace(call: Call, line: &str) -> bool {
    let text = line.trim_start();
    let begins = |begins: &[&str]| begins.iter().any(|begin| text.starts_with(begin));
    match call.runner {
        Runner::Cargo | Runner::Nextest => begins(&[
            "Compiling ",
            "Checking ",
            "Finished ",
            "Running ",
            "Doc-tests ",
            "Blocking waiting for file lock",
            "running ",
            "test ",
            "failures:",
            "error[E",
        ]),
        Runner::Pytest => begins(&["===", "collected ", "collecting ", "FAILED ", "ERROR ", "E  ", "ROOT: "]),
        Runner::Jest => begins(&["PASS ", "FAIL ", "● ", "✓ ", "✕ ", "Test Suites:", "No tests found"]),
        Runner::Vitest => {
            begins(&["RUN  v", "✓ ", "❯ ", "× ", "FAIL  ", "Test Files  ", "No test files found"])
        }
        Runner::Go => begins(&["ok  \t", "FAIL", "--- ", "=== RUN", "?   \t", "# ", "panic: "]),
        Runner::Bun | Runner::Npm => {
            begins(&["> ", "$ ", "npm ERR!", "npm error", "bun test v", "ELIFECYCLE"])
        }
        Runner::Node => begins(&["✔ ", "✖ ", "▶ ", "ℹ ", "TAP version ", "# "]),
        Runner::Tsc | Runner::Eslint | Runner::Biome | Runner::Ruff | Runner::Mypy => false,
        Runner::Unittest => begins(&["Ran ", "FAIL: ", "ERROR: ", "Traceback (most", "Found "]),
        Runner::GolangciLint => begins(&["level="]),
        Runner::Mise => begins(&["$ ", "mise ", "["]),
        Runner::Just => begins(&["error: Recipe ", "error: recipe "]),
        Runner::Make => begins(&["make: ", "make[", "gmake: ", "gmake["]),
        Runner::Maven => begins(&["[INFO] ", "[ERROR] "]),
        Runner::Gradle => begins(&["> Task ", "> Configure ", "FAILURE: ", "BUILD ", "* What went wrong:"]),
        Runner::Dotnet => begins(&["Determining projects to restore", "Restore ", "Starting test execution"]),
        Runner::Ctest => begins(&["Test project ", "Start ", "No tests were found"]),
        Runner::Rspec => begins(&["Failures:", "Finished in ", "rspec ./", "Failed examples:"]),
    }
}
