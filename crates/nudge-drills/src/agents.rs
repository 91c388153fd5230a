//! `cargo xtask agents`: real agents with Nudge installed, each in its own home.
//!
//! The agents come from the npm registry into `target/agents`, at the versions whose formats were
//! measured. The model behind them is a script: a small server on this machine that calls the tools
//! named in a prompt. Nothing else of the agent is replaced. An agent that cannot be installed or
//! started is a failure, never a skipped run.

mod agent;
mod claude;
mod codex;
pub(crate) mod demo;
mod four;
mod hypotheses;
mod injected;
mod installed;
mod no_worse;
mod one_shot;
mod poison;
mod quoted;
mod recall;
mod spoken;
mod stated;
pub(crate) mod terminal;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use self::agent::Workspace;
use self::claude::Claude;
use self::codex::Codex;
use self::one_shot::{Copilot, OneShot, Opencode};
use self::poison::Route;
use crate::args::Product;
use crate::repository;
use crate::tokenizer::Tokenizer;

/// The versions whose hooks and files were measured.
const CLAUDE_VERSION: &str = "2.1.325";

const CODEX_VERSION: &str = "0.166.0";

const OPENCODE_VERSION: &str = "1.18.33";

const COPILOT_VERSION: &str = "1.0.102";

/// The Node version that the agents need; the system's own may be older.
const NODE_PACKAGE: (&str, &str) = ("node", "24.21.0");

/// A part that can be run alone.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Claude,
    Codex,
    Terminal,
    Stated,
    Four,
    Degraded,
    NoWorse,
}

/// The arguments.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(flatten)]
    product: Product,
    /// Runs one part.
    #[arg(long)]
    only: Option<Part>,
    /// Adds Copilot, and measures twenty sessions of each agent with Nudge and without.
    #[arg(long)]
    long: bool,
    /// Measures this many sessions of each agent with Nudge and without.
    #[arg(long, value_name = "N")]
    sessions: Option<usize>,
    #[command(subcommand)]
    story: Option<StoryCommand>,
}

#[derive(clap::Subcommand)]
enum StoryCommand {
    /// Plays a story of eight steps, and draws it.
    Demo(demo::Options),
}

impl Options {
    fn sessions(&self) -> usize {
        let usual = if self.long { no_worse::LONG_SESSIONS } else { no_worse::SHORT_SESSIONS };
        self.sessions.unwrap_or(usual)
    }

    fn wants(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }
}

/// Runs each agent, or the demo.
pub(crate) fn run(options: &Options) -> anyhow::Result<bool> {
    if let Some(StoryCommand::Demo(options)) = &options.story {
        return demo::run(options);
    }
    let binary = options.product.path()?;
    let agents = Agents::installed(options.long)?;
    // Everything else that needs a network is downloaded before the network is cut off.
    hypotheses::program()?;
    Tokenizer::installed()?;
    if let Some(passed) = enter()? {
        return Ok(passed);
    }
    let began = Instant::now();
    let mut violations = Vec::new();
    let Agents { claude, codex, .. } = &agents;
    if options.wants(Part::Claude) {
        violations.extend(installed::check(&binary, claude)?);
        violations.extend(recall::check(&binary, claude)?);
        violations.extend(recall::check_failures(&binary, claude)?);
        violations.extend(hypotheses::check(&binary, claude)?);
        violations.extend(poison::check(&binary, claude, &[Route::FileName, Route::Output])?);
    }
    if options.wants(Part::Terminal) {
        violations.extend(spoken::check(&binary, claude)?);
    }
    if options.wants(Part::Codex) {
        violations.extend(recall::check(&binary, codex)?);
        violations.extend(poison::check(&binary, codex, &[Route::Prompt, Route::Commit])?);
    }
    if options.wants(Part::Stated) {
        violations.extend(stated::check(&binary, claude, codex)?);
        violations.extend(stated::check_fact(&binary, claude, codex)?);
        violations.extend(quoted::check(&binary, claude, codex)?);
    }
    if options.wants(Part::Four) {
        violations.extend(four::check(&Workspace::new(&binary, "greeter")?, &agents.all())?);
    }
    if options.wants(Part::Degraded) {
        violations.extend(no_worse::check_broken(&binary, &agents.all())?);
    }
    if options.wants(Part::NoWorse) {
        violations.extend(no_worse::measure(&binary, &agents.all(), options.sessions())?);
    }
    for violation in &violations {
        println!("VIOLATION: {violation}");
    }
    if violations.is_empty() {
        println!("passed: {}, in {:.0} s", agents.names(), began.elapsed().as_secs_f64());
    }
    Ok(violations.is_empty())
}

/// The agents, at the versions that were measured.
struct Agents {
    claude: Claude,
    codex: Codex,
    opencode: Opencode,
    /// `None` except with `--long`.
    copilot: Option<Copilot>,
}

impl Agents {
    fn installed(long: bool) -> anyhow::Result<Self> {
        repository::packages(&repository::root().join("target/agents/node"), &[NODE_PACKAGE])?;
        let copilot = long.then(|| install("copilot", "@github/copilot", COPILOT_VERSION)).transpose()?;
        Ok(Self {
            claude: Claude::at(&install("claude", "@anthropic-ai/claude-code", CLAUDE_VERSION)?),
            codex: Codex::at(&install("codex", "@openai/codex", CODEX_VERSION)?),
            opencode: Opencode::at(&install("opencode", "opencode-ai", OPENCODE_VERSION)?),
            copilot: copilot.as_deref().map(Copilot::at),
        })
    }

    fn all(&self) -> Vec<&dyn OneShot> {
        let mut all: Vec<&dyn OneShot> = vec![&self.claude, &self.codex, &self.opencode];
        all.extend(self.copilot.as_ref().map(|copilot| copilot as &dyn OneShot));
        all
    }

    fn names(&self) -> String {
        let copilot =
            if self.copilot.is_some() { format!(", Copilot CLI {COPILOT_VERSION}") } else { String::new() };
        format!("Claude Code {CLAUDE_VERSION}, Codex {CODEX_VERSION}, opencode {OPENCODE_VERSION}{copilot}")
    }
}

/// The program of an agent. Every package contains a binary for each system, or is a script for
/// Node.
fn install(name: &str, package: &str, version: &str) -> anyhow::Result<PathBuf> {
    let dir = repository::root().join("target/agents").join(name);
    let program = repository::packages(&dir, &[(package, version)])?.join(".bin").join(name);
    let mut asked = Command::new(&program);
    // Some agents create files in the home whenever they start.
    asked.arg("--version").env("DISABLE_AUTOUPDATER", "1").env("HOME", &dir);
    one_shot::with_node(&mut asked);
    let said = repository::output_of(&mut asked);
    anyhow::ensure!(
        said.as_deref().is_some_and(|said| said.contains(version)),
        "{} says {said:?}, not {version} (remove target/agents to install it anew)",
        program.display()
    );
    Ok(program)
}

// A network namespace with this machine alone, so that no agent can reach anything else.

/// The variable that is set inside the namespace.
const INSIDE_VARIABLE: &str = "NUDGE_DRILL_INSIDE";

/// Runs this program again with the same arguments in its own network namespace; `None` when it is
/// already inside.
fn enter() -> anyhow::Result<Option<bool>> {
    if std::env::var_os(INSIDE_VARIABLE).is_some() {
        return Ok(None);
    }
    let program = std::env::current_exe()?;
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    let status = command
        .args(["--net", "--", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\""])
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(INSIDE_VARIABLE, "1")
        .status()
        .context("unshare is needed (Debian: util-linux)")?;
    Ok(Some(status.success()))
}
