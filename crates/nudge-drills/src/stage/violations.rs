//! The violations that a drill found.

use std::fmt::Display;

/// Violations, in the order they were found.
#[derive(Debug, Default)]
pub(crate) struct Violations(Vec<String>);

impl Violations {
    /// Records a violation unless `holds` is true.
    pub(crate) fn unless(&mut self, holds: bool, otherwise: impl Display) {
        if !holds {
            self.0.push(otherwise.to_string());
        }
    }

    /// The violations so far.
    #[cfg(test)]
    pub(crate) fn list(&self) -> &[String] {
        &self.0
    }

    /// Prints the violations and returns whether there is no violation.
    pub(crate) fn close(self, shown: &str) -> bool {
        for violation in &self.0 {
            println!("VIOLATION: {violation}");
        }
        if self.0.is_empty() {
            println!("passed: {shown}");
        }
        self.0.is_empty()
    }
}
