//! `nudge run keep`: makes what a run noted known in its project.

use clap::Args;
use nudge_memory::runs::{KeepRunParams, RunKept};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::sanitize::sanitize;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
What a run's model notes under known:// stays in that run. After you keep it,
other runs and sessions of the project find it, as your own words. Without --yes,
it is only shown.")]
pub(crate) struct KeepArgs {
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
        let answer = invocation.call("keep_run", &params, here())?;
        invocation.show::<RunKept>(&answer, |page, answer| kept(page, answer, self.yes))
    }
}

fn kept(page: &mut Page, answer: &RunKept, is_done: bool) {
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
