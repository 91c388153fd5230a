//! `nudge entry ls`: lists entries and changes nothing.

use clap::Args;
use nudge_memory::entries::{GetAnswer, ListEntriesParams};

use super::outcome;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::entry;

/// The most that one answer may have.
const MOST: u32 = 1_000;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// Path or pattern [default: everything in memory]
    #[arg(value_name = "PATTERN")]
    entry: Option<String>,
    /// Only entries whose body this text or pattern finds
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Maximum entries to list [default: 1000]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
    /// Only paths after this one
    #[arg(long, value_name = "PATH")]
    after: Option<String>,
    #[command(flatten)]
    run: RunFlag,
}

impl LsArgs {
    /// Lists the entries.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = ListEntriesParams {
            pattern: self.entry,
            body: self.filter,
            run: self.run.run,
            limit: Some(self.limit.unwrap_or(MOST)),
            after: self.after,
            ..ListEntriesParams::default()
        };
        let answer = invocation.call("get_entries", &params, here())?;
        let typed: GetAnswer = invocation.typed(&answer)?;
        let failure = typed.failed.as_ref().and_then(outcome::fault_of);
        match failure {
            Some(fault) if !invocation.output.is_json() => Err(fault.into()),
            Some(fault) => {
                invocation.output.answer(&answer, |_| {});
                Ok(Exit::of(&fault))
            }
            None => {
                invocation.output.answer(&answer, |page| list(page, &typed));
                Ok(Exit::Ok)
            }
        }
    }
}

fn list(page: &mut Page, answer: &GetAnswer) {
    if answer.entries.is_empty() {
        page.text("no entries; create one with `nudge entry set known://NAME TEXT`").end();
        return;
    }
    entry::table(page, &answer.entries);
    page.faint(entry::entries(answer.matched)).end();
    if let Some(last) = &answer.next {
        page.warning(format!("{} are not shown;", answer.left_out));
        page.text(format!(" `--after {last}` lists them")).end();
    }
}
