//! `nudge hypotheses`: what agents tried, what they expected, and the result.

use clap::Args;
use nudge_core::Fault;
use nudge_core::hypothesis::Status;
use nudge_memory::hypotheses::{ListGhap, ListGhapParams, ListedGhap, Word};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectsFlags;
use crate::invocation::Invocation;
use crate::pages::words::paragraph;
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct HypothesesArgs {
    /// Only this status: active, confirmed, falsified or abandoned
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Show at most N hypotheses
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<i64>,
    #[command(flatten)]
    projects: ProjectsFlags,
}

impl HypothesesArgs {
    /// Lists the hypotheses.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let status = self.status.as_deref().map(status).transpose()?;
        let project = self.projects.param();
        let params = ListGhapParams { status, limit: self.limit, project, ..Default::default() };
        let here = here();
        let answer = invocation.call::<ListGhap>(&params, here)?;
        invocation.show(&answer, |page, answer| {
            if answer.results.is_empty() {
                page.text("no hypotheses here; agents add them with the tool start_ghap").end();
            }
            answer.results.iter().for_each(|one| show(page, one));
        })
    }
}

fn status(said: &str) -> Result<Word<Status>, Fault> {
    Status::from_name(said).map(Word).ok_or_else(|| {
        let known: Vec<&str> = Status::ALL.iter().map(|one| one.name()).collect();
        Fault::invalid("status", format!("unknown status `{said}`"))
            .next(format!("use one of {}", known.join(", ")))
    })
}

fn show(page: &mut Page, one: &ListedGhap) {
    page.strong(&one.hypothesis).text(format!("  {}", one.status)).end();
    paragraph(page, "  ", &format!("goal: {}", one.goal));
    paragraph(page, "  ", &format!("expected: {}", one.prediction));
    if let Some(result) = &one.result {
        paragraph(page, "  ", &format!("seen: {result}"));
    }
    if let Some(cause) = &one.root_cause {
        paragraph(page, "  ", &format!("cause: {cause}"));
    }
    let when = time::short_of_text(&one.created_at);
    page.faint(format!("  #{}  {}, {}, {when}, {}", one.entry, one.domain, one.strategy, one.id)).end();
}
