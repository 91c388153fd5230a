//! `nudge why`, `stop-showing` and `usage`: why something was injected or not, how to stop it, and
//! what it cost.

use clap::Args;
use nudge_core::Context;
use nudge_home::settings::Profile;
use nudge_memory::inject::{
    Decided, ExplainInjection, InjectionUsage, Sum, UsageAnswer, UsageParams, WhyAnswer, WhyEntry,
    WhyInjection, WhyLine, WhyParams, WhyTime,
};
use nudge_memory::knowledge::{Silence, SilenceAnswer, SilenceParams};
use nudge_memory::recall::{EntryRef, ProjectParam};

use super::context::{decided, verdict};
use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};
use crate::{durations, flags};

/// How many of the omitted entries to name.
const LEFT_OUT: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// Entry id, such as 42 or #42 [default: the latest injection in the project]
    #[arg(value_parser = number)]
    id: Option<i64>,
    #[command(flatten)]
    project: ProjectFlag,
    /// Also print the figures behind the decision about a prompt
    #[arg(short, long)]
    verbose: bool,
}

impl WhyArgs {
    /// Prints the explanation.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // A prediction for an entry depends on the settings here. A past injection does not.
        let settings = self.id.map(|_| invocation.settings()).transpose()?;
        let params = WhyParams {
            id: self.id,
            project: self.project.param(),
            tokens: settings.as_ref().map(|settings| settings.inject_start_tokens),
            enabled: settings.as_ref().map(|settings| settings.inject),
            ..WhyParams::default()
        };
        let here = here();
        let answer = invocation.call::<ExplainInjection>(&params, here)?;
        let decision = if self.verbose { decided } else { verdict };
        invocation.show(&answer, |page, answer| render(page, answer, decision))
    }
}

fn number(text: &str) -> Result<i64, String> {
    let bare = text.trim_start_matches("obs://").trim_start_matches('#');
    bare.parse().map_err(|_| "use the number of an entry, such as 42".to_owned())
}

fn render(page: &mut Page, answer: &WhyAnswer, decision_page: fn(&mut Page, &Decided)) {
    match (&answer.injection, &answer.entry) {
        (Some(injection), _) => {
            injected(page, injection, decision_page);
            if let Some(start) = &answer.start {
                page.end().text("the same session started with:").end();
                injected(page, start, decision_page);
            }
        }
        (None, Some(entry)) => times_injected(page, entry),
        (None, None) => {
            page.text("nothing was injected in this project yet").end();
        }
    }
}

/// The section of the question for a rule, which is no line to stop showing.
const ASK: &str = "ask";

fn injected(page: &mut Page, injection: &WhyInjection, decision_page: fn(&mut Page, &Decided)) {
    let lines = count(i64::from(injection.lines), "line");
    page.strong(format!("{lines}, {} tokens", injection.tokens))
        .text(format!(" on {}, {}", injection.cause, time::long_of_text(&injection.at)))
        .end();
    page.faint("session:").text(" ").text(&injection.session).end();
    for line in &injection.injected {
        injected_line(page, line);
    }
    if let Some(decision) = &injection.decision {
        decision_page(page, decision);
    }
    if let Some(line) = injection.injected.iter().find(|line| line.section.as_deref() != Some(ASK)) {
        page.faint(format!("`nudge stop-showing {}` stops injecting a line", line.id)).end();
    }
    if !injection.left_out.is_empty() {
        page.text(format!("left out: {}", injection.left_out.len())).end();
    }
    for line in injection.left_out.iter().take(LEFT_OUT) {
        let columns = page.columns();
        page.text(format!("  #{:<7} ", line.id)).text(cut(&line.what, columns, 11)).end();
        page.faint(format!("           {}", cut(&line.why, columns, 11))).end();
    }
}

fn injected_line(page: &mut Page, line: &WhyLine) {
    let columns = page.columns();
    let what = cut(&line.what, columns, 17);
    page.text(format!("  #{:<7} {:>4}  ", line.id, line.tokens)).text(what).end();
    let used = if line.used_at.is_some() { "; used" } else { "" };
    let section = line.section.as_deref().unwrap_or("none");
    let why = cut(&format!("{section}: {}{used}", line.why), columns, 11);
    page.faint(format!("           {why}")).end();
}

fn times_injected(page: &mut Page, entry: &WhyEntry) {
    page.strong(format!("#{}", entry.id)).text(" ").text(&entry.what).end();
    page.text("now: ").text(&entry.now).end();
    if entry.injected.is_empty() {
        page.text("no session got it").end();
    } else {
        page.text(format!("injected {}:", count(entry.injected.len() as i64, "time"))).end();
    }
    for time in &entry.injected {
        occasion(page, time);
    }
    if !entry.left_out.is_empty() {
        page.text(format!("left out {}:", count(entry.left_out.len() as i64, "time"))).end();
    }
    for time in entry.left_out.iter().take(LEFT_OUT) {
        occasion(page, time);
    }
}

