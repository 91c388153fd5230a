//! `nudge entry apply`: carries out the tags in a model's output.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use nudge_memory::entries::{ApplyTags, CallResult, TagsAnswer, TagsParams};
use serde_json::Value;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::input;
use crate::invocation::Invocation;
use crate::pages::words::{count, cut};
use crate::pages::{Page, entry};

#[derive(Debug, Args)]
#[command(after_long_help = "\
The tags are get, set, rm, cp, mv, update and search, as in
<set path=\"known://plan\">text</set>. After the first failure the rest is not
carried out.

Examples:
  nudge entry apply answer.txt
  llm 'plan the change' | nudge entry apply")]
pub(crate) struct ApplyArgs {
    /// File with the output [default: -, standard input]
    file: Option<PathBuf>,
    /// Maximum calls to carry out [default: 99]
    #[arg(long, value_name = "N")]
    max_commands: Option<u32>,
    #[command(flatten)]
    run: RunFlag,
}

impl ApplyArgs {
    /// Carries out the tags and prints each call with its status.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let text = text(self.file.as_deref())?;
        let params = TagsParams { text, run: self.run.run, max_commands: self.max_commands, files: None };
        let answer = invocation.call::<ApplyTags>(&params, here())?;
        let typed = answer.typed()?;
        invocation.output.answer(&answer.json, |page| render(page, &typed));
        Ok(exit(&typed))
    }
}

fn text(file: Option<&Path>) -> Result<String, Failure> {
    match file {
        Some(file) if file != Path::new("-") => Ok(input::file(file)?),
        None if std::io::stdin().is_terminal() => {
            Err(Failure::Usage("name a file, or pipe a model's output into this command".to_owned()))
        }
        _ => Ok(input::stdin()?),
    }
}

fn render(page: &mut Page, answer: &TagsAnswer) {
    if answer.calls.is_empty() {
        page.text("no tags in it").end();
    }
    for call in &answer.calls {
        let status = call.status.to_string();
        match is_failure(&call.tool, call.status) {
            true => page.bad(status),
            false if call.status == 202 => page.warning(status),
            false => page.good(status),
        };
        let columns = page.columns();
        page.text(format!("  {:<6}  ", call.tool));
        page.strong(cut(target(call), columns, 13)).end();
        if let Some(why) = call.why.as_deref().or_else(|| why_inside(&call.answer)) {
            page.text("     ").faint(cut(why, columns, 5)).end();
        }
    }
    if answer.proposals > 0 {
        let number = count(i64::try_from(answer.proposals).unwrap_or(i64::MAX), "change");
        let wait = if answer.proposals == 1 { "waits" } else { "wait" };
        page.text(format!("{number} {wait} for review; see `nudge review`")).end();
    }
    for warning in &answer.warnings {
        page.warning("warning:").text(" ").line(warning).end();
    }
}

/// What a call is about. An update names no path; its answer does.
fn target(call: &CallResult) -> &str {
    let made = call.answer["results"][0]["path"].as_str().unwrap_or_default();
    if call.target.is_empty() { made } else { &call.target }
}

/// Why an operation refused, in its own answer.
fn why_inside(answer: &Value) -> Option<&str> {
    let results = answer.get("results").and_then(Value::as_array);
    let refused = results.into_iter().flatten().chain(answer.get("failed"));
    refused.filter_map(|result| result.get("why")?.as_str()).next()
}

/// Whether a call failed. An update says how the work stands, and 422 is no failure of it.
fn is_failure(tool: &str, status: u16) -> bool {
    status >= 400 && tool != "update"
}

/// The code of the first failure; all others were not carried out because of it.
fn exit(answer: &TagsAnswer) -> Exit {
    let first = answer.calls.iter().find(|call| is_failure(&call.tool, call.status));
    first.map_or(Exit::Ok, |call| entry::exit_of_status(call.status))
}
