//! From what a transcript tells to what is kept, in batches.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::thread::Scope;

use nudge_core::{Fault, HookEvent, Timestamp};
use nudge_harness::transcript::{Item, Thinking};
use nudge_store::Store;

use super::known::is_known;
use super::place::{Place, Places};
use super::position::Position;
use super::report::Report;
use super::request::Request;
use super::scribe::{Batch, Scribe};
use crate::capture::{self, AgentRef, By, Here, Kept, Moment, Phase, Via, What, exclude, identity, strict};
use crate::registry;
use nudge_home::Home;

/// How many moments a dry run looks up at once.
const LOOKED_AT: usize = 1_000;

/// One import under way.
pub(super) struct Run<'i> {
    pub(super) store: &'i Store,
    pub(super) request: &'i Request,
    places: Places<'i>,
    own_root: String,
    /// The project that is wanted, by its key.
    wanted: Option<String>,
    waiting: Vec<Moment>,
    /// Writes the batches; none when nothing is written.
    scribe: Option<Scribe<'i>>,
    report: Report,
    /// The identities that a dry run has met.
    told: HashSet<i64>,
    /// Whether the memory knew a session before this import met it.
    known_sessions: HashMap<String, bool>,
    /// Sessions whose beginning this import took.
    begun: HashSet<String>,
    /// The directories that sessions began in: one may be told by several files.
    firsts: HashMap<String, String>,
    /// Whether something of the file under way was left out that may be wanted another time.
    left_out: bool,
    /// The time of an event that carries none.
    now: Timestamp,
}

