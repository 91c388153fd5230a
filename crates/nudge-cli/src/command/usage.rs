//! `nudge usage`: what agents were told unasked, what it cost, and what of it they used.

use clap::Args;
use nudge_core::Context;
use nudge_memory::inject::{Sum, UsageAnswer, UsageParams};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{count, without_millis};
use crate::projects;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// How many days back
    #[arg(long, value_name = "N", default_value_t = 7)]
    days: u32,
    /// Only this project: its directory, id or name
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only this session, by the agent's own id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl UsageArgs {
    /// Counts.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UsageParams {
            days: Some(self.days),
            session: self.session,
            project: self.project.map(|said| projects::named(&said)),
        };
        let answer = invocation.call("injection_usage", &params, Context::unknown())?;
        invocation.show::<UsageAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &UsageAnswer) {
    if answer.total.injections == 0 {
        page.text("no session was told anything in that time").end();
        return;
    }
    page.strong(spelled(answer.total)).end();
    for day in &answer.days {
        page.text(format!("  {}  {}", day.day, spelled(day.sum))).end();
    }
    page.faint("by session:").end();
    for session in &answer.sessions {
        page.text(format!("  {}  ", without_millis(&session.at)))
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
