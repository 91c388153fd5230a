//! `nudge search`: find what was captured by its words.

mod mode;
mod page;
mod syntax;

use clap::{Args, ValueEnum};
use nudge_home::surroundings;
use nudge_memory::recall::{self, OrderBy, ProjectParam, SearchAnswer, SearchParams};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::recall::{View, when};
use crate::pages::words::count;
use crate::projects::named_here_or_all;
use mode::Mode;

/// How many are shown unless asked otherwise, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
A query is plain words, or \"a phrase\", prefix*, AND, OR, NOT and parentheses.
On a terminal the results are a list to read; into a pipe they are JSON.
`nudge timeline ID` shows one of them among what happened around it.")]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// In this project: its name, id or directory [default: where you are]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// In all projects
    #[arg(long)]
    all: bool,
    /// Only this type, such as command_error, file_edit, user_prompt, memory
    #[arg(long = "type", value_name = "TYPE")]
    obs_type: Option<String>,
    /// At most so many, 1 to 100 [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
    /// Leave out the first so many
    #[arg(long, value_name = "N")]
    offset: Option<i64>,
    /// Best first, or blended with how new they are
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    order: Order,
    /// Only about this file: its path or the end of it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only from then on: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only before then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// JSON with everything that is known of each
    #[arg(long, conflicts_with = "ids")]
    full: bool,
    /// Only the ids, one on a line, of what has every word
    #[arg(long)]
    ids: bool,
    /// The list to read, also into a pipe
    #[arg(long, conflicts_with_all = ["full", "ids", "json"])]
    human: bool,
}

/// In which order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Relevance,
    Blended,
}

impl SearchArgs {
    /// Searches, and shows what was found as it was asked for.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let mode = Mode::of(&self, invocation.output.is_json());
        let params = self.params()?;
        let context = surroundings::here(&working_directory());
        let answer = invocation
            .call("search", &params, context.clone())
            .map_err(|fault| syntax::explained(fault, &params.query, invocation.output.is_json()))?;
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
                page.text(format!("there are more: --offset {next}")).end();
            }
            if mode != Mode::Human {
                page::aside(page, &found);
            }
        });
        Ok(Exit::Ok)
    }

    fn params(&self) -> Result<SearchParams, Failure> {
        let time = |said: &Option<String>, flag: &str| {
            let read = said.as_deref().map(|text| when::parse(text, now()));
            read.transpose().map_err(|why| Failure::Usage(format!("{flag}: {why}")))
        };
        Ok(SearchParams {
            query: self.query.join(" "),
            project: named_here_or_all(self.project.clone(), self.all),
            obs_type: self.obs_type.clone(),
            limit: Some(self.limit.unwrap_or(LIMIT).clamp(1, MOST)),
            offset: self.offset,
            // Ids are for commands that do something with each: what has only some of the words is not meant.
            mode: self.ids.then_some(recall::Mode::All),
            order_by: (self.order == Order::Blended).then_some(OrderBy::Blended),
            file: self.file.clone(),
            session: self.session.clone(),
            since: time(&self.since, "--since")?,
            until: time(&self.until, "--until")?,
        })
    }
}
