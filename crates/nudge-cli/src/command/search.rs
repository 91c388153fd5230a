//! `nudge search`: finds captured entries by their words.

use clap::{Args, ValueEnum};
use nudge_core::{Context, Fault, text};
use nudge_memory::recall::{
    self, EntryRef, GetObservations, GetObservationsParams, OrderBy, ProjectParam, Search, SearchAnswer,
    SearchParams, SearchRow, Withheld,
};
use serde_json::Value;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PeriodFlags, ProjectsFlags};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};
use crate::pages::words::count;

/// The default and the maximum number of results.
const DEFAULT_LIMIT: i64 = 20;

const MAX_LIMIT: i64 = 100;

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
            .call::<Search>(&params, context.clone())
            .map_err(|fault| with_query_mark(fault, &params.query, invocation.output.is_json()))?;
        let found = answer.typed()?;
        match mode {
            Mode::Human => invocation.output.answer(&answer.json, |page| {
                render(page, &found, params.project == ProjectParam::All, View::own());
            }),
            Mode::Ids => {
                let ids: String = found.results.iter().map(|row| format!("{}\n", row.id)).collect();
                invocation.output.document(&ids);
            }
            Mode::Rows => invocation.output.data(&answer.json["results"]),
            Mode::Full => invocation.output.data(&full(invocation, &answer.json["results"], context)?),
        }
        invocation.output.note(|page| {
            let results = count(found.results.len() as i64, "result");
            page.text(format!("nudge: {results} for \"{}\"", params.query)).end();
            if found.more {
                let next = params.offset.unwrap_or(0).max(0) + found.results.len() as i64;
                page.text(format!("more results: --offset {next}")).end();
            }
            if mode != Mode::Human {
                notes_of(page, &found);
            }
        });
        Ok(Exit::Ok)
    }

    fn params(self) -> SearchParams {
        SearchParams {
            query: self.query.join(" "),
            project: self.projects.param(),
            obs_type: self.obs_type,
            limit: Some(self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)),
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

/// The fault for the caller. Programs get it unchanged; users see the query and the position in it.
fn with_query_mark(fault: Fault, query: &str, json: bool) -> Failure {
    let at = fault.data.get("at").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let (Some(at), Fault::QUERY, false) = (at, fault.reason.as_str(), json) else {
        return Failure::Fault(fault);
    };
    let hint = fault.next.map_or_else(String::new, |next| format!("\n\nhint: {next}"));
    Failure::Usage(format!("{}\n{}{hint}", fault.message, marked(query, at)))
}

/// The query, with a mark under one of its characters.
fn marked(query: &str, at: usize) -> String {
    let line: String = query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let before = text::first_chars(&line, at);
    format!("  {line}\n  {}^", " ".repeat(text::width(before)))
}

/// How many entries can be fetched in full at once.
const ROWS_PER_CALL: usize = 50;

/// The fields that `--full` adds to a row.
const FULL_FIELDS: [&str; 5] = ["project", "source_event", "tool_name", "content", "metadata"];

/// An output format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Mode {
    /// A list to read.
    Human,
    /// Rows as JSON.
    Rows,
    /// Rows with all fields, as JSON.
    Full,
    /// Ids, one per line.
    Ids,
}

impl Mode {
    /// The shape that the flags ask for; without one, a list to read.
    const fn of(args: &SearchArgs, json: bool) -> Self {
        match args {
            SearchArgs { ids: true, .. } => Self::Ids,
            SearchArgs { full: true, .. } => Self::Full,
            _ if json => Self::Rows,
            _ => Self::Human,
        }
    }
}

