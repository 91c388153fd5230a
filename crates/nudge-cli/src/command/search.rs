//! `nudge search`: finds captured entries by their words.

mod mode;
mod page;
mod syntax;

use clap::{Args, ValueEnum};
use nudge_memory::recall::{self, OrderBy, ProjectParam, SearchAnswer, SearchParams};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PeriodFlags, ProjectsFlags};
use crate::invocation::Invocation;
use crate::pages::recall::View;
use crate::pages::words::count;
use mode::Mode;

/// The default and the maximum number of results.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A query is plain words, \"a phrase\", prefix*, AND, OR, NOT and parentheses.
The results are a list; `--json` prints them as JSON. `nudge show ID`
shows a result in full, `nudge timeline ID` what happened around it.

Examples:
  nudge search flaky login test
  nudge search 'migration AND NOT rollback' --since 2d
  nudge search panic --type command_error --all")]
pub(crate) struct SearchArgs {
    /// Words to search for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    projects: ProjectsFlags,
    /// Only this type, such as command_error, file_edit, user_prompt, memory
    #[arg(long = "type", value_name = "TYPE")]
    obs_type: Option<String>,
    /// Show at most N results, up to 100 [default: 20]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
    /// Skip the first N results
    #[arg(long, value_name = "N")]
    offset: Option<i64>,
    /// Sort by relevance, or blend relevance with age
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    order: Order,
    /// Only about this file: its path, or the end of it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    period: PeriodFlags,
    /// Print everything about each result as JSON
    #[arg(long, conflicts_with = "ids")]
    full: bool,
    /// Print only the ids, one per line, of results with every word
    #[arg(long)]
    ids: bool,
    /// Print the list; this is the default
    #[arg(long, hide = true, conflicts_with_all = ["full", "ids", "json"])]
    human: bool,
}

/// In which order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Relevance,
    Blended,
}

impl SearchArgs {
    /// Searches, and prints the results in the requested format.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let mode = Mode::of(&self, invocation.output.is_json());
        let params = self.params();
        let context = here();
        let answer = invocation
            .call("search", &params, context.clone())
            .map_err(|fault| syntax::with_query_mark(fault, &params.query, invocation.output.is_json()))?;
        let found: SearchAnswer = invocation.typed(&answer)?;
        match mode {
            Mode::Human => invocation.output.answer(&answer, |page| {
                page::render(page, &found, params.project == ProjectParam::All, View::own());
            }),
            Mode::Ids => {
                let ids: String = found.results.iter().map(|row| format!("{}\n", row.id)).collect();
                invocation.output.document(&ids);
            }
            Mode::Rows => invocation.output.data(&answer["results"]),
            Mode::Full => invocation.output.data(&mode::full(invocation, &answer["results"], context)?),
        }
        invocation.output.aside(|page| {
            let results = count(found.results.len() as i64, "result");
            page.text(format!("nudge: {results} for \"{}\"", params.query)).end();
            if found.more {
                let next = params.offset.unwrap_or(0).max(0) + found.results.len() as i64;
                page.text(format!("more results: --offset {next}")).end();
            }
            if mode != Mode::Human {
                page::aside(page, &found);
            }
        });
        Ok(Exit::Ok)
    }

    fn params(self) -> SearchParams {
        SearchParams {
            query: self.query.join(" "),
            project: self.projects.param(),
            obs_type: self.obs_type,
            limit: Some(self.limit.unwrap_or(LIMIT).clamp(1, MOST)),
            offset: self.offset,
            // Ids are input for commands that act on each entry, so entries with only some of the
            // words are left out.
            mode: self.ids.then_some(recall::Mode::All),
            order_by: (self.order == Order::Blended).then_some(OrderBy::Blended),
            file: self.file,
            session: self.session,
            since: self.period.since,
            until: self.period.until,
        }
    }
}
