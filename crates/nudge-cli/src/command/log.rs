//! `nudge log`: earlier versions of hints, and who changed them.

use crate::pages::words::whom;
use clap::Args;
use nudge_core::Context;
use nudge_memory::hints::{LogAnswer, LogParams, LogRow};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;
use crate::pages::time;

// The arguments. The summary is in `cli.rs`, with the others.
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
        let answer = invocation.call("hint_log", &params, Context::unknown())?;
        invocation.show::<LogAnswer>(&answer, render)
    }
}

fn render(page: &mut Page, answer: &LogAnswer) {
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
