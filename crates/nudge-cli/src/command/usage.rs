//! `nudge usage`: shows what was injected into sessions, what it cost, and what agents used.

use clap::Args;
use nudge_core::Context;
use nudge_memory::inject::{Sum, UsageAnswer, UsageParams};

use crate::durations;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::time;
use crate::pages::words::count;
use crate::projects;

// The arguments. The summary is in `cli.rs`, with the others.
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
            project: self.project.map(|said| projects::named(&said)),
        };
        let answer = invocation.call("injection_usage", &params, Context::unknown())?;
        invocation.show::<UsageAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &UsageAnswer) {
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
