//! `nudge run`: the runs of models in a project.

use clap::{Args, Subcommand};
use nudge_agent::runs::{
    AbortRun, Ask, AskParams, ForkRun, ForkRunParams, GetRun, GetRuns, GetRunsParams, KeepRun, KeepRunParams,
    RemoveRun, RenameRun, RenameRunParams, ResumeRun, RunAccepted, RunKept, RunParams, RunView,
};
use nudge_core::text::one_line_of_chars;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{FollowFlags, ProjectFlag};
use crate::follow::{Follower, can_ask, detached, ensure_server, known, send};
use crate::invocation::Invocation;
use crate::pages::{Page, run};
use crate::sanitize::sanitize;
use crate::{flags, input};

/// The end of the help page.
const AFTER_HELP: &str = "\
`nudge ask` starts a run or continues one. A run keeps its prompts, its answers
and everything that the model read.";

#[derive(Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct RunArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List runs: name, state, time, turns, cost, model and prompt
    Ls(LsArgs),
    /// Show a run: prompts, answers, history, sources and usage
    Show(ShowArgs),
    /// Go on with a run that stopped without an answer, or watch it
    Resume(ResumeArgs),
    /// Stop what a run works on
    Abort(AbortArgs),
    /// Copy a run, and ask the copy
    Fork(ForkArgs),
    /// Give a run another name
    Rename(RenameArgs),
    /// Make what a run noted known in its project
    Keep(KeepArgs),
    /// Remove a run with everything in it
    Rm(RmArgs),
}

impl RunArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls(args) => args.run(invocation),
            Verb::Show(args) => args.run(invocation),
            Verb::Resume(args) => args.run(invocation),
            Verb::Abort(args) => args.run(invocation),
            Verb::Fork(args) => args.run(invocation),
            Verb::Rename(args) => args.run(invocation),
            Verb::Keep(args) => args.run(invocation),
            Verb::Rm(args) => args.run(invocation),
        }
    }
}

// `nudge run ls`: lists runs, newest first.

#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// Include all projects
    #[arg(long, visible_alias = "all-projects")]
    all: bool,
    /// Show at most N runs, up to 200 [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
}

impl LsArgs {
    /// Lists the runs.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = flags::project_here_or_all(self.project, self.all);
        let params = GetRunsParams { limit: self.limit, offset: None, project };
        let answer = invocation.call::<GetRuns>(&params, here())?;
        invocation.show(&answer, |page, runs| run::list(page, runs, self.all))
    }
}

// `nudge run show`: one run in full.

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    /// Print every record, turn by turn
    #[arg(long)]
    turns: bool,
    #[command(flatten)]
    project: ProjectFlag,
}

impl ShowArgs {
    /// Shows the run.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let answer = invocation.call::<GetRun>(&params, here())?;
        let turns = self.turns;
        invocation.show(&answer, |page, view| {
            if turns {
                run::turns(page, view);
            } else {
                run::show(page, view);
            }
        })
    }
}

// `nudge run resume`: goes on with a run, or watches one that works.

#[derive(Debug, Args)]
#[command(after_long_help = "\
A run that was aborted, failed or lost its server goes on with its last prompt.
A run that works is watched, and if it waits for your answer, you are asked.")]
struct ResumeArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    #[command(flatten)]
    project: ProjectFlag,
    #[command(flatten)]
    follow: FollowFlags,
}

impl ResumeArgs {
    /// Resumes the run and follows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let known = invocation.ask::<GetRun>(&params, here())?;
        if self.follow.detach {
            ensure_server(invocation)?;
            return detached(invocation, &invocation.call::<ResumeRun>(&params, here())?);
        }
        let follower = Follower::new(invocation, self.follow.quiet, Some(&known))?;
        let accepted = invocation.ask::<ResumeRun>(&params, here())?;
        follower.follow(&accepted, params.project)
    }
}

// `nudge run abort`: stops what a run works on.

/// How much of the prompt is repeated.
const MAX_PROMPT: usize = 60;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Other prompts that wait in the run are answered next. `nudge run resume` goes
on with what was stopped.")]
struct AbortArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    #[command(flatten)]
    project: ProjectFlag,
}

impl AbortArgs {
    /// Aborts the run, and says what was aborted.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let before = invocation.ask::<GetRun>(&params, here())?;
        let answer = invocation.call::<AbortRun>(&params, here())?;
        invocation.show(&answer, |page, after| aborted(page, &before, after))
    }
}

fn aborted(page: &mut Page, before: &RunView, after: &RunAccepted) {
    let is_over = |state: &str| matches!(state, "completed" | "failed" | "aborted");
    if is_over(&before.state) {
        page.line(format!("`{}` was not running", before.run)).end();
        return;
    }
    page.good("✔").text(" aborted ").strong(&before.run);
    if let Some(open) = before.loops.iter().find(|one| !is_over(&one.state)) {
        page.text(format!(": {}", one_line_of_chars(&open.prompt, MAX_PROMPT)));
    }
    page.end();
    if let Some(note) = &after.note {
        page.text("  ").text(note).end();
    }
}

