//! `nudge ask`: a model answers a question from memory and the project's files. `nudge act`: it
//! also changes files and runs commands, and the user decides on each.

use std::path::PathBuf;

use clap::Args;
use nudge_agent::runs::{Act, Ask, AskParams, RunAccepted};
use nudge_core::{Fault, FaultKind};
use nudge_memory::operation::Op;
use nudge_server::sandbox;

use super::model;
use crate::exit::{Exit, Failure};
use crate::flags::FollowFlags;
use crate::follow::{can_ask, known, send};
use crate::input;
use crate::invocation::Invocation;

/// The end of the help page.
const EXAMPLES: &str = "\
The answer goes to standard output; what the model reads, its sources and its
cost go to standard error. Nothing is executed and no file is changed. A server
is started if none runs. Ctrl-C aborts the run, and `nudge run resume` goes on.

Exit code 3 means that the model found no answer, and 1 that the run failed.

Examples:
  nudge ask 'which port does the router use, and why?'
  nudge ask --run port 'and where is that tested?'
  git diff | nudge ask 'what could this break?' -";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct AskArgs {
    /// Question; - adds standard input
    #[arg(required = true)]
    prompt: Vec<String>,
    /// Model to ask [default: that of the run, or the only one there is]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    /// Run to continue, or the name of a new one
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Ask a copy of the run, and leave the run as it is
    #[arg(long, requires = "run")]
    fork: bool,
    /// File that says who the model is asked to be, for a new run
    #[arg(long, value_name = "FILE")]
    persona: Option<PathBuf>,
    /// Skill for the run: Markdown file, folder or zip; may be repeated
    #[arg(long = "skill", value_name = "PATH")]
    skills: Vec<PathBuf>,
    /// How freely the model chooses words, from 0 to 2
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = finite)]
    temperature: Option<f64>,
    /// Maximum tokens of a request [default: what the model can read]
    #[arg(long, value_name = "N")]
    context_limit: Option<u32>,
    /// Leave out the project's files
    #[arg(long)]
    no_repo: bool,
    /// Do not let the model ask you; implied without a terminal
    #[arg(long)]
    no_interaction: bool,
    /// Do not let the model search
    #[arg(long)]
    no_search: bool,
    #[command(flatten)]
    follow: FollowFlags,
}

/// The end of the help page of `act`.
const ACT_EXAMPLES: &str = "\
Each change of a file and each command is shown first. Keys: y accepts it, n
rejects it and stops, e edits it, r says why not and lets the model go on, a
accepts all edits of this run, p all commands of the same program. Accepted
commands run in a sandbox: they can read and change the project, and have no
network. `nudge review` decides from another terminal.

With --yolo everything that the sandbox keeps in is accepted.

Examples:
  nudge act 'make the failing test pass'
  nudge act --run port 'and rename it in the docs'";

#[derive(Debug, Args)]
#[command(after_long_help = ACT_EXAMPLES)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Accept everything that the sandbox keeps in; refused without a sandbox
    #[arg(long)]
    yolo: bool,
}

impl ActArgs {
    /// Lets the model act, and follows the run until it has an answer.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let yolo = self.yolo;
        if yolo {
            check_sandbox(invocation)?;
        }
        self.ask.send::<Act>(invocation, |params| AskParams { act: true, yolo, ..params })
    }
}

/// Rejects `--yolo` where nothing would keep commands in. The server checks it again.
fn check_sandbox(invocation: &Invocation) -> Result<(), Fault> {
    let settings = invocation.settings()?;
    let found = sandbox(&settings.runs);
    if found.is_full {
        return Ok(());
    }
    let why = format!("`--yolo` needs a whole sandbox, and here {}", found.sentence);
    Err(Fault::new(FaultKind::Forbidden, "no_sandbox", why)
        .next("run it without `--yolo`, and decide on each"))
}

impl AskArgs {
    /// Asks, and follows the run until it has an answer.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.send::<Ask>(invocation, |params| params)
    }

    fn send<O: Op<Params = AskParams, Answer = RunAccepted>>(
        self,
        invocation: &Invocation,
        with: impl FnOnce(AskParams) -> AskParams,
    ) -> Result<Exit, Failure> {
        let prompt = input::prompt(&self.prompt)?;
        // Checked here, so that no server starts for nothing.
        if prompt.trim().is_empty() {
            return Err(Fault::invalid("prompt", "the prompt is empty").into());
        }
        let persona = self.persona.as_deref().map(input::file).transpose()?;
        let known = self.run.as_deref().map(|run| known(invocation, run)).transpose()?.flatten();
        let model = model::chosen(invocation, self.model, known.is_some())?;
        let params = AskParams {
            prompt,
            model,
            run: self.run,
            fork: self.fork,
            temperature: self.temperature,
            persona,
            context_limit: self.context_limit,
            no_repo: self.no_repo,
            no_interaction: self.no_interaction || !can_ask(invocation),
            no_search: self.no_search,
            skills: self.skills.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            ..AskParams::default()
        };
        send::<O>(invocation, &with(params), self.follow, known.as_ref())
    }
}

/// A number that JSON can write.
pub(super) fn finite(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| "not a number".to_owned())
}
