//! `nudge hint`: all commands about hints. `nudge set`, `get`, `ls` and the others work the same
//! without `hint`.

use clap::{Args, Subcommand};
use nudge_core::Context;
use nudge_memory::hints::wire::{
    BumpParams, DeleteAnswer, DeleteParams, GetAnswer, GetParams, HintAnswer, StatsAnswer,
};
use nudge_memory::hints::{
    BumpHint, DeleteHint, GetHint, HintLog, HintStats, LogAnswer, LogParams, LogRow, UndoAnswer, UndoHint,
    UndoParams,
};
use nudge_memory::operation::NoParams;

use super::{export, import, query, set};
use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::words::{count, cut, whom};
use crate::pages::{self, Page, hint, time};

#[derive(Debug, Args)]
#[command(after_long_help = "\
A hint is a fact with a component and a key: `nudge hint set api build 'make'`.
Agents get the hints that apply where they work.

nudge set, get, ls, query, bump, stats, log, undo and export are short for the
same commands of nudge hint; nudge delete is short for nudge hint rm.")]
pub(crate) struct HintArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Set a hint, or replace the one with the same conditions
    Set(Box<set::SetArgs>),
    /// Get the hint that applies here, and why it applies
    Get(GetArgs),
    /// List components, or the keys of one
    Ls(query::LsArgs),
    /// Delete a hint
    #[command(alias = "delete")]
    Rm(DeleteArgs),
    /// Find hints by component, key, tag or text
    Query(query::QueryArgs),
    /// Mark a hint as useful, so that it ranks higher
    Bump(BumpArgs),
    /// Count hints, and list the most used hints and tags
    Stats(StatsArgs),
    /// Show earlier versions of hints and who changed them
    Log(LogArgs),
    /// Restore an earlier version of a hint, even a deleted one
    Undo(UndoArgs),
    /// Write hints as JSON
    Export(export::ExportArgs),
    /// Import hints written by `nudge hint export`
    Import(import::HintFileArgs),
}

impl HintArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Set(args) => args.run(invocation),
            Verb::Get(args) => args.run(invocation),
            Verb::Ls(args) => args.run(invocation),
            Verb::Rm(args) => args.run(invocation),
            Verb::Query(args) => args.run(invocation),
            Verb::Bump(args) => args.run(invocation),
            Verb::Stats(args) => args.run(invocation),
            Verb::Log(args) => args.run(invocation),
            Verb::Undo(args) => args.run(invocation),
            Verb::Export(args) => args.run(invocation),
            Verb::Import(args) => args.run(invocation),
        }
    }
}

// `nudge get`: prints the hint that applies here, and why.

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    /// Print only the value, even a secret one
    #[arg(long)]
    value: bool,
    /// Also print the score and every reason
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    context: ContextArgs,
}

impl GetArgs {
    /// Reads the best variant for the context.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = GetParams { component: self.component, key: self.key, context: None };
        let answer = invocation.call::<GetHint>(&params, self.context.context())?;
        if self.value && !invocation.output.is_json() {
            let typed = answer.typed()?;
            invocation.output.value(&typed.hint.value.0.text());
            return Ok(Exit::Ok);
        }
        let verbose = self.verbose;
        invocation.show(&answer, |page, answer| render_hint(page, answer, verbose))
    }
}

fn render_hint(page: &mut Page, answer: &GetAnswer, verbose: bool) {
    if verbose {
        hint::value(page, &answer.hint);
        hint::explanation(page, &answer.match_explain);
    } else {
        hint::bare(page, &answer.hint);
        hint::why(page, &answer.match_explain);
    }
}

// `nudge delete`: deletes a hint.

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    #[command(flatten)]
    context: ContextArgs,
}

impl DeleteArgs {
    /// Deletes the only variant, or the one that `get` would return.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = DeleteParams { component: self.component, key: self.key, context: None };
        let answer = invocation.call::<DeleteHint>(&params, self.context.context())?;
        invocation.show(&answer, render_deletion)
    }
}

fn render_deletion(page: &mut Page, answer: &DeleteAnswer) {
    if let Some(note) = &answer.proposal {
        pages::proposal_note(page, note);
        return;
    }
    let Some(hint) = &answer.previous else { return };
    page.good("✔")
        .text(" deleted ")
        .strong(hint::name(hint))
        .text(format!(" (version {})", hint.version))
        .end();
    if let Some(scope) = &hint.meta.scope {
        page.text("  ").faint("applied if:").text(" ").text(hint::conditions(scope)).end();
    }
}

// `nudge bump`: records that a hint was useful.

#[derive(Debug, Args)]
pub(crate) struct BumpArgs {
    /// Service, module or directory
    component: String,
    /// Name of the hint
    key: String,
    /// How many uses to count [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    delta: Option<i64>,
    /// Also print the use count
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    context: ContextArgs,
}

