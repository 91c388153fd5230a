//! `nudge knows`: what is stated, by source and freshness.

mod markdown;

use clap::Args;
use nudge_core::{Timestamp, text};
use nudge_home::surroundings;
use nudge_memory::knowledge::{KnowsAnswer, KnowsParams};
use nudge_memory::statements::{Origin, Standing, StatementView};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::words::count;
use crate::projects;

/// The columns before the text of a statement.
const BEFORE: usize = 22;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct KnowsArgs {
    /// What was said once, silenced, corrected or forgotten, too
    #[arg(long)]
    all: bool,
    /// Print what you stated as Markdown, for an AGENTS.md
    #[arg(long, conflicts_with = "all")]
    markdown: bool,
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
}

impl KnowsArgs {
    /// Lists it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = KnowsParams { project: projects::named_or_here(self.project), all: self.all };
        let answer = invocation.call("knows", &params, surroundings::here(&working_directory()))?;
        if self.markdown {
            return invocation.show::<KnowsAnswer>(&answer, markdown::render);
        }
        invocation.show::<KnowsAnswer>(&answer, |page, answer| render(page, answer, now()))
    }
}

/// The sources, in the order of the answer.
const SOURCES: [(&str, &[Origin]); 4] = [
    ("you stated", &[Origin::Remembered, Origin::Accepted]),
    ("you said in several sessions", &[Origin::SaidTwice]),
    ("you said once (not in force)", &[Origin::SaidOnce]),
    ("agents stated", &[Origin::Agent]),
];

fn render(page: &mut Page, answer: &KnowsAnswer, now: Timestamp) {
    if answer.statements.is_empty() {
        page.text("nothing is stated here; `nudge remember` states something").end();
    }
    for (title, origins) in SOURCES {
        let mut of_source = answer
            .statements
            .iter()
            .filter(|one| one.state == Standing::Stands && origins.contains(&one.origin))
            .peekable();
        if of_source.peek().is_some() {
            page.strong(title).end();
        }
        of_source.for_each(|one| row(page, one, now));
    }
    let over: Vec<_> = answer.statements.iter().filter(|one| one.state != Standing::Stands).collect();
    if !over.is_empty() {
        page.strong("not in force any more").end();
    }
    over.into_iter().for_each(|one| row(page, one, now));
    counts(page, answer);
}

fn row(page: &mut Page, one: &StatementView, now: Timestamp) {
    let age = Timestamp::parse(&one.said_at).map_or_else(String::new, |at| text::age_or_day(at, now));
    let columns = page.columns();
    page.text(format!("  #{:<7} ", one.id)).faint(format!("{age:<11}"));
    page.text(cut(&one.text, columns, BEFORE)).end();
    let facts = facts(one);
    if !facts.is_empty() {
        page.faint(format!("{:BEFORE$}{}", "", facts.join(", "))).end();
    }
}

/// What else is to be known of a statement.
fn facts(one: &StatementView) -> Vec<String> {
    let mut facts = Vec::new();
    match (one.state, one.successor) {
        (Standing::Stands, _) => {}
        (Standing::Corrected, Some(successor)) => facts.push(format!("corrected by #{successor}")),
        (Standing::Corrected, None) => facts.push("corrected".to_owned()),
        (Standing::Forgotten, _) => facts.push("forgotten".to_owned()),
    }
    if one.silenced {
        facts.push(format!("not shown; `nudge stop-showing {} --again` shows it", one.id));
    }
    facts.extend(one.against.map(|id| format!("not in force, speaks against #{id}")));
    if one.routine {
        facts.push("routine".to_owned());
    }
    facts.extend(one.directory.as_ref().map(|directory| format!("for {directory}")));
    facts.extend(one.drift.clone());
    if one.everywhere {
        facts.push("in every project".to_owned());
    }
    if one.times > 1 {
        let sessions = if one.sessions > 0 {
            format!(" in {}", count(i64::from(one.sessions), "session"))
        } else {
            String::new()
        };
        facts.push(format!("said {} times{sessions}", one.times));
    }
    facts
}

fn counts(page: &mut Page, answer: &KnowsAnswer) {
    if answer.waiting > 0 {
        let waiting = i64::try_from(answer.waiting).unwrap_or(i64::MAX);
        let verb = if waiting == 1 { "waits" } else { "wait" };
        page.text(format!("{} said once {verb} for you: `nudge review`", count(waiting, "thing"))).end();
    }
    if answer.pinned > 0 {
        let pinned = i64::try_from(answer.pinned).unwrap_or(i64::MAX);
        page.text(format!("{} pinned", count(pinned, "observation"))).end();
    }
}