fn occasion(page: &mut Page, when: &WhyTime) {
    let price = if when.tokens > 0 { format!(", {} tokens", when.tokens) } else { String::new() };
    let used = if when.used_at.is_some() { "; used" } else { "" };
    page.text(format!("  {} {}{price}: ", time::short_of_text(&when.at), when.cause))
        .text(&when.why)
        .text(used)
        .end();
}

// `nudge stop-showing`: stops the injection of an entry.

#[derive(Debug, Args)]
pub(crate) struct StopShowingArgs {
    /// Entry id as shown by `nudge why`, such as 42 or #42
    id: String,
    /// Allow it to be injected again
    #[arg(long)]
    again: bool,
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "everywhere")]
    project: Option<String>,
    /// Apply to every project
    #[arg(long)]
    everywhere: bool,
}

impl StopShowingArgs {
    /// Hides the entry, or shows it again.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::StopShowing)?;
        let project = if self.everywhere { ProjectParam::All } else { flags::project_or_here(self.project) };
        let params = SilenceParams { id: EntryRef::Path(self.id), project, again: self.again };
        let answer = invocation.call::<Silence>(&params, here())?;
        invocation.show(&answer, render_stopped)
    }
}

fn render_stopped(page: &mut Page, answer: &SilenceAnswer) {
    let place = answer.project.as_deref().unwrap_or("every project");
    let what = match (answer.silenced, answer.changed) {
        (true, true) => format!("is no longer injected in {place}: "),
        (true, false) => format!("was already hidden in {place}: "),
        (false, true) => format!("may be injected in {place} again: "),
        (false, false) => format!("was never hidden in {place}: "),
    };
    page.good("✔")
        .text(" ")
        .strong(format!("#{}", answer.id))
        .text(format!(" {what}"))
        .line(&answer.what)
        .end();
    if answer.silenced {
        page.faint(format!("  `nudge stop-showing {} --again` shows it again", answer.id)).end();
    }
}

// `nudge usage`: shows what was injected into sessions, what it cost, and what agents used.

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// Only from this time on, in whole days: 2d, 2026-01-31 or Unix seconds [default: 7d]
    #[arg(long, value_name = "WHEN", value_parser = durations::when, conflicts_with = "days")]
    since: Option<i64>,
    /// How many days back; the same as --since, in days
    #[arg(long, value_name = "N", hide = true)]
    days: Option<u32>,
    /// Only this project: name, id or directory
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl UsageArgs {
    /// Counts.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UsageParams {
            days: self.days.or_else(|| self.since.map(durations::days_since)),
            session: self.session,
            project: self.project.map(|said| flags::project_named(&said)),
        };
        let mut answer = invocation.call::<InjectionUsage>(&params, Context::unknown())?;
        let listing =
            Profile::ALL.map(|profile| (profile.name(), nudge_server::tokens_of_profile(profile).0));
        answer.json["every_session"] = listing.into_iter().collect();
        invocation.show(&answer, |page, answer| {
            render_usage(page, answer);
            let costs = listing.map(|(profile, tokens)| format!("{profile} {}", rounded(tokens))).join(", ");
            page.faint(format!(
                "in every session, about this many tokens for tools and instructions: {costs}"
            ));
            page.end();
        })
    }
}

/// A number of tokens to two digits, because it is an estimate.
const fn rounded(tokens: u32) -> u32 {
    let unit = if tokens < 1_000 {
        10
    } else if tokens < 10_000 {
        100
    } else {
        1_000
    };
    (tokens + unit / 2) / unit * unit
}

fn render_usage(page: &mut Page, answer: &UsageAnswer) {
    if answer.total.injections == 0 {
        page.text("nothing was injected in that time").end();
        return;
    }
    page.strong(spelled(answer.total)).end();
    for day in &answer.days {
        page.text(format!("  {}  {}", day.day, spelled(day.sum))).end();
    }
    page.faint("by session:").end();
    for session in &answer.sessions {
        page.text(format!("  {}  ", time::short_of_text(&session.at)))
            .text(&session.session)
            .faint(format!("  {} in {}", session.agent, session.project))
            .end();
        page.text(format!("      {}", spelled(session.sum))).end();
    }
}

fn spelled(sum: Sum) -> String {
    format!(
        "{} in {} ({}); used: {}, {} tokens",
        count(i64::from(sum.tokens), "token"),
        count(i64::from(sum.lines), "line"),
        count(i64::from(sum.injections), "injection"),
        count(i64::from(sum.used_lines), "line"),
        sum.used_tokens
    )
}
