//! `nudge knows`: lists statements by source and freshness.

use clap::Args;
use nudge_core::Timestamp;
use nudge_core::text::one_line;
use nudge_memory::knowledge::{Knows, KnowsAnswer, KnowsParams};
use nudge_memory::statements::{Origin, StatementState, StatementView};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::{Invocation, now};
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};

/// The columns before the text of a statement: the id, and the widest time in a list.
const TEXT_COLUMN: usize = 11 + time::SHORT_WIDTH + 2;

#[derive(Debug, Args)]
pub(crate) struct KnowsArgs {
    /// Include statements said once, hidden, corrected or withdrawn
    #[arg(long = "inactive", alias = "all")]
    all: bool,
    /// Print your statements as Markdown, for an AGENTS.md
    #[arg(long, conflicts_with = "all")]
    markdown: bool,
    #[command(flatten)]
    project: ProjectFlag,
}

impl KnowsArgs {
    /// Lists the statements.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = KnowsParams { project: self.project.param(), all: self.all };
        let answer = invocation.call::<Knows>(&params, here())?;
        if self.markdown {
            return invocation.show(&answer, render_markdown);
        }
        invocation.show(&answer, |page, answer| render(page, answer, now()))
    }
}

/// The sources, in output order.
const SOURCES: [(&str, &[Origin], bool); 5] = [
    ("you stated", &[Origin::Remembered, Origin::Accepted], false),
    ("you said in several sessions", &[Origin::SaidTwice], false),
    ("you said once (not in force)", &[Origin::SaidOnce], false),
    ("imported from notes", &[Origin::Agent], true),
    ("agents stated", &[Origin::Agent], false),
];

fn render(page: &mut Page, answer: &KnowsAnswer, now: Timestamp) {
    if answer.statements.is_empty() {
        page.text("no statements here; add one with `nudge remember TEXT`").end();
    }
    for (title, origins, is_note) in SOURCES {
        let mut of_source = answer
            .statements
            .iter()
            .filter(|one| {
                one.state == StatementState::Stands
                    && origins.contains(&one.origin)
                    && is_note == is_from_note(one)
            })
            .peekable();
        if of_source.peek().is_some() {
            page.strong(title).end();
        }
        of_source.for_each(|one| row(page, one, now));
    }
    let over: Vec<_> = answer.statements.iter().filter(|one| one.state != StatementState::Stands).collect();
    if !over.is_empty() {
        page.strong("no longer in force").end();
    }
    over.into_iter().for_each(|one| row(page, one, now));
    counts(page, answer);
}

/// Whether `nudge import notes` imported it from a file such as CLAUDE.md.
fn is_from_note(one: &StatementView) -> bool {
    one.stated_by.starts_with("an imported file")
}

fn row(page: &mut Page, one: &StatementView, now: Timestamp) {
    let age = Timestamp::parse(&one.said_at).map_or_else(String::new, |at| time::short(at, now));
    let columns = page.columns();
    page.text(format!("  #{:<7} ", one.id)).faint(format!("{age:<width$}", width = time::SHORT_WIDTH + 2));
    page.text(cut(&one.text, columns, TEXT_COLUMN)).end();
    let facts = facts(one);
    if !facts.is_empty() {
        page.faint(format!("{:TEXT_COLUMN$}{}", "", facts.join(", "))).end();
    }
}

/// Other facts about a statement.
fn facts(one: &StatementView) -> Vec<String> {
    let mut facts = Vec::new();
    match (one.state, one.successor) {
        (StatementState::Stands, _) => {}
        (StatementState::Corrected, Some(successor)) => facts.push(format!("corrected by #{successor}")),
        (StatementState::Corrected, None) => facts.push("corrected".to_owned()),
        (StatementState::Forgotten, _) => facts.push("forgotten".to_owned()),
    }
    if one.silenced {
        facts.push(format!("hidden; `nudge stop-showing {} --again` shows it", one.id));
    }
    facts.extend(one.against.map(|id| format!("not in force: contradicts #{id}")));
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
        page.text(format!(
            "{} you said once {verb} for your decision: `nudge review`",
            count(waiting, "thing")
        ))
        .end();
    }
    if answer.pinned > 0 {
        let pinned = i64::try_from(answer.pinned).unwrap_or(i64::MAX);
        page.text(format!("{} pinned", count(pinned, "observation"))).end();
    }
}

// The user's statements as Markdown, for an AGENTS.md.

/// Statements of the project come first, then those for a directory, then those that apply
/// everywhere. Statements by agents are left out, because they are not the user's.
fn render_markdown(page: &mut Page, answer: &KnowsAnswer) {
    let is_own = |one: &&StatementView| !matches!(one.origin, Origin::Agent | Origin::SaidOnce);
    let mut own: Vec<&StatementView> = answer.statements.iter().filter(is_own).collect();
    if own.is_empty() {
        return;
    }
    own.sort_by_key(|one| (one.everywhere, one.directory.clone()));
    let mut heading = None;
    for one in own {
        let title = title(one);
        if heading.as_ref() != Some(&title) {
            if heading.is_some() {
                page.end();
            }
            page.text(format!("## {title}")).end().end();
            heading = Some(title);
        }
        page.text("- ").line(one_line(&one.text)).end();
    }
}

fn title(one: &StatementView) -> String {
    match (&one.directory, one.everywhere) {
        (_, true) => "In every project".to_owned(),
        (Some(directory), false) => format!("In `{directory}`"),
        (None, false) => "In this project".to_owned(),
    }
}
