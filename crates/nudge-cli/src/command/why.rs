//! `nudge why`: why something was told or was not, and what it cost.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::inject::{WhyAnswer, WhyEntry, WhyInjection, WhyLine, WhyParams, WhyTime};

use super::context::decided;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{count, without_millis};
use crate::projects;

/// How many of those that were left out are named.
const LEFT_OUT: usize = 10;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// Number of an entry, with or without # [default: the last injection of the project]
    #[arg(value_parser = number)]
    id: Option<i64>,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
}

impl WhyArgs {
    /// Explains.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // What would become of an entry depends on the settings here; what was told does not.
        let settings = self.id.map(|_| invocation.settings()).transpose()?;
        let params = WhyParams {
            id: self.id,
            project: projects::named_or_here(self.project),
            tokens: settings.as_ref().map(|settings| settings.inject_start_tokens),
            enabled: settings.as_ref().map(|settings| settings.inject),
        };
        let here = surroundings::here(&working_directory());
        let answer = invocation.call("explain_injection", &params, here)?;
        invocation.show::<WhyAnswer>(&answer, render)
    }
}

fn number(text: &str) -> Result<i64, String> {
    let bare = text.trim_start_matches("obs://").trim_start_matches('#');
    bare.parse().map_err(|_| "give the number of an entry, such as 42".to_owned())
}

fn render(page: &mut Page, answer: &WhyAnswer) {
    match (&answer.injection, &answer.entry) {
        (Some(injection), _) => injected(page, injection),
        (None, Some(entry)) => told(page, entry),
        (None, None) => {
            page.text("no session here was told anything yet").end();
        }
    }
}

fn injected(page: &mut Page, injection: &WhyInjection) {
    let lines = count(i64::from(injection.lines), "line");
    page.strong(format!("{lines}, {} tokens", injection.tokens))
        .text(format!(", told at {} to session ", without_millis(&injection.at)))
        .text(&injection.session)
        .text(format!(" on {}", injection.cause))
        .end();
    for line in &injection.told {
        told_line(page, line);
    }
    if let Some(decision) = &injection.decision {
        decided(page, decision);
    }
    if let Some(line) = injection.told.first() {
        page.faint(format!("`nudge stop-showing {}` keeps a line out from now on", line.id)).end();
    }
    if !injection.left_out.is_empty() {
        page.text(format!("left out: {}", injection.left_out.len())).end();
    }
    for line in injection.left_out.iter().take(LEFT_OUT) {
        page.text(format!("  #{:<7} ", line.id)).text(&line.what).end();
        page.faint(format!("           {}", line.why)).end();
    }
}

fn told_line(page: &mut Page, line: &WhyLine) {
    page.text(format!("  #{:<7} {:>4}  ", line.id, line.tokens)).text(&line.what).end();
    let used = if line.used_at.is_some() { "; used" } else { "" };
    let section = line.section.as_deref().unwrap_or("none");
    page.faint(format!("           {section}: {}{used}", line.why)).end();
}

fn told(page: &mut Page, entry: &WhyEntry) {
    page.strong(format!("#{}", entry.id)).text(" ").text(&entry.what).end();
    page.text("now: ").text(&entry.now).end();
    if entry.told.is_empty() {
        page.text("no session was told it").end();
    } else {
        page.text(format!("told {}:", count(entry.told.len() as i64, "time"))).end();
    }
    for time in &entry.told {
        moment(page, time);
    }
    if !entry.left_out.is_empty() {
        page.text(format!("left out {}:", count(entry.left_out.len() as i64, "time"))).end();
    }
    for time in entry.left_out.iter().take(LEFT_OUT) {
        moment(page, time);
    }
}

fn moment(page: &mut Page, time: &WhyTime) {
    let price = if time.tokens > 0 { format!(", {} tokens", time.tokens) } else { String::new() };
    let used = if time.used_at.is_some() { "; used" } else { "" };
    page.text(format!("  {} {}{price}: ", without_millis(&time.at), time.cause))
        .text(&time.why)
        .text(used)
        .end();
}
