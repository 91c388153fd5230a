//! A run, the programs that can be run, and how a run can end.

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

/// How a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Everything passed.
    Passed,
    /// Something failed.
    Failed,
    /// Neither is certain.
    Unknown,
}

impl Verdict {
    /// All verdicts.
    pub(super) const ALL: [Self; 3] = [Self::Passed, Self::Failed, Self::Unknown];

    /// Its name, as stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The verdict with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// A program that tests or builds.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Runner {
    /// `cargo test`, `build`, `check` and `clippy`.
    Cargo,
    /// `cargo nextest run`.
    Nextest,
    /// pytest, on its own or through tox.
    Pytest,
    /// jest.
    Jest,
    /// vitest.
    Vitest,
    /// `go test`, `build` and `vet`.
    Go,
    /// `bun test` and scripts that bun runs.
    Bun,
    /// Scripts of npm, pnpm and yarn, and mocha.
    Npm,
    /// `node --test`.
    Node,
    /// tsc and vue-tsc.
    Tsc,
    /// eslint.
    Eslint,
    /// biome.
    Biome,
    /// unittest of Python, also behind Django.
    Unittest,
    /// ruff.
    Ruff,
    /// mypy.
    Mypy,
    /// golangci-lint.
    GolangciLint,
    /// Tasks of mise.
    Mise,
    /// Recipes of just.
    Just,
    /// make.
    Make,
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// `dotnet test` and `build`.
    Dotnet,
    /// ctest.
    Ctest,
    /// rspec.
    Rspec,
}

impl Runner {
    /// Its name, as stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
            Self::Pytest => "pytest",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Go => "go",
            Self::Bun => "bun",
            Self::Npm => "npm",
            Self::Node => "node",
            Self::Tsc => "tsc",
            Self::Eslint => "eslint",
            Self::Biome => "biome",
            Self::Unittest => "unittest",
            Self::Ruff => "ruff",
            Self::Mypy => "mypy",
            Self::GolangciLint => "golangci-lint",
            Self::Mise => "mise",
            Self::Just => "just",
            Self::Make => "make",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Dotnet => "dotnet",
            Self::Ctest => "ctest",
            Self::Rspec => "rspec",
        }
    }
}
