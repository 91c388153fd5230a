//! `cargo xtask clients`: other people's MCP clients against the built binary.
//!
//! The suites are Python files under `tests/clients`; this command builds the binary, installs the clients
//! into `target/clients` at fixed versions, and runs every suite. A client that cannot be installed is a
//! failure, never a skipped suite.

mod install;
mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::repository;

/// Builds, installs and runs. `--bin PATH` takes a binary that is already built; `--only WORD` runs the tests
/// whose name holds that word.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let wish = Wish::read(args)?;
    let binary = match wish.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => build()?,
    };
    let clients = install::clients(&repository::root().join("target/clients"))?;
    suite::run(&binary, &clients, wish.only.as_deref())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Wish {
    binary: Option<PathBuf>,
    only: Option<String>,
}

impl Wish {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut wish = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--bin" => wish.binary = Some(PathBuf::from(value)),
                "--only" => wish.only = Some(value.clone()),
                _ => anyhow::bail!("clients takes --bin PATH and --only WORD, not {flag}"),
            }
        }
        Ok(wish)
    }
}

fn build() -> anyhow::Result<PathBuf> {
    println!("clients: building the binary");
    let root = repository::root();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--profile", "ci", "--package", "nudge-cli", "--bin", "nudge"]);
    done(command.current_dir(&root))?;
    Ok(root.join("target/ci/nudge"))
}

/// Runs a command to its end; anything but success is an error that names it.
fn done(command: &mut Command) -> anyhow::Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    anyhow::ensure!(status.success(), "{name} failed ({status}): {command:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(args: &[&str]) -> anyhow::Result<Wish> {
        Wish::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_flags_are_read_and_others_refused() {
        let wanted = Wish { binary: Some("x/nudge".into()), only: Some("stdio".into()) };
        assert_eq!(wish(&["--bin", "x/nudge", "--only", "stdio"]).expect("known flags"), wanted);
        assert!(wish(&["--bin"]).is_err());
        assert!(wish(&["--fast", "1"]).is_err());
    }
}