/// The rows with all fields. Entries that were removed since the search are left out.
fn full(invocation: &Invocation, rows: &Value, context: Context) -> Result<Value, Fault> {
    let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
    let mut whole = Vec::with_capacity(rows.len());
    for some in rows.chunks(ROWS_PER_CALL) {
        let ids = some.iter().filter_map(|row| row["id"].as_i64()).map(EntryRef::Number).collect();
        let params = GetObservationsParams { ids, around: None };
        let fetched = invocation.call::<GetObservations>(&params, context.clone())?;
        for row in some {
            let of_row = |known: &&Value| known["id"] == row["id"];
            let known = fetched.json.as_array().into_iter().flatten().find(of_row);
            let (Some(known), Value::Object(mut row)) = (known, row.clone()) else { continue };
            for name in FULL_FIELDS {
                row.insert(name.to_owned(), known[name].clone());
            }
            whole.push(Value::Object(row));
        }
    }
    Ok(Value::Array(whole))
}

const RELAXED_NOTE: &str = "nothing has all of these words; these have some of them";

const REST_NOTE: &str = "these have some of the words";

/// One line for each result, then the notes about the search.
fn render(page: &mut Page, found: &SearchAnswer, all: bool, view: View) {
    let view = &view.for_rows(found.results.iter().map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    if is_relaxed(found) {
        page.faint(RELAXED_NOTE).end();
    }
    for (number, row) in found.results.iter().enumerate() {
        if row.partial && (number == 0 || !found.results[number - 1].partial) {
            page.faint(REST_NOTE).end();
        }
        let words = SearchTerms::of(&row.why);
        line(row, all).add(page, &words, view);
        if row.answer.is_some() {
            page.text(" ".repeat(view.columns.id + 3)).faint(format!("asked: {}", row.content_preview)).end();
        }
        if !words.occur_in(&row.content_preview) {
            // The match is further down in the text, such as in the reason that a command failed.
            page.text(" ".repeat(view.columns.id + 3))
                .faint(format!("has {}", row.why.replace("title:", "")))
                .end();
        }
        if let Some(followed) = &row.followed {
            page.text(" ".repeat(view.columns.id + 3)).faint(followed).end();
        }
    }
    if found.results.is_empty() {
        let place = if all { "" } else { " in this project" };
        page.text(format!("nothing found{place}")).end();
    }
    if let Some(rest) = &found.withheld {
        page.faint(other_projects_note(rest)).end();
    }
    for note in notes(found) {
        page.faint(note).end();
    }
}

/// Notes on omitted results and suggested queries.
fn notes(found: &SearchAnswer) -> Vec<String> {
    let own = found.own_session.as_ref().map(|own| {
        let least = if own.at_least { "at least " } else { "" };
        format!("{least}{} of this session skipped; --session searches it", own.count)
    });
    let meant = found
        .did_you_mean
        .iter()
        .map(|(typed, meant)| format!("nothing has `{typed}`; did you mean `{meant}`?"));
    own.into_iter().chain(meant).collect()
}

/// The notes for programs, next to the results.
fn notes_of(page: &mut Page, found: &SearchAnswer) {
    if is_relaxed(found) {
        page.text(RELAXED_NOTE).end();
    }
    if let Some(rest) = &found.withheld {
        page.text(other_projects_note(rest)).end();
    }
    for note in notes(found) {
        page.text(note).end();
    }
}

fn is_relaxed(found: &SearchAnswer) -> bool {
    found.relaxed && !found.results.is_empty()
}

/// The results in other projects.
fn other_projects_note(rest: &Withheld) -> String {
    let least = if rest.at_least { "at least " } else { "" };
    let verb = if rest.count == 1 { "matches" } else { "match" };
    format!("{least}{} {verb} in other projects; --all shows them", rest.count)
}

fn line(row: &SearchRow, all: bool) -> Line<'_> {
    Line {
        id: row.id,
        at: row.timestamp,
        kind: &row.obs_type,
        project: all.then(|| row.project.as_deref().unwrap_or("-")),
        text: row.answer.as_ref().map_or(&row.content_preview, |answer| &answer.text),
        is_pinned: false,
        is_asked: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_place() {
        assert_eq!(marked("foo \"bar", 4), "  foo \"bar\n      ^");
        assert_eq!(marked("日本 AND", 6), "  日本 AND\n          ^");
        assert_eq!(marked("a\n(", 2), "  a (\n    ^");
    }
}
