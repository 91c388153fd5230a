//! `cargo xtask agents demo`: what Nudge does for a user of Claude Code and Codex, recorded live.
//!
//! Both agents are real; the model behind them is scripted. Each step is checked, and a step that
//! does not happen fails the demo. The recording is a picture.

mod history;
mod recording;
pub(crate) mod screen;
mod story;
pub(crate) mod svg;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;

use self::recording::Recording;
use self::story::Story;
use super::agent::Workspace;
use super::claude::Claude;
use super::codex::Codex;
use super::{CLAUDE, CODEX, install};
use crate::{repository, stage};

/// Runs the demo. `--bin PATH` uses a binary that is already built; `--out DIR` is the directory
/// for the recording.
pub(super) fn run(args: &[String]) -> anyhow::Result<bool> {
    let flags = Flags::read(args)?;
    let binary = match &flags.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => stage::Programs::product()?,
    };
    let began = Instant::now();
    let programs =
        [install("claude", "@anthropic-ai/claude-code", CLAUDE)?, install("codex", "@openai/codex", CODEX)?];
    let (claude, codex) = (Claude::at(&programs[0]), Codex::at(&programs[1]));
    let workspace = Workspace::new(&binary, "shop")?;
    history::add_to_path(&workspace, &programs)?;
    let recording = Recording::begin(&flags.out, &workspace)?;
    let story = Story { workspace, claude: &claude, codex: &codex, recording, wrong: Vec::new() };
    let wrong = story.play()?;
    for violation in &wrong {
        println!("VIOLATION: {violation}");
    }
    if wrong.is_empty() {
        let seconds = began.elapsed().as_secs_f64();
        println!("passed: the demo, in {seconds:.0} s; the recording is in {}", flags.out.display());
    }
    Ok(wrong.is_empty())
}

#[derive(Debug, PartialEq, Eq)]
struct Flags {
    binary: Option<PathBuf>,
    out: PathBuf,
}

impl Flags {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut flags = Self { binary: None, out: repository::root().join("target/demo") };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--bin" => flags.binary = Some(PathBuf::from(value)),
                "--out" => flags.out = PathBuf::from(value),
                _ => anyhow::bail!("agents demo takes --bin PATH and --out DIR, not {flag}"),
            }
        }
        Ok(flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_are_read_and_others_refused() {
        let flags =
            |args: &[&str]| Flags::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
        let wanted = Flags { binary: Some("x/nudge".into()), out: "docs".into() };
        assert_eq!(flags(&["--bin", "x/nudge", "--out", "docs"]).expect("known flags"), wanted);
        assert!(flags(&[]).expect("none").out.ends_with("target/demo"));
        assert!(flags(&["--out"]).is_err() && flags(&["--only", "claude"]).is_err());
    }
}
