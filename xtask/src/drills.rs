//! `cargo xtask drill|bench|fuzz|clients|agents|models`: passed on to `nudge-drills`, which is
//! built on
//! demand.

use std::process::{Command, ExitCode};

use anyhow::Context;

/// Runs the command in `nudge-drills` and exits with its status.
pub(crate) fn run(args: &[String]) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut drills = Command::new(cargo);
    drills.args(["run", "--quiet", "--package", "nudge-drills", "--"]).args(args);
    let status = drills.status().context("cargo cannot be started")?;
    Ok(code(status.code()))
}

/// A program that was ended by a signal has no exit code.
fn code(code: Option<i32>) -> ExitCode {
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_the_drills_is_ours() {
        assert_eq!(code(Some(0)), ExitCode::SUCCESS);
        assert_eq!(code(Some(2)), ExitCode::from(2));
        assert_eq!(code(None), ExitCode::FAILURE);
    }
}
