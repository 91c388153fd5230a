//! A run, the programs that make one, and how it can end.

use serde_json::{Value, json};

/// Where an observation keeps what a run came to.
pub(crate) const RUN: &str = "run";

/// A test or build run, as its command line and its output tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What ran; the last one where a line has several.
    pub runner: Runner,
    /// How it ended.
    pub verdict: Verdict,
    /// How many tests passed, as far as the output tells.
    pub passed: Option<u32>,
    /// How many tests failed, as far as the output tells.
    pub failed: Option<u32>,
    /// The runner's own line that tells the outcome, without escapes.
    pub line: Option<String>,
}

impl Run {
    /// What is kept of it.
    pub(crate) fn told(&self) -> Value {
        let mut told = json!({"runner": self.runner.name(), "verdict": self.verdict.name()});
        let counts = [("passed", self.passed), ("failed", self.failed)];
        for (name, count) in counts.into_iter().filter_map(|(name, count)| Some((name, count?))) {
            told[name] = json!(count);
        }
        if let Some(line) = &self.line {
            told["line"] = json!(line);
        }
        told
    }
}

/// How a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// All went well.
    Passed,
    /// Something failed.
    Failed,
    /// Neither is told.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Passed, Self::Failed, Self::Unknown];

    /// Its name, as it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    /// The verdict of a name.
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
    /// pytest, also by way of tox.
    Pytest,
    /// jest.
    Jest,
    /// vitest.
    Vitest,
    /// `go test`, `build` and `vet`.
    Go,
    /// `bun test` and scripts that bun runs.
    Bun,
    /// Scripts of npm, pnpm and yarn, and tools such as tsc and mocha.
    Npm,
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
    /// Its name, as it is stored.
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
            Self::Make => "make",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Dotnet => "dotnet",
            Self::Ctest => "ctest",
            Self::Rspec => "rspec",
        }
    }
}
