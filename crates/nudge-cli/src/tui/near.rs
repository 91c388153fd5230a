//! Shortens the paths in answers, relative to the working directory, as the pages of other commands
//! do.

use nudge_memory::recall::{ListedSession, SearchAnswer, SessionTraceAnswer};

use crate::pages::recall::View;

pub(super) fn sessions(mut sessions: Vec<ListedSession>) -> Vec<ListedSession> {
    let view = View::own();
    for file in sessions.iter_mut().flat_map(|session| &mut session.files) {
        shorten(file, &view);
    }
    sessions
}

pub(super) fn trace(mut trace: SessionTraceAnswer) -> SessionTraceAnswer {
    let view = View::own();
    for row in trace.prompts.iter_mut().flat_map(|prompt| &mut prompt.observations) {
        shorten(&mut row.content_preview, &view);
    }
    trace
}

pub(super) fn found(mut found: SearchAnswer) -> SearchAnswer {
    let view = View::own();
    for row in &mut found.results {
        shorten(&mut row.content_preview, &view);
        if let Some(file) = &mut row.file_path {
            shorten(file, &view);
        }
    }
    found
}

fn shorten(text: &mut String, view: &View) {
    *text = view.shorten_path(text).into_owned();
}
