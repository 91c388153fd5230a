//! Input that no user would type: damaged files, hostile names, extreme numbers.

mod imports;
mod names;
mod stdio;
mod values;

use nudge_testkit::{Outcome, TestHome};

/// A fresh home with the binary of this build.
fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}

/// Asserts that the program exited with one of its own codes and did not panic.
#[track_caller]
fn orderly(outcome: Outcome) -> Outcome {
    assert!(outcome.code.is_some_and(|code| code <= 6), "{outcome:?}");
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{outcome:?}");
    }
    outcome
}
