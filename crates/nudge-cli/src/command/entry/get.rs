//! `nudge entry get`, `ls` and `scan`: print, list and find entries and files.

use std::io::IsTerminal;

use clap::Args;
use nudge_memory::entries::{
    EntryView, GetAnswer, GetEntries, GetParams, ListEntries, ListEntriesParams, ScanAnswer, ScanFiles,
    ScanParams,
};

use super::outcome::{VISIBILITIES, failure_of};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::invocation::Invocation;
use crate::pages::words::count;
use crate::pages::{Page, entry};

/// The end of the help page.
const EXAMPLES: &str = "\
The body of a single entry goes to standard output as it is, so that it can be
piped. Lines that --line and --limit select do not change the view.

Examples:
  nudge entry get known://auth/plan
  nudge entry get 'known://**' --preview
  nudge entry get 'known://**' /token/i
  nudge entry get src/main.rs --line 10 --limit 20";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct GetArgs {
    /// Path or pattern, such as known://plan/* or src/main.rs
    #[arg(value_name = "PATTERN")]
    entry: String,
    /// Only entries whose body this text or pattern finds
    filter: Option<String>,
    /// First line to print; a negative number counts from the end
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    line: Option<i64>,
    /// How many lines to print; a negative number takes the last ones
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    limit: Option<i64>,
    /// List what matches with its cost, and change nothing
    #[arg(long, alias = "manifest")]
    preview: bool,
    /// Visibility to give the entries [default: visible]
    #[arg(long, value_name = "V", value_parser = VISIBILITIES)]
    visibility: Option<String>,
    /// Maximum entries to print [default: 20]
    #[arg(long, value_name = "N")]
    max: Option<u32>,
    /// Make the files part of the project, even if git ignores them
    #[arg(long)]
    persist: bool,
    /// With --persist: protect the files from changes
    #[arg(long, requires = "persist")]
    readonly: bool,
    #[command(flatten)]
    run: RunFlag,
}

impl GetArgs {
    /// Prints the body of a single entry alone, and several under their paths.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = GetParams {
            path: self.entry,
            body: self.filter,
            line: self.line,
            limit: self.limit,
            preview: self.preview,
            visibility: self.visibility,
            max: self.max,
            // Budgets are for models. A person sees everything.
            max_tokens: Some(u32::MAX),
            run: self.run.run,
            persist: self.persist,
            readonly: self.readonly,
            ..GetParams::default()
        };
        let answer = invocation.call::<GetEntries>(&params, here())?;
        let typed = answer.typed()?;
        let failure = typed.failed.as_ref().and_then(failure_of);
        if invocation.output.is_json() {
            invocation.output.answer(&answer.json, |_| {});
            return Ok(failure.map_or(Exit::Ok, |fault| Exit::of(&fault)));
        }
        if let Some(fault) = failure {
            return Err(fault.into());
        }
        match typed.entries.as_slice() {
            [only] if !typed.preview && typed.left_out == 0 => Ok(alone(invocation, only)),
            _ => {
                invocation.output.answer(&answer.json, |page| several(page, &typed, &params.path));
                Ok(Exit::Ok)
            }
        }
    }
}

/// Prints one body. A person also sees what it is.
fn alone(invocation: &Invocation, only: &EntryView) -> Exit {
    if std::io::stdout().is_terminal() || only.body.is_none() {
        invocation.output.note(|page| {
            page.strong(&only.path).faint(format!("  {}", entry::facts(only))).end();
            if let Some(why) = &only.withheld {
                page.warning("not shown:").text(" ").text(why).end();
            }
        });
    }
    invocation.output.body(only.body.as_deref().unwrap_or_default());
    if only.body.is_some() { Exit::Ok } else { Exit::NotAllowed }
}

fn several(page: &mut Page, answer: &GetAnswer, pattern: &str) {
    if answer.entries.is_empty() {
        page.text("nothing matches ").line(pattern).end();
        return;
    }
    if answer.preview {
        entry::table(page, &answer.entries);
        let bodies = i64::try_from(answer.bodies_to_read).unwrap_or(i64::MAX);
        let (found, read) = (entry::entries(answer.matched), count(bodies, "body"));
        page.faint(format!("{found}, {read} would be read")).end();
    } else {
        for (place, one) in answer.entries.iter().enumerate() {
            if place > 0 {
                page.end();
            }
            entry::in_full(page, one);
        }
    }
    if answer.left_out > 0 {
        page.warning(format!("{} of {} are not shown;", answer.left_out, entry::entries(answer.matched)));
        page.text(format!(" `--max {}` shows them", answer.matched.min(1_000))).end();
    }
}

// `nudge entry scan`: stores a list of the project's files.

#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    run: RunFlag,
}

impl ScanArgs {
    /// Lists the files that git does not ignore, and stores the list.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let answer = invocation
            .call::<ScanFiles>(&ScanParams { run: self.run.run, ..ScanParams::default() }, here())?;
        invocation.show(&answer, page)
    }
}

fn page(page: &mut Page, answer: &ScanAnswer) {
    let number = |n: u64, noun: &str| count(i64::try_from(n).unwrap_or(i64::MAX), noun);
    page.good("✔").text(format!(
        " listed {} with {}",
        number(answer.files, "file"),
        number(answer.tokens, "token")
    ));
    page.text(" in ").strong(&answer.path);
    page.text(format!(" ({})", number(u64::from(answer.list_tokens), "token"))).end();
    if answer.left_out > 0 {
        let left = number(answer.left_out, "file");
        page.text("  ").faint(format!("{left} left out: binary, too large or over the limit")).end();
    }
}

// `nudge entry ls`: lists entries and changes nothing.

/// The most that one answer may have.
const MAX_LIMIT: u32 = 1_000;

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
            limit: Some(self.limit.unwrap_or(MAX_LIMIT)),
            after: self.after,
            ..ListEntriesParams::default()
        };
        let answer = invocation.call::<ListEntries>(&params, here())?;
        let typed = answer.typed()?;
        let failure = typed.failed.as_ref().and_then(failure_of);
        match failure {
            Some(fault) if !invocation.output.is_json() => Err(fault.into()),
            Some(fault) => {
                invocation.output.answer(&answer.json, |_| {});
                Ok(Exit::of(&fault))
            }
            None => {
                invocation.output.answer(&answer.json, |page| list(page, &typed));
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
