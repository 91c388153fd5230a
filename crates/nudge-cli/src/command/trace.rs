//! `nudge trace`: a session from beginning to end.

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::recall::{SessionTraceAnswer, SessionTraceParams, TracedPrompt};

use super::sessions;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::recall::{Line, View, Words, age, when};
use crate::pages::words::count;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Its id, or a beginning that no other has [default: the newest one here]
    session: Option<String>,
    /// Only what came after: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN")]
    after: Option<String>,
    /// Only what came before
    #[arg(long, value_name = "WHEN")]
    before: Option<String>,
}

impl TraceArgs {
    /// Shows each prompt with what was done about it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let time = |said: Option<String>, flag: &str| {
            let read = said.map(|text| when::parse(&text, now()));
            read.transpose().map_err(|why| Failure::Usage(format!("{flag}: {why}")))
        };
        let session_id = match self.session {
            Some(session) => session,
            None => sessions::newest(invocation)?.ok_or_else(none_here)?,
        };
        let params = SessionTraceParams {
            session_id,
            before: time(self.before, "--before")?,
            after: time(self.after, "--after")?,
        };
        let answer = invocation.call("session_trace", &params, Context::unknown())?;
        invocation.show::<SessionTraceAnswer>(&answer, |page, answer| render(page, answer, View::own()))
    }
}

fn none_here() -> Fault {
    Fault::new(FaultKind::NotFound, Fault::NO_SESSION, "no session was captured here")
        .next("`nudge sessions --all` lists those of other projects")
}

fn render(page: &mut Page, answer: &SessionTraceAnswer, view: View) {
    let rows = answer.prompts.iter().flat_map(|prompt| &prompt.observations);
    let view = &view.for_rows(rows.map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    let ended =
        answer.ended_at.map_or_else(|| "open".to_owned(), |at| format!("ended {}", age(at, view.now)));
    page.strong(&answer.session_id);
    page.text(format!("  {}", answer.project.as_deref().unwrap_or("(no project)")));
    page.faint(format!("  began {}, {ended}", age(answer.started_at, view.now))).end();
    let intent = answer.summary.as_ref().and_then(|summary| summary.get("intent")?.as_str());
    if let Some(intent) = intent {
        let columns = page.columns();
        page.faint("about:").text(" ").text(cut(intent, columns, 7)).end();
    }
    if answer.prompts.is_empty() {
        page.text("nothing in that time").end();
    }
    answer.prompts.iter().for_each(|prompt| asked(page, prompt, view));
    if answer.truncated {
        page.faint("there is more: `nudge timeline ID --after 100` goes on from the last one").end();
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
        line.add(page, &Words::none(), view);
    }
}

/// Who spoke, and how, when it was not by a prompt.
fn speaker(prompt: &TracedPrompt) -> String {
    let about = prompt.about.as_deref().map(|about| format!(" ({about})")).unwrap_or_default();
    match prompt.said.as_deref() {
        Some(said) => format!("{}, {}{about}", prompt.source, said.replace('_', " ")),
        None => prompt.source.clone(),
    }
}
