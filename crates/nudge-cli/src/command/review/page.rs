//! Proposals as text.

use nudge_memory::hints::wire::Value as HintValue;
use nudge_memory::review::{DecisionAnswer, ProposalView, ProposalsAnswer};
use nudge_memory::statements::StatementState;
use nudge_memory::statements::proposals::{Action, State};

use crate::pages::words::{count, cut, whom};
use crate::pages::{Page, diff, hint, time};

/// The blanks before everything but the id and the change.
const TEXT_INDENT: &str = "       ";

/// All proposals, and how to decide.
pub(super) fn list(page: &mut Page, answer: &ProposalsAnswer) {
    if answer.proposals.is_empty() {
        page.text("nothing to review").end();
        return;
    }
    for proposal in &answer.proposals {
        one(page, proposal);
    }
    page.faint("`nudge review accept ID` accepts one, `nudge review drop ID` rejects it").end();
}

/// The proposed change, next to the current value, and its source. A long diff is cut.
pub(crate) fn one(page: &mut Page, proposal: &ProposalView) {
    let columns = page.columns();
    facts(page, proposal, columns);
    if let Some(diff) = &proposal.diff {
        diff::short(page, diff, TEXT_INDENT, &format!("nudge show {}", proposal.id));
    }
}

/// The same, with all of its diff and its values.
pub(crate) fn in_full(page: &mut Page, proposal: &ProposalView) {
    facts(page, proposal, usize::MAX);
    if let Some(diff) = &proposal.diff {
        diff::whole(page, diff, TEXT_INDENT);
    }
}

/// Whether [`one`] leaves something out that [`in_full`] shows.
pub(super) fn is_cut(proposal: &ProposalView, columns: usize) -> bool {
    let text = |columns: usize| {
        let mut page = Page::new(columns);
        facts(&mut page, proposal, columns);
        page.into_text()
    };
    proposal.diff.as_deref().is_some_and(diff::is_long) || text(columns) != text(usize::MAX)
}

fn facts(page: &mut Page, proposal: &ProposalView, columns: usize) {
    head(page, proposal, columns);
    let mut rows: Vec<(&str, String)> = Vec::new();
    if proposal.action == Action::Remember {
        statement_rows(&mut rows, proposal)
    } else if proposal.action == Action::Run {
        command_rows(&mut rows, proposal)
    } else if proposal.path.is_some() {
        entry_rows(&mut rows, proposal)
    } else {
        change(&mut rows, proposal)
    }
    for (name, text) in rows {
        page.text(TEXT_INDENT).faint(format!("{name:<5}")).text(cut(&text, columns, 12)).end();
    }
}

fn head(page: &mut Page, proposal: &ProposalView, columns: usize) {
    page.text(format!("{:>5}  ", proposal.id));
    match (&proposal.component, &proposal.key, &proposal.text) {
        _ if proposal.path.is_some() => entry_head(page, proposal, columns),
        (Some(component), Some(key), _) => {
            page.text(format!("{} ", proposal.action.name())).strong(format!("{component}/{key}"));
        }
        (_, _, Some(text)) => {
            let verb = match proposal.action {
                Action::Remember => proposal.kind.as_str(),
                _ if proposal.tool.is_some() => "call",
                action => action.name(),
            };
            page.text(format!("{verb} ")).strong(cut(&format!("\"{text}\""), columns, 9 + verb.len()));
        }
        _ => {
            page.text(proposal.action.name());
        }
    }
    if proposal.state != State::Waiting {
        page.text(format!(" ({}", proposal.state.name()));
        if let (State::Replaced, Some(successor)) = (proposal.state, proposal.successor) {
            page.text(format!(" by {successor}"));
        }
        page.text(")");
    }
    page.end();
}

/// The user's words, and how often they were said.
fn statement_rows(rows: &mut Vec<(&str, String)>, proposal: &ProposalView) {
    // What only agents quoted counts as said in no session.
    let sessions = proposal.sessions.filter(|sessions| *sessions > 0);
    let sessions = sessions
        .map_or_else(String::new, |sessions| format!(" in {}", count(i64::from(sessions), "session")));
    let times = count(proposal.times, "time");
    let force = if proposal.in_force { ", injected" } else { "" };
    let at = time::short_of_text(&proposal.last_at);
    let how = proposal.said.first().filter(|one| one.how != "prompt");
    let how = how.map_or_else(String::new, |one| format!(" ({})", one.how));
    rows.push(("said", format!("{times}{sessions}{force}; last {at}{how}")));
    if let Some(directory) = &proposal.directory {
        rows.push(("for", directory.clone()));
    }
    for other in &proposal.contradicts {
        rows.push(("but", format!("#{} says \"{}\" ({})", other.id, other.text, whom(&other.stated_by))));
    }
    rows.extend(proposal.project.clone().map(|project| ("in", project)));
}

