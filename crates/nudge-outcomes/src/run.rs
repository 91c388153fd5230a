//! A run, the programs that can be run, and how a run can end.

use nudge_core::named_enum;
use serde_json::{Value, json};

/// The metadata key of an observation's run.
pub const RUN: &str = "run";

/// A test or build run, as read from its command line and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The runner; the last one if a line has several.
    pub runner: Runner,
    /// How it ended.
    pub verdict: Verdict,
    /// How many tests passed, if the output says so.
    pub passed: Option<u32>,
    /// How many tests failed, if the output says so.
    pub failed: Option<u32>,
    /// The runner's own line with the result, without escapes.
    pub line: Option<String>,
}

impl Run {
    /// The run as stored.
    pub fn reported(&self) -> Value {
        let mut reported = json!({"runner": self.runner.name(), "verdict": self.verdict.name()});
        let counts = [("passed", self.passed), ("failed", self.failed)];
        for (name, count) in counts.into_iter().filter_map(|(name, count)| Some((name, count?))) {
            reported[name] = json!(count);
        }
        if let Some(line) = &self.line {
            reported["line"] = json!(line);
        }
        reported
    }
}

named_enum! {
    /// How a run ended.
    pub enum Verdict {
        /// Everything passed.
        Passed => "passed",
        /// Something failed.
        Failed => "failed",
        /// Neither is certain.
        Unknown => "unknown",
    }
}

named_enum! {
    /// A program that tests or builds.
    pub enum Runner {
        /// `cargo test`, `build`, `check` and `clippy`.
        Cargo => "cargo",
        /// `cargo nextest run`.
        Nextest => "nextest",
        /// pytest, on its own or through tox.
        Pytest => "pytest",
        /// jest.
        Jest => "jest",
        /// vitest.
        Vitest => "vitest",
        /// `go test`, `build` and `vet`.
        Go => "go",
        /// `bun test` and scripts that bun runs.
        Bun => "bun",
        /// Scripts of npm, pnpm and yarn, and mocha.
        Npm => "npm",
        /// `node --test`.
        Node => "node",
        /// tsc and vue-tsc.
        Tsc => "tsc",
        /// eslint.
        Eslint => "eslint",
        /// biome.
        Biome => "biome",
        /// unittest of Python, also behind Django.
        Unittest => "unittest",
        /// ruff.
        Ruff => "ruff",
        /// mypy.
        Mypy => "mypy",
        /// golangci-lint.
        GolangciLint => "golangci-lint",
        /// Tasks of mise.
        Mise => "mise",
        /// Recipes of just.
        Just => "just",
        /// make.
        Make => "make",
        /// Maven.
        Maven => "maven",
        /// Gradle.
        Gradle => "gradle",
        /// `dotnet test` and `build`.
        Dotnet => "dotnet",
        /// ctest.
        Ctest => "ctest",
        /// rspec.
        Rspec => "rspec",
    }
}
