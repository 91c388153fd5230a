//! What a call printed and how it ended.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::tidy;

/// The end of one call of the binary.
#[derive(Debug)]
pub struct Outcome {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    home: PathBuf,
}

impl Outcome {
    /// Reads the output of a process that ran in `home`.
    pub fn new(output: Output, home: PathBuf) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
            home,
        }
    }

    /// Requires success and returns standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    /// Requires success and parses standard output as one line of JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        one_line(&self.ok())
    }

    /// Requires this exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Requires this exit code and parses the error that `--json` prints.
    #[track_caller]
    pub fn fault(self, code: i32) -> Value {
        let outcome = self.exits(code);
        one_line(&outcome.stdout)
            .get("error")
            .cloned()
            .expect("a failure under --json prints an error object")
    }

    /// Everything the user sees, with paths, times and ids that change from run to run replaced.
    pub fn page(&self) -> String {
        let mut page = tidy::tidy(&self.stdout, &self.home);
        if !self.stderr.is_empty() {
            page.push_str("--- stderr\n");
            page.push_str(&tidy::tidy(&self.stderr, &self.home));
        }
        if self.code != Some(0) {
            let code = self.code.map_or("signal".to_owned(), |code| code.to_string());
            page.push_str(&format!("--- exit {code}\n"));
        }
        page
    }
}

#[track_caller]
fn one_line(text: &str) -> Value {
    assert_eq!(text.matches('\n').count(), 1, "not one line: {text:?}");
    assert!(text.ends_with('\n'), "not ended by a newline: {text:?}");
    serde_json::from_str(text).unwrap_or_else(|err| panic!("not JSON ({err}): {text}"))
}
