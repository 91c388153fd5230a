//! `cargo xtask agents`: real agents, with Nudge installed in them, in homes of their own.
//!
//! The agents come from the npm registry into `target/agents`, at the versions whose formats were measured. The model
//! behind them is a script: a small server on this machine that calls the tools a prompt tells it to. Nothing else of
//! the agent is replaced. What cannot be installed or started is a failure, never a skipped run.

mod agent;
mod asked;
mod attended;
mod claude;
mod codex;
mod dialogue;
mod ended;
mod failed;
mod files;
mod installed;
mod kept;
mod living;
mod model;
mod poison;
mod pytest;
mod recall;
mod requests;
mod spoken;
mod stated;
mod terminal;
mod told;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use self::claude::Claude;
use self::codex::Codex;
use self::poison::Way;
use crate::{npm, repository, stage};

/// The versions whose hooks and files were measured.
const CLAUDE: &str = "2.1.325";
const CODEX: &str = "0.166.0";

/// Runs each agent. `--bin PATH` takes a binary that is already built; `--only NAME` runs one agent, `terminal` or `stated` alone.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let wish = Wish::read(args)?;
    let binary = match &wish.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => stage::Programs::product()?,
    };
    let began = Instant::now();
    let mut violations = Vec::new();
    let mut ran = Vec::new();
    if wish.wants("claude") {
        ran.push(format!("Claude Code {CLAUDE}"));
        let claude = Claude::at(&install("claude", "@anthropic-ai/claude-code", CLAUDE)?);
        violations.extend(installed::walk(&binary, &claude)?);
        violations.extend(recall::walk(&binary, &claude)?);
        violations.extend(failed::walk(&binary, &claude)?);
        violations.extend(living::walk(&binary, &claude)?);
        violations.extend(poison::walk(&binary, &claude, &[Way::FileName, Way::Output])?);
    }
    if wish.wants("terminal") {
        ran.push(format!("Claude Code {CLAUDE} in a terminal"));
        let claude = Claude::at(&install("claude", "@anthropic-ai/claude-code", CLAUDE)?);
        violations.extend(spoken::walk(&binary, &claude)?);
    }
    if wish.wants("codex") {
        ran.push(format!("Codex {CODEX}"));
        let codex = Codex::at(&install("codex", "@openai/codex", CODEX)?, &binary);
        violations.extend(recall::walk(&binary, &codex)?);
        violations.extend(poison::walk(&binary, &codex, &[Way::Prompt, Way::Commit])?);
    }
    if wish.wants("stated") {
        ran.push("a rule and a fact between both".to_owned());
        let claude = Claude::at(&install("claude", "@anthropic-ai/claude-code", CLAUDE)?);
        let codex = Codex::at(&install("codex", "@openai/codex", CODEX)?, &binary);
        violations.extend(stated::walk(&binary, &claude, &codex)?);
        violations.extend(asked::walk(&binary, &claude, &codex)?);
    }
    for violation in &violations {
        println!("VIOLATION: {violation}");
    }
    if violations.is_empty() {
        println!("passed: {}, in {:.0} s", ran.join(" and "), began.elapsed().as_secs_f64());
    }
    Ok(violations.is_empty())
}

/// The program of an agent. Both packages carry a binary for each system.
fn install(name: &str, package: &str, version: &str) -> anyhow::Result<PathBuf> {
    let dir = repository::root().join("target/agents").join(name);
    let program = npm::packages(&dir, &[(package, version)])?.join(".bin").join(name);
    let said = npm::said(Command::new(&program).arg("--version").env("DISABLE_AUTOUPDATER", "1"));
    anyhow::ensure!(
        said.as_deref().is_some_and(|said| said.contains(version)),
        "{} says {said:?}, not {version} (remove target/agents to install it anew)",
        program.display()
    );
    Ok(program)
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
            match (flag.as_str(), value.as_str()) {
                ("--bin", path) => wish.binary = Some(PathBuf::from(path)),
                ("--only", name @ ("claude" | "codex" | "terminal" | "stated")) => {
                    wish.only = Some(name.to_owned())
                }
                ("--only", name) => anyhow::bail!(
                    "the agents here are: claude, codex, terminal for Claude Code in one, and stated for a rule and a fact between both; not {name}"
                ),
                _ => anyhow::bail!("agents takes --bin PATH and --only NAME, not {flag}"),
            }
        }
        Ok(wish)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
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
        let wanted = Wish { binary: Some("x/nudge".into()), only: Some("codex".into()) };
        assert_eq!(wish(&["--bin", "x/nudge", "--only", "codex"]).expect("known flags"), wanted);
        assert!(wanted.wants("codex") && !wanted.wants("claude") && Wish::default().wants("claude"));
        assert!(wish(&["--only", "nobody"]).is_err());
        assert!(wish(&["--bin"]).is_err());
        assert!(wish(&["--fast", "1"]).is_err());
    }
}
