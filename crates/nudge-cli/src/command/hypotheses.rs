//! `nudge hypotheses`: what agents tried, what they expected, and how it ended.

use clap::Args;
use nudge_core::Fault;
use nudge_core::hypothesis::Status;
use nudge_home::surroundings;
use nudge_memory::hypotheses::{GhapList, ListGhapParams, ListedGhap, Word};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::without_millis;
use crate::projects::named_here_or_all;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct HypothesesArgs {
    /// Only those that are active, confirmed, falsified or abandoned
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// How many at most
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<i64>,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Of all projects
    #[arg(long, conflicts_with = "project")]
    all: bool,
}

impl HypothesesArgs {
    /// Lists them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let status = self.status.as_deref().map(status).transpose()?;
        let project = named_here_or_all(self.project, self.all);
        let params = ListGhapParams { status, limit: self.limit, project, ..Default::default() };
        let here = surroundings::here(&working_directory());
        let answer = invocation.call("list_ghap_entries", &params, here)?;
        invocation.show::<GhapList>(&answer, |page, answer| {
            if answer.results.is_empty() {
                page.text("no hypotheses here: agents state them with start_ghap").end();
            }
            answer.results.iter().for_each(|one| show(page, one));
        })
    }
}

fn status(said: &str) -> Result<Word<Status>, Fault> {
    Status::from_name(said).map(Word).ok_or_else(|| {
        let known: Vec<&str> = Status::ALL.iter().map(|one| one.name()).collect();
        Fault::invalid("status", "there is no such status").next(format!("one of {}", known.join(", ")))
    })
}

fn show(page: &mut Page, one: &ListedGhap) {
    page.strong(&one.hypothesis).text(format!("  {}", one.status)).end();
    page.text(format!("  for: {}", one.goal)).end();
    page.text(format!("  expected: {}", one.prediction)).end();
    if let Some(result) = &one.result {
        page.text(format!("  seen: {result}")).end();
    }
    if let Some(cause) = &one.root_cause {
        page.text(format!("  cause: {cause}")).end();
    }
    let when = without_millis(&one.created_at);
    page.faint(format!("  #{}  {}, {}, {when}, {}", one.entry, one.domain, one.strategy, one.id)).end();
}
