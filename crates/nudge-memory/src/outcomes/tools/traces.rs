//! Lines that only show that a runner ran, not how it ended.

use super::super::run::Runner;
use super::super::runner::Call;

/// Whether the runner of a call prints this line.
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