// `nudge run fork`: copies a run, and asks the copy.

#[derive(Debug, Args)]
#[command(after_long_help = "\
The copy sees everything that the run saw. The run stays as it is.

Examples:
  nudge run fork port --name port-two
  nudge run fork port 'what if the port were taken?'")]
struct ForkArgs {
    /// Name of the run to copy
    #[arg(value_name = "NAME")]
    run: String,
    /// Question for the copy; - adds standard input
    prompt: Vec<String>,
    /// Name of the copy [default: the name of the run with a number]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    follow: FollowFlags,
}

impl ForkArgs {
    /// Copies the run. With a prompt, the copy is asked and followed.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let prompt = input::prompt(&self.prompt)?;
        if !self.prompt.is_empty() {
            ensure_server(invocation)?;
        }
        let original = self.run.clone();
        let params = ForkRunParams { run: self.run, name: self.name };
        let answer = invocation.call::<ForkRun>(&params, here())?;
        let copy = answer.typed()?;
        if self.prompt.is_empty() {
            return invocation.show(&answer, |page, copy| {
                page.good("✔").text(" copied ").strong(&original).text(" to ").strong(&copy.run).end();
                page.line(format!("  ask it with `nudge ask --run {} …`", copy.run)).end();
            });
        }
        let known = known(invocation, &copy.run)?;
        let no_interaction = !can_ask(invocation);
        let params = AskParams { prompt, run: Some(copy.run), no_interaction, ..AskParams::default() };
        send::<Ask>(invocation, &params, self.follow, known.as_ref())
    }
}

// `nudge run rename`: gives a run another name.

#[derive(Debug, Args)]
struct RenameArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    /// New name
    #[arg(value_name = "NEW")]
    name: String,
}

impl RenameArgs {
    /// Renames the run.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let before = self.run.clone();
        let params = RenameRunParams { run: self.run, name: self.name };
        let answer = invocation.call::<RenameRun>(&params, here())?;
        invocation.show(&answer, |page, after| {
            page.good("✔").text(" renamed ").strong(&before).text(" to ").strong(&after.run).end();
        })
    }
}

// `nudge run rm`: removes a run.

#[derive(Debug, Args)]
#[command(after_long_help = "\
The run must be over. What you kept of it stays, and so do the files that it
changed. What you asked it stays in `nudge search`; `nudge purge` removes that.")]
struct RmArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    #[command(flatten)]
    project: ProjectFlag,
}

impl RmArgs {
    /// Removes the run.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::RunRm)?;
        let params = RunParams { run: self.run, project: self.project.named() };
        let answer = invocation.call::<RemoveRun>(&params, here())?;
        invocation.show(&answer, |page, removed| {
            page.good("✔").text(" removed ").strong(sanitize(&removed.run)).end();
        })
    }
}

// `nudge run keep`: makes what a run noted known in its project.

#[derive(Debug, Args)]
#[command(after_long_help = "\
What a run's model notes under known:// stays in that run. After you keep it,
other runs and sessions of the project find it, as your own words. Without --yes,
it is only shown.")]
struct KeepArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    /// Path or pattern of what to keep, such as 'known://auth/*'; default: all
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Replace what you wrote yourself under the same path
    #[arg(long)]
    replace: bool,
    /// Keep it, instead of only showing it
    #[arg(short = 'y', long)]
    yes: bool,
    #[command(flatten)]
    project: ProjectFlag,
}

impl KeepArgs {
    /// Keeps it, and lists it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::RunKeep)?;
        let params = KeepRunParams {
            run: self.run,
            path: self.path,
            preview: !self.yes,
            replace: self.replace,
            project: self.project.named(),
        };
        let answer = invocation.call::<KeepRun>(&params, here())?;
        invocation.show(&answer, |page, answer| kept_page(page, answer, self.yes))
    }
}

fn kept_page(page: &mut Page, answer: &RunKept, is_done: bool) {
    if answer.kept.is_empty() && answer.left_out.is_empty() && answer.known.is_empty() {
        page.text(format!("`{}` noted nothing to keep", sanitize(&answer.run))).end();
    }
    for entry in &answer.kept {
        let verb = match (is_done, entry.replaced) {
            (true, true) => "replaced",
            (true, false) => "kept",
            (false, true) => "would replace",
            (false, false) => "would keep",
        };
        page.good(if is_done { "✔ " } else { "" })
            .text(format!("{verb} "))
            .strong(sanitize(&entry.path))
            .end();
        for line in entry.body.lines() {
            page.text(format!("  {}", sanitize(line))).end();
        }
    }
    for path in &answer.known {
        page.text(format!("{} is known already", sanitize(path))).end();
    }
    for path in &answer.left_out {
        let why =
            "you wrote what the project has there; --replace replaces an entry, `nudge correct` a statement";
        page.warning("left out:").text(format!(" {}: {why}", sanitize(path))).end();
    }
    if !is_done && !answer.kept.is_empty() {
        page.strong("hint:").text(" run the same command with --yes to keep it").end();
    }
}