/// Where a command would run, with which rights, and what keeps it in.
fn command_rows(rows: &mut Vec<(&str, String)>, proposal: &ProposalView) {
    let place = proposal.directory.clone().filter(|_| proposal.tool.is_none());
    rows.extend(place.map(|directory| ("in", directory)));
    rows.extend(proposal.run.clone().map(|run| ("run", run)));
    if !proposal.rights.is_empty() {
        rows.push(("needs", proposal.rights.join(", ")));
    }
    rows.extend(proposal.sandbox.clone().map(|sandbox| ("how", sandbox)));
    rows.push(("from", from(proposal)));
}

/// The change that an agent proposes.
fn change(rows: &mut Vec<(&str, String)>, proposal: &ProposalView) {
    rows.push(match (&proposal.current, &proposal.current_stated_by) {
        (Some(current), Some(by)) => ("now", format!("{current} ({})", whom(by))),
        (None, Some(by)) => ("now", format!("(secret) ({})", whom(by))),
        _ => ("now", "(nothing)".to_owned()),
    });
    if let Some(value) = &proposal.value {
        let text = HintValue::from_json(value.clone()).map_or_else(|_| value.to_string(), |v| v.0.text());
        rows.push(("new", text));
    }
    if let Some(reason) = &proposal.reason {
        rows.push(("why", reason.clone()));
    }
    if let Some(ttl) = &proposal.ttl {
        rows.push(("ttl", ttl.clone()));
    }
    if let Some(scope) = &proposal.scope {
        rows.push(("if", hint::conditions(scope)));
    }
    rows.push(("from", from(proposal)));
}

/// Who proposed it, when and how often.
fn from(proposal: &ProposalView) -> String {
    let client = proposal.client.as_deref().map_or_else(String::new, |client| format!(" ({client})"));
    let times = if proposal.times > 1 { format!(", {} times", proposal.times) } else { String::new() };
    let at = time::short_of_text(&proposal.last_at);
    format!("{}{client}, {at}{times}", proposal.proposed_by)
}

/// The question, with the possible answers.
pub(super) fn question(page: &mut Page, proposal: &ProposalView, place: usize, all: usize) {
    page.strong("a").text(" accept  ");
    if proposal.text.is_some() {
        page.strong("e").text(" in other words  ");
    }
    page.strong("d").text(" drop  ").strong("s").text(" skip  ").strong("q").text(" quit  ");
    page.faint(format!("({place} of {all})")).end();
}

/// The result of one decision.
pub(super) fn decided(page: &mut Page, decision: &DecisionAnswer) {
    let accepted = decision.state == State::Accepted;
    page.good("✔").text(" ");
    match (&decision.component, &decision.key, &decision.hint) {
        _ if decision.path.is_some() => entry_decided(page, decision, accepted),
        (Some(component), Some(key), Some(hint)) if accepted => {
            page.text("accepted: ")
                .strong(format!("{component}/{key}"))
                .text(format!(" (v{})", hint.version));
        }
        (Some(component), Some(key), _) => {
            page.text(if accepted { "accepted: deleted " } else { "dropped the change of " });
            page.strong(format!("{component}/{key}"));
        }
        _ => statement(page, decision, accepted),
    }
    page.end();
    for other in &decision.replaced {
        page.text(format!("  it takes the place of #{}: ", other.id)).line(&other.text).end();
    }
}

fn statement(page: &mut Page, decision: &DecisionAnswer, accepted: bool) {
    match &decision.statement {
        Some(statement) if accepted && statement.state == StatementState::Forgotten => {
            page.text("accepted: forgot ")
                .strong(format!("#{}", statement.id))
                .text(" ")
                .line(&statement.text);
        }
        Some(statement) if accepted => {
            page.text("accepted: ").strong(format!("#{}", statement.id)).text(" ").line(&statement.text);
        }
        _ => {
            let text = decision.text.as_deref().unwrap_or_default();
            let word = if accepted { "accepted" } else { "dropped" };
            page.text(format!("{word} {}: ", decision.id)).line(text);
        }
    }
}

// Proposals about entries and files.

/// `change src/main.rs`, or `rename a.rs to b.rs`.
fn entry_head(page: &mut Page, proposal: &ProposalView, columns: usize) {
    let verb = match proposal.action {
        Action::Set => "change",
        Action::Move => "rename",
        action => action.name(),
    };
    let path = proposal.path.as_deref().unwrap_or_default();
    match &proposal.to {
        Some(to) => page.text(format!("{verb} ")).strong(path).text(" to ").strong(to),
        None => page.text(format!("{verb} ")).strong(cut(path, columns, 8 + verb.len())),
    };
}

/// Who wrote the entry, what changes beside its body, and who proposed that.
fn entry_rows(rows: &mut Vec<(&str, String)>, proposal: &ProposalView) {
    if let Some(by) = &proposal.current_stated_by {
        rows.push(("now", format!("stated by {}", whom(by))));
    }
    for (name, value) in proposal.attributes.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        rows.push(("fact", format!("{name}={value}")));
    }
    rows.push(("from", from(proposal)));
}

/// The decision about an entry or a file.
fn entry_decided(page: &mut Page, decision: &DecisionAnswer, accepted: bool) {
    page.text(if accepted { "accepted the change of " } else { "dropped the change of " });
    page.strong(decision.path.as_deref().unwrap_or_default());
}
