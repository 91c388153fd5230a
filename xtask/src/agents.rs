//! `cargo xtask agents`: real agents, with Nudge installed in them, in homes of their own.
//!
//! The agents come from the npm registry into `target/agents`, at the versions whose formats were measured. The model
//! behind them is a script: a small server on this machine that calls the tools a prompt tells it to. Nothing else of
//! the agent is replaced. What cannot be installed or started is a failure, never a skipped run.

mod claude;
mod files;
mod kept;
mod model;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::{npm, stage, tree};

/// The version whose hooks and files were measured.
const CLAUDE: &str = "2.1.325";

/// Runs each agent. `--bin PATH` takes a binary that is already built; `--only NAME` runs one agent.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let wish = Wish::read(args)?;
    let binary = match wish.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => stage::Programs::product()?,
    };
    let claude = install_claude()?;
    let violations = claude::walk(&binary, &claude)?;
    for violation in &violations {
        println!("VIOLATION: {violation}");
    }
    if violations.is_empty() {
        println!("passed: Claude Code {CLAUDE}, installed, used, uninstalled");
    }
    Ok(violations.is_empty())
}

/// The program of Claude Code. Its package carries a binary for each system; no Node is needed to run it.
fn install_claude() -> anyhow::Result<PathBuf> {
    let dir = tree::root().join("target/agents/claude");
    let packages = npm::packages(&dir, &[("@anthropic-ai/claude-code", CLAUDE)])?;
    let program = packages.join(".bin/claude");
    let said = npm::said(Command::new(&program).arg("--version").env("DISABLE_AUTOUPDATER", "1"));
    anyhow::ensure!(
        said.as_deref().is_some_and(|said| said.starts_with(CLAUDE)),
        "{} says {said:?}, not {CLAUDE} (remove target/agents to install it anew)",
        program.display()
    );
    Ok(program)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Wish {
    binary: Option<PathBuf>,
}

impl Wish {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut wish = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match (flag.as_str(), value.as_str()) {
                ("--bin", path) => wish.binary = Some(PathBuf::from(path)),
                ("--only", "claude") => {}
                ("--only", name) => anyhow::bail!("the agents here are: claude; not {name}"),
                _ => anyhow::bail!("agents takes --bin PATH and --only NAME, not {flag}"),
            }
        }
        Ok(wish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(args: &[&str]) -> anyhow::Result<Wish> {
        Wish::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_flags_are_read_and_others_refused() {
        let wanted = Wish { binary: Some("x/nudge".into()) };
        assert_eq!(wish(&["--bin", "x/nudge", "--only", "claude"]).expect("known flags"), wanted);
        assert!(wish(&["--only", "nobody"]).is_err());
        assert!(wish(&["--bin"]).is_err());
        assert!(wish(&["--fast", "1"]).is_err());
    }
}
