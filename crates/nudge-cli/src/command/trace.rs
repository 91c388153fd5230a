//! `nudge trace`: shows a session from start to end.

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::recall::{SessionTraceAnswer, SessionTraceParams, TracedPrompt};

use super::sessions;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::flags::PeriodFlags;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};
use crate::pages::time;
use crate::pages::words::count;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Session id, or the start of it [default: the newest session here]
    session: Option<String>,
    #[command(flatten)]
    period: PeriodFlags,
}

impl TraceArgs {
    /// Shows each prompt with the actions that followed it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let session_id = match self.session {
            Some(session) => session,
            None => sessions::newest(invocation)?.ok_or_else(none_here)?,
        };
        let params = SessionTraceParams { session_id, before: self.period.until, after: self.period.since };
        let answer = invocation.call("session_trace", &params, Context::unknown())?;
        invocation.show::<SessionTraceAnswer>(&answer, |page, answer| render(page, answer, View::own()))
    }
}

fn none_here() -> Fault {
    Fault::new(FaultKind::NotFound, Fault::NO_SESSION, "no session was captured in this project")
        .next("run `nudge sessions --all` to see those of other projects")
}

fn render(page: &mut Page, answer: &SessionTraceAnswer, view: View) {
    let rows = answer.prompts.iter().flat_map(|prompt| &prompt.observations);
    let view = &view.for_rows(rows.map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    let ended = answer
        .ended_at
        .map_or_else(|| "open".to_owned(), |at| format!("ended {}", time::long_of_seconds(at, view.now)));
    page.strong(&answer.session_id);
    page.text(format!("  {}", answer.project.as_deref().unwrap_or("(no project)"))).end();
    page.faint(format!("started {}, {ended}", time::long_of_seconds(answer.started_at, view.now))).end();
    let intent = answer.summary.as_ref().and_then(|summary| summary.get("intent")?.as_str());
    if let Some(intent) = intent {
        let columns = page.columns();
        page.faint("about:").text(" ").text(cut(intent, columns, 7)).end();
    }
    if answer.prompts.is_empty() {
        page.text("nothing happened in that time").end();
    }
    answer.prompts.iter().for_each(|prompt| asked(page, prompt, view));
    if answer.truncated {
        page.faint("there is more: continue with `nudge timeline ID --after 100`").end();
    }
}

fn asked(page: &mut Page, prompt: &TracedPrompt, view: &View) {
    if prompt.prompt_id.is_some() {
        let done = count(i64::try_from(prompt.observation_count).unwrap_or(i64::MAX), "action");
        let columns = page.columns();
        let who = speaker(prompt);
        let used = who.len() + done.len() + 8;
        let said = cut(&prompt.content, columns, used);
        page.faint(format!("{who}:")).text(" \"").strong(said).text("\"");
        page.faint(format!("  {done}")).end();
    }
    for row in &prompt.observations {
        let line = Line {
            id: row.id,
            at: row.timestamp,
            kind: &row.obs_type,
            project: None,
            text: &row.content_preview,
            is_pinned: row.is_pinned,
            is_asked: false,
        };
        line.add(page, &SearchTerms::none(), view);
    }
}

/// The speaker, and the channel if it was not a prompt.
fn speaker(prompt: &TracedPrompt) -> String {
    let about = prompt.about.as_deref().map(|about| format!(" ({about})")).unwrap_or_default();
    match prompt.said.as_deref() {
        Some(said) => format!("{}, {}{about}", prompt.source, said.replace('_', " ")),
        None => prompt.source.clone(),
    }
}
