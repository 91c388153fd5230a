//! Turns the contents of a transcript into captured events, in batches.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::thread::Scope;

use nudge_core::Speaker;
use nudge_core::{Fault, HookEvent, Timestamp};
use nudge_harness::transcript::{Item, Thinking};
use nudge_home::Home;
use nudge_store::Store;

use super::place::{ImportDirectories, ImportDirectory, is_known};
use super::request::{Position, Report, Request};
use super::writer::{Batch, ImportWriter};
use crate::capture::{
    self, AgentRef, CapturedEvent, EventBody, Phase, ReadContext, StoreOutcome, identity, pause, strict,
};

/// How many captured events a dry run looks up at once.
const LOOKUP_PAGE: usize = 1_000;

/// An import in progress.
pub(super) struct Run<'i> {
    pub(super) store: &'i Store,
    pub(super) request: &'i Request,
    places: ImportDirectories<'i>,
    own_root: String,
    /// The key of the only project to import.
    wanted: Option<String>,
    waiting: Vec<CapturedEvent>,
    /// Writes the batches; `None` in a dry run.
    writer: Option<ImportWriter<'i>>,
    report: Report,
    /// The identities a dry run has already seen.
    matched: HashSet<i64>,
    /// For each session, whether it was in the memory before this import.
    known_sessions: HashMap<String, bool>,
    /// Sessions for which this import stored the beginning.
    begun: HashSet<String>,
    /// The directory each session began in; several files may belong to one session.
    firsts: HashMap<String, String>,
    /// Whether something in the current file was left out that may be imported later.
    left_out: bool,
    /// The time for events without one.
    now: Timestamp,
}

impl<'i> Run<'i> {
    pub(super) fn new(
        scope: &'i Scope<'i, '_>,
        store: &'i Store,
        home: &'i Home,
        request: &'i Request,
    ) -> Self {
        let mut places = ImportDirectories::new(home);
        let wanted = request.project.as_deref().map(|dir| {
            let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
            places.at(Some(&dir.to_string_lossy()), None).project.key.clone()
        });
        Self {
            store,
            request,
            places,
            own_root: home.root().to_string_lossy().into_owned(),
            wanted,
            waiting: Vec::new(),
            writer: (!request.dry_run).then(|| ImportWriter::start(scope, store, request.now)),
            report: Report { dry_run: request.dry_run, ..Report::default() },
            matched: HashSet::new(),
            known_sessions: HashMap::new(),
            begun: HashSet::new(),
            firsts: HashMap::new(),
            left_out: false,
            now: request.now,
        }
    }

    /// Starts a transcript that was last modified at this time.
    pub(super) fn begin(&mut self, written: Option<Timestamp>) {
        self.report.files += 1;
        self.left_out = false;
        self.now = written.unwrap_or(self.request.now).min(self.request.now);
    }

    pub(super) fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    /// Waits until everything is written.
    pub(super) fn finish(mut self) -> Result<Report, Fault> {
        if let Some(writer) = self.writer.take() {
            self.report.add(writer.finish()?);
        }
        self.report.sessions = self.report.seen.len() as u64;
        Ok(self.report)
    }

    /// Processes one item of a transcript.
    pub(super) fn take(&mut self, item: Item, at: &TranscriptState) -> Result<(), Fault> {
        match item {
            Item::Skipped { why, .. } => self.report.skip(why.name()),
            // The call was in another transcript, which contains all of it.
            Item::ToolEnd(_) => self.report.skip("no_call"),
            Item::Event(event) => {
                if let Some(captured) = self.event(&event, at)? {
                    self.wait(captured);
                }
            }
            Item::Thinking(thinking) => {
                if let Some(captured) = self.thinking(&thinking, at) {
                    self.wait(captured);
                }
            }
        }
        Ok(())
    }

