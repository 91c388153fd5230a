//! `cargo xtask clients`: other people's MCP clients against the built binary.
//!
//! The suites are Python files under `tests/clients`. This command builds the binary, installs the
//! clients into `target/clients` at fixed versions, and runs every suite. A client that cannot be
//! installed is a failure, never a skipped suite.

mod install;
mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::repository;
use crate::stage::Programs;

/// Builds, installs and runs. `--bin PATH` uses a binary that is already built; `--only WORD` runs
/// the tests with that word in their names.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let flags = Flags::read(args)?;
    let binary = match flags.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => Programs::product()?,
    };
    let clients = install::clients(&repository::root().join("target/clients"))?;
    suite::run(&binary, &clients, flags.only.as_deref())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Flags {
    binary: Option<PathBuf>,
    only: Option<String>,
}

impl Flags {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut flags = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--bin" => flags.binary = Some(PathBuf::from(value)),
                "--only" => flags.only = Some(value.clone()),
                _ => anyhow::bail!("clients takes --bin PATH and --only WORD, not {flag}"),
            }
        }
        Ok(flags)
    }
}

/// Runs a command to its end; an exit other than success is an error that names the command.
fn done(command: &mut Command) -> anyhow::Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    anyhow::ensure!(status.success(), "{name} failed ({status}): {command:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(args: &[&str]) -> anyhow::Result<Flags> {
        Flags::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_flags_are_read_and_others_refused() {
        let wanted = Flags { binary: Some("x/nudge".into()), only: Some("stdio".into()) };
        assert_eq!(flags(&["--bin", "x/nudge", "--only", "stdio"]).expect("known flags"), wanted);
        assert!(flags(&["--bin"]).is_err());
        assert!(flags(&["--fast", "1"]).is_err());
    }
}
