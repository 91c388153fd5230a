//! `cargo xtask agents demo`: what Nudge does for a person who uses Claude Code and Codex, recorded while it happens.
//!
//! Both agents are real; the model behind them is scripted. Each step is checked, and one that does not happen fails the
//! demo. The recording is an asciicast and a picture made from it.

mod cast;
mod history;
mod person;
mod recording;
mod restored;
mod screen;
mod shop;
mod story;
mod svg;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;

use self::recording::Recording;
use self::story::Story;
use super::agent::Desk;
use super::claude::Claude;
use super::codex::Codex;
use super::{CLAUDE, CODEX, install};
use crate::{repository, stage};

/// Plays it. `--bin PATH` takes a binary that is already built; `--out DIR` is where the recording goes.
pub(super) fn run(args: &[String]) -> anyhow::Result<bool> {
    let wish = Wish::read(args)?;
    let binary = match &wish.binary {
        Some(path) => path.canonicalize().with_context(|| format!("no binary at {}", path.display()))?,
        None => stage::Programs::product()?,
    };
    let began = Instant::now();
    let programs =
        [install("claude", "@anthropic-ai/claude-code", CLAUDE)?, install("codex", "@openai/codex", CODEX)?];
    let (claude, codex) = (Claude::at(&programs[0]), Codex::at(&programs[1]));
    let desk = Desk::new(&binary, "shop")?;
    person::equip(&desk, &programs)?;
    let recording = Recording::begin(&wish.out, &desk)?;
    let story = Story { desk, claude: &claude, codex: &codex, recording, wrong: Vec::new() };
    let wrong = story.play()?;
    for violation in &wrong {
        println!("VIOLATION: {violation}");
    }
    if wrong.is_empty() {
        let seconds = began.elapsed().as_secs_f64();
        println!("passed: the demo, in {seconds:.0} s; the recording is in {}", wish.out.display());
    }
    Ok(wrong.is_empty())
}

#[derive(Debug, PartialEq, Eq)]
struct Wish {
    binary: Option<PathBuf>,
    out: PathBuf,
}

impl Wish {
    fn read(args: &[String]) -> anyhow::Result<Self> {
        let mut wish = Self { binary: None, out: repository::root().join("target/demo") };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
            match flag.as_str() {
                "--bin" => wish.binary = Some(PathBuf::from(value)),
                "--out" => wish.out = PathBuf::from(value),
                _ => anyhow::bail!("agents demo takes --bin PATH and --out DIR, not {flag}"),
            }
        }
        Ok(wish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_are_read_and_others_refused() {
        let wish = |args: &[&str]| Wish::read(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
        let wanted = Wish { binary: Some("x/nudge".into()), out: "docs".into() };
        assert_eq!(wish(&["--bin", "x/nudge", "--out", "docs"]).expect("known flags"), wanted);
        assert!(wish(&[]).expect("none").out.ends_with("target/demo"));
        assert!(wish(&["--out"]).is_err() && wish(&["--only", "claude"]).is_err());
    }
}