impl BumpArgs {
    /// Counts one use. This does not renew the lifetime of the hint.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params =
            BumpParams { component: self.component, key: self.key, delta: self.delta, context: None };
        let answer = invocation.call::<BumpHint>(&params, self.context.context())?;
        let verbose = self.verbose;
        invocation.show(&answer, |page, answer| render_bump(page, answer, verbose))
    }
}

fn render_bump(page: &mut Page, answer: &HintAnswer, verbose: bool) {
    if !verbose {
        let uses = count(answer.hint.use_count, "time");
        page.good("✔").text(" bumped ").strong(hint::name(&answer.hint));
        page.text(format!("; it has helped {uses}")).end();
        return;
    }
    page.good("↑")
        .text(format!(" bumped frecency: use_count={} last_used_at=now", answer.hint.use_count))
        .end();
}

// `nudge stats`: counts the hints and shows which ones are used.

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {}

impl StatsArgs {
    /// Counts the hints.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // The answer names a limit of the settings.
        let settings = invocation.settings()?;
        let answer = invocation.call_under::<HintStats>(&settings, &NoParams {}, Context::unknown())?;
        invocation.show(&answer, render_stats)
    }
}

fn render_stats(page: &mut Page, answer: &StatsAnswer) {
    let (hints, components) = (count(answer.hints, "hint"), count(answer.components, "component"));
    page.text(format!("{hints} in {components}; the limit is {}", answer.max_hints)).end();
    if !answer.top_tags.is_empty() {
        let tags: Vec<String> =
            answer.top_tags.iter().map(|tag| format!("{} {}", tag.tag, tag.hints)).collect();
        page.faint("tags:").text(format!(" {}", tags.join(", "))).end();
    }
    if !answer.most_used.is_empty() {
        page.faint("used:").end();
    }
    for hint in &answer.most_used {
        page.text(format!("  {:>5}  {}/{}", hint.use_count, hint.component, hint.key)).end();
    }
}

// `nudge log`: earlier versions of hints, and who changed them.

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Component [default: the latest changes anywhere]
    component: Option<String>,
    /// Key: list every kept version of this hint
    key: Option<String>,
    /// Show at most N versions [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
}

impl LogArgs {
    /// Lists versions, newest first.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Log)?;
        let params = LogParams { component: self.component, key: self.key, limit: self.limit };
        let answer = invocation.call::<HintLog>(&params, Context::unknown())?;
        invocation.show(&answer, render_log)
    }
}

fn render_log(page: &mut Page, answer: &LogAnswer) {
    if answer.versions.is_empty() {
        page.text("no hint was replaced or deleted yet").end();
        return;
    }
    answer.versions.iter().for_each(|row| version(page, row));
    page.faint("`nudge undo ID` restores a version").end();
}

fn version(page: &mut Page, row: &LogRow) {
    let columns = page.columns();
    let id = row.id.map_or_else(|| "now".to_owned(), |id| id.to_string());
    page.text(format!("{id:>5}  "))
        .strong(format!("{}/{}", row.component, row.key))
        .text(format!(" v{}", row.version))
        .end();
    let mut line = |text: &str| {
        page.text("       ").text(cut(text, columns, 7)).end();
    };
    line(row.value.as_deref().unwrap_or("(secret: not saved)"));
    if let Some(scope) = &row.scope {
        line(&format!("if {}", hint::conditions(scope)));
    }
    line(&format!("stated by {}, {}", whom(&row.stated_by), time::short_of_text(&row.at)));
    if let Some(ended) = &row.ended {
        line(&format!("{} by {}, {}", ended.how, ended.by, time::short_of_text(&ended.at)));
    }
}

// `nudge undo`: makes an earlier version of a hint current again.

#[derive(Debug, Args)]
#[command(override_usage = "nudge undo ID\n       nudge undo COMPONENT KEY")]
pub(crate) struct UndoArgs {
    /// Version id from `nudge log`, or a component: undo the latest change of its key
    #[arg(value_name = "ID|COMPONENT")]
    first: String,
    /// Name of the hint
    key: Option<String>,
}

impl UndoArgs {
    /// Restores the version and shows the current hint.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Undo)?;
        let params = match (self.key, self.first.parse::<i64>()) {
            (Some(key), _) => UndoParams { id: None, component: Some(self.first), key: Some(key) },
            (None, Ok(id)) => UndoParams { id: Some(id), ..UndoParams::default() },
            (None, Err(_)) => {
                let why = "name the number of a version, or a component and a key";
                return Err(Failure::Usage(why.to_owned()));
            }
        };
        let answer = invocation.call::<UndoHint>(&params, Context::unknown())?;
        invocation.show(&answer, render_undo)
    }
}

fn render_undo(page: &mut Page, answer: &UndoAnswer) {
    let hint = &answer.hint;
    page.good("✔")
        .text(format!(" restored version {} of ", answer.restored_version))
        .strong(hint::name(hint))
        .text(format!(" as version {}", hint.version))
        .end();
    hint::value(page, hint);
}