    /// Whether a batch is full.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.writer.as_ref().map_or(LOOKUP_PAGE, ImportWriter::size)
    }

    /// Writes the pending events and the position in one transaction.
    pub(super) fn write(&mut self, mark: &Position) -> Result<(), Fault> {
        let captured_events = std::mem::take(&mut self.waiting);
        let Some(writer) = &self.writer else { return self.look(&captured_events) };
        let marks = !self.request.is_partial() && !self.left_out;
        if captured_events.is_empty() && !marks {
            return Ok(());
        }
        if writer.write(Batch { captured_events, mark: marks.then(|| mark.clone()) }) {
            return Ok(());
        }
        // The writer stopped early, so `finish` returns the reason.
        self.writer.take().map_or(Ok(()), |writer| writer.finish().map(|_| ()))
    }

    /// Counts what would be stored.
    fn look(&mut self, captured_events: &[CapturedEvent]) -> Result<(), Fault> {
        let matched = &mut self.matched;
        let known: Vec<bool> = self.store.read(|reader| {
            captured_events
                .iter()
                .map(|captured| is_known(reader, captured, matched))
                .collect::<Result<_, Fault>>()
        })?;
        for (captured, known) in captured_events.iter().zip(known) {
            // The id is never read.
            let stored = StoreOutcome::Stored(nudge_core::EntryId(0));
            self.report.count(captured, if known { StoreOutcome::Duplicate } else { stored });
        }
        Ok(())
    }

    fn wait(&mut self, captured: CapturedEvent) {
        self.waiting.push(captured);
    }

    fn event(&mut self, event: &HookEvent, at: &TranscriptState) -> Result<Option<CapturedEvent>, Fault> {
        let cwd = event.cwd.as_deref().or(at.cwd.as_deref());
        let place = self.place(cwd, event.session.as_deref(), at);
        if let Some(why) = place.off {
            return Ok(self.leave_out(why));
        }
        let here = ReadContext {
            now: self.now,
            project: place.project.clone(),
            headless: None,
            via: self.request.via(),
            own_root: Some(self.own_root.clone()),
            is_own_tool: self.request.is_own_tool,
        };
        let Some(captured) = capture::read(event, &identity::transcript_event_key(event), &here) else {
            self.report.skip("no_session");
            return Ok(None);
        };
        if pause::touches_excluded(&place.settings, &captured) {
            return Ok(self.leave_out("excluded"));
        }
        if captured.what == EventBody::Seen {
            self.report.skip("nothing");
            return Ok(None);
        }
        let is_known = self.was_captured(&captured.session)?;
        if matches!(captured.what, EventBody::Start { .. })
            && (is_known || !self.begun.insert(captured.session.clone()))
        {
            // Hooks or another file already reported when it began; a transcript only shows when it
            // was first written to.
            self.report.known += 1;
            return Ok(None);
        }
        Ok(self.wanted(captured))
    }

    /// The place of a session, now and at its beginning.
    fn place(
        &mut self,
        cwd: Option<&str>,
        session: Option<&str>,
        at: &TranscriptState,
    ) -> Rc<ImportDirectory> {
        if let (Some(session), Some(first)) = (session, at.first.as_deref().or(cwd))
            && !self.firsts.contains_key(session)
        {
            self.firsts.insert(session.to_owned(), first.to_owned());
        }
        let first = session.and_then(|session| self.firsts.get(session));
        self.places.at(cwd, first.map(String::as_str))
    }

    /// A thought happened at the session's current place.
    fn thinking(&mut self, thinking: &Thinking, at: &TranscriptState) -> Option<CapturedEvent> {
        let session = thinking.session.clone().or_else(|| at.session.clone());
        let place = self.place(at.cwd.as_deref(), session.as_deref(), at);
        if let Some(why) = place.off {
            return self.leave_out(why);
        }
        let (Some(session), Some(what)) = (session, capture::speech(Speaker::Agent, &thinking.text)) else {
            self.report.skip("nothing");
            return None;
        };
        let agent = thinking.agent.as_ref().map(|agent| AgentRef {
            id: agent.id.clone(),
            kind: agent.kind.clone(),
            parent: agent.parent.clone(),
        });
        let harness = self.request.harness.name();
        self.wanted(CapturedEvent {
            harness: harness.to_owned(),
            harness_version: None,
            event: "thinking".to_owned(),
            project: place.project.clone(),
            cwd: at.cwd.clone(),
            at: thinking.at.unwrap_or(self.now).as_millis(),
            identity: identity::of_thought(
                harness,
                &session,
                &strict::text_to_hash(&thinking.text, place.project.claims.strict),
            ),
            turn: thinking.turn.clone(),
            agent,
            headless: None,
            transcript: Some(at.path.clone()),
            worktree: None,
            remote: None,
            branch: None,
            phase: Phase::Other,
            via: self.request.via(),
            what,
            session,
        })
    }

    fn wanted(&mut self, captured: CapturedEvent) -> Option<CapturedEvent> {
        if self.request.since.is_some_and(|since| captured.at < since.as_millis()) {
            return self.leave_out("before_since");
        }
        if self.wanted.as_ref().is_some_and(|wanted| *wanted != captured.project.key) {
            return self.leave_out("other_project");
        }
        Some(captured)
    }

    fn leave_out(&mut self, why: &'static str) -> Option<CapturedEvent> {
        self.left_out = true;
        self.report.skip(why);
        None
    }

    /// Whether a session was in the memory before this import. Checked at its first event, before
    /// any of it is written.
    fn was_captured(&mut self, session: &str) -> Result<bool, Fault> {
        if let Some(known) = self.known_sessions.get(session) {
            return Ok(*known);
        }
        let known =
            self.store.read(|reader| Ok::<_, Fault>(reader.agent_session_by_name(session)?.is_some()))?;
        self.known_sessions.insert(session.to_owned(), known);
        Ok(known)
    }
}

/// The current state of a transcript.
#[derive(Clone, Debug, Default)]
pub(super) struct TranscriptState {
    pub(super) path: String,
    pub(super) cwd: Option<String>,
    /// The first directory in the file.
    pub(super) first: Option<String>,
    pub(super) session: Option<String>,
}

impl TranscriptState {
    /// Updates the session's directory from an item.
    pub(super) fn follow(&mut self, item: &Item) {
        if let Item::Event(event) = item {
            self.cwd = event.cwd.clone().or_else(|| self.cwd.take());
            self.first = self.first.take().or_else(|| self.cwd.clone());
            self.session = event.session.clone().or_else(|| self.session.take());
        }
    }
}
