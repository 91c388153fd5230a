//! A finding of a check: where, what is wrong, and the fix.

use std::fmt;

/// One violation. Every finding says what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Path relative to the repository's root.
    pub(crate) path: String,
    /// One-based; 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) problem: String,
    pub(crate) way_out: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        line: usize,
        problem: impl Into<String>,
        way_out: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), line, problem: problem.into(), way_out: way_out.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}\n    way out: {}", self.problem, self.way_out)
    }
}

/// Prints every finding and returns whether there was none.
pub(crate) fn all_clear(findings: &[Finding]) -> bool {
    for finding in findings {
        eprintln!("{finding}");
    }
    findings.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_as_place_problem_and_way_out() {
        let finding = Finding::new("a.rs", 3, "no header", "add one");
        assert_eq!(finding.to_string(), "a.rs:3: no header\n    way out: add one");
    }

    #[test]
    fn findings_are_not_all_clear() {
        assert!(!all_clear(&[Finding::new("a.rs", 0, "too long", "split it")]));
        assert!(all_clear(&[]));
    }
}
