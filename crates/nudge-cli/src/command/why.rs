//! `nudge why`: explains why something was injected or not, and what it cost.

use clap::Args;
use nudge_memory::inject::{Decided, WhyAnswer, WhyEntry, WhyInjection, WhyLine, WhyParams, WhyTime};

use super::context::{decided, verdict};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::time;
use crate::pages::words::count;

/// How many of the omitted entries to name.
const LEFT_OUT: usize = 10;

// The arguments. The summary is in `cli.rs`, with the others.
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
            limit: None,
            tokens: settings.as_ref().map(|settings| settings.inject_start_tokens),
            enabled: settings.as_ref().map(|settings| settings.inject),
        };
        let here = here();
        let answer = invocation.call("explain_injection", &params, here)?;
        let decision = if self.verbose { decided } else { verdict };
        invocation.show::<WhyAnswer>(&answer, |page, answer| render(page, answer, decision))
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
    if let Some(line) = injection.injected.first() {
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
