//! `cargo xtask agents demo`: what Nudge does for a user of Claude Code and Codex, recorded live.
//!
//! Both agents are real; the model behind them is scripted. Each step is checked, and a step that
//! does not happen fails the demo. The recording is a picture.

mod history;
mod recording;
pub(crate) mod screen;
mod story;

use std::path::PathBuf;
use std::time::Instant;

use self::recording::Recording;
use self::story::Story;
use super::agent::Workspace;
use super::claude::Claude;
use super::codex::Codex;
use super::{CLAUDE_VERSION, CODEX_VERSION, install};
use crate::args::Product;
use crate::repository;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    product: Product,
    /// The directory for the picture.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the demo.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let binary = options.product.path()?;
    let out = options.out.clone().unwrap_or_else(|| repository::root().join("target/demo"));
    let began = Instant::now();
    let programs = [
        install("claude", "@anthropic-ai/claude-code", CLAUDE_VERSION)?,
        install("codex", "@openai/codex", CODEX_VERSION)?,
    ];
    let (claude, codex) = (Claude::at(&programs[0]), Codex::at(&programs[1]));
    let workspace = Workspace::new(&binary, "shop")?;
    history::add_to_path(&workspace, &programs)?;
    let recording = Recording::begin(&out, &workspace)?;
    let story = Story { workspace, claude: &claude, codex: &codex, recording, violations: Vec::new() };
    let violations = story.play()?;
    for violation in &violations {
        println!("VIOLATION: {violation}");
    }
    if violations.is_empty() {
        let seconds = began.elapsed().as_secs_f64();
        println!("passed: the demo, in {seconds:.0} s; the picture is in {}", out.display());
    }
    Ok(violations.is_empty())
}