impl<'i> Run<'i> {
    pub(super) fn new(
        scope: &'i Scope<'i, '_>,
        store: &'i Store,
        home: &'i Home,
        request: &'i Request,
    ) -> Self {
        let mut places = Places::new(home);
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
            scribe: (!request.dry_run).then(|| Scribe::start(scope, store, request.now)),
            report: Report { dry_run: request.dry_run, ..Report::default() },
            told: HashSet::new(),
            known_sessions: HashMap::new(),
            begun: HashSet::new(),
            firsts: HashMap::new(),
            left_out: false,
            now: request.now,
        }
    }

    /// Begins a transcript that was last written at that time.
    pub(super) fn begin(&mut self, written: Option<Timestamp>) {
        self.report.files += 1;
        self.left_out = false;
        self.now = written.unwrap_or(self.request.now).min(self.request.now);
    }

    pub(super) fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    /// Waits until all is written.
    pub(super) fn finish(mut self) -> Result<Report, Fault> {
        if let Some(scribe) = self.scribe.take() {
            self.report.add(scribe.finish()?);
        }
        self.report.sessions = self.report.seen.len() as u64;
        Ok(self.report)
    }

    /// Takes one thing that a transcript tells.
    pub(super) fn take(&mut self, item: Item, at: &Scene) -> Result<(), Fault> {
        match item {
            Item::Skipped { why, .. } => self.report.skip(why.name()),
            // Its call was in another transcript, which tells it all.
            Item::ToolEnd(_) => self.report.skip("no_call"),
            Item::Event(event) => {
                if let Some(moment) = self.event(&event, at)? {
                    self.wait(moment);
                }
            }
            Item::Thinking(thinking) => {
                if let Some(moment) = self.thinking(&thinking, at) {
                    self.wait(moment);
                }
            }
        }
        Ok(())
    }

    /// Whether a batch is full.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= self.scribe.as_ref().map_or(LOOKED_AT, Scribe::size)
    }

    /// Has what waits written, and how far it was read, in one transaction.
    pub(super) fn write(&mut self, mark: &Position) -> Result<(), Fault> {
        let moments = std::mem::take(&mut self.waiting);
        let Some(scribe) = &self.scribe else { return self.look(&moments) };
        let marks = !self.request.is_partial() && !self.left_out;
        if moments.is_empty() && !marks {
            return Ok(());
        }
        if scribe.write(Batch { moments, mark: marks.then(|| mark.clone()) }) {
            return Ok(());
        }
        // It ended early, so it has a reason.
        self.scribe.take().map_or(Ok(()), |scribe| scribe.finish().map(|_| ()))
    }

    /// What would be kept.
    fn look(&mut self, moments: &[Moment]) -> Result<(), Fault> {
        let told = &mut self.told;
        let known: Vec<bool> = self.store.read(|reader| {
            moments.iter().map(|moment| is_known(reader, moment, told)).collect::<Result<_, Fault>>()
        })?;
        for (moment, known) in moments.iter().zip(known) {
            // The id is not looked at.
            let stored = Kept::Stored(nudge_core::EntryId(0));
            self.report.count(moment, if known { Kept::Duplicate } else { stored });
        }
        Ok(())
    }

    fn wait(&mut self, moment: Moment) {
        self.waiting.push(moment);
    }

    fn event(&mut self, event: &HookEvent, at: &Scene) -> Result<Option<Moment>, Fault> {
        let cwd = event.cwd.as_deref().or(at.cwd.as_deref());
        let place = self.place(cwd, event.session.as_deref(), at);
        if let Some(why) = place.off {
            return Ok(self.leave_out(why));
        }
        let here = Here {
            now: self.now,
            project: place.project.clone(),
            headless: None,
            via: Via::Import,
            own_root: Some(self.own_root.clone()),
            is_own_tool: registry::has,
        };
        let Some(moment) = capture::read(event, &identity::told_by(event), &here) else {
            self.report.skip("no_session");
            return Ok(None);
        };
        if exclude::touches_excluded(&place.settings, &moment) {
            return Ok(self.leave_out("excluded"));
        }
        if moment.what == What::Seen {
            self.report.skip("nothing");
            return Ok(None);
        }
        let is_known = self.was_told_of(&moment.session)?;
        if matches!(moment.what, What::Start { .. })
            && (is_known || !self.begun.insert(moment.session.clone()))
        {
            // Its hooks told when it began, or another file of it; a transcript only tells when it was first written to.
            self.report.known += 1;
            return Ok(None);
        }
        Ok(self.wanted(moment))
    }

    /// Where a session stands, and where it began.
    fn place(&mut self, cwd: Option<&str>, session: Option<&str>, at: &Scene) -> Rc<Place> {
        if let (Some(session), Some(first)) = (session, at.first.as_deref().or(cwd))
            && !self.firsts.contains_key(session)
        {
            self.firsts.insert(session.to_owned(), first.to_owned());
        }
        let first = session.and_then(|session| self.firsts.get(session));
        self.places.at(cwd, first.map(String::as_str))
    }

    /// A thought happened where the session stood.
    fn thinking(&mut self, thinking: &Thinking, at: &Scene) -> Option<Moment> {
        let session = thinking.session.clone().or_else(|| at.session.clone());
        let place = self.place(at.cwd.as_deref(), session.as_deref(), at);
        if let Some(why) = place.off {
            return self.leave_out(why);
        }
        let (Some(session), Some(what)) = (session, capture::said(By::Agent, &thinking.text)) else {
            self.report.skip("nothing");
            return None;
        };
        let agent = thinking.agent.as_ref().map(|agent| AgentRef {
            id: agent.id.clone(),
            kind: agent.kind.clone(),
            parent: agent.parent.clone(),
        });
        let harness = self.request.harness.name();
        self.wanted(Moment {
            harness: harness.to_owned(),
            harness_version: None,
            event: "thinking".to_owned(),
            project: place.project.clone(),
            cwd: at.cwd.clone(),
            at: thinking.at.unwrap_or(self.now).as_millis(),
            identity: identity::of_thought(
                harness,
                &session,
                &strict::hashed(&thinking.text, place.project.said.strict),
            ),
            turn: thinking.turn.clone(),
            agent,
            headless: None,
            transcript: Some(at.path.clone()),
            worktree: None,
            remote: None,
            branch: None,
            phase: Phase::Other,
            via: Via::Import,
            what,
            session,
        })
    }

    fn wanted(&mut self, moment: Moment) -> Option<Moment> {
        if self.request.since.is_some_and(|since| moment.at < since.as_millis()) {
            return self.leave_out("before_since");
        }
        if self.wanted.as_ref().is_some_and(|wanted| *wanted != moment.project.key) {
            return self.leave_out("other_project");
        }
        Some(moment)
    }

    fn leave_out(&mut self, why: &'static str) -> Option<Moment> {
        self.left_out = true;
        self.report.skip(why);
        None
    }

    /// Whether the memory knew a session before this import met it. Asked at the first event of each, before any of it is
    /// written.
    fn was_told_of(&mut self, session: &str) -> Result<bool, Fault> {
        if let Some(known) = self.known_sessions.get(session) {
            return Ok(*known);
        }
        let known =
            self.store.read(|reader| Ok::<_, Fault>(reader.agent_session_by_name(session)?.is_some()))?;
        self.known_sessions.insert(session.to_owned(), known);
        Ok(known)
    }
}

/// Where the transcript under way stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    pub(super) path: String,
    pub(super) cwd: Option<String>,
    /// The first directory in the file.
    pub(super) first: Option<String>,
    pub(super) session: Option<String>,
}

impl Scene {
    /// Learns from an event where the session stands.
    pub(super) fn follow(&mut self, item: &Item) {
        if let Item::Event(event) = item {
            self.cwd = event.cwd.clone().or_else(|| self.cwd.take());
            self.first = self.first.take().or_else(|| self.cwd.clone());
            self.session = event.session.clone().or_else(|| self.session.take());
        }
    }
}
