//! Writes a captured event into the store, once, and runs its reactions in the same transaction.

use nudge_core::event::{SpeechKind, StartSource};
use nudge_core::{
    EntryId, Fault, ObservationKind, Outcome, Provenance, Source, Speaker, Tier, Timestamp, named_enum,
};
use nudge_harness::{Harness, transcript};
use nudge_outcomes::fingerprint;
use nudge_outcomes::marks::HIDDEN_ERROR;
use nudge_store::{
    KnownObservation, Near, ObservationDraft, ProjectId, PromptDraft, SeenDirectory, SessionRow, SessionSeen,
    Subagent, Writer,
};
use serde_json::{Map, Value, json};

use super::captured_event::{Action, AgentRef, CapturedEvent, CapturedVia, EventBody};
use super::reaction::{Ended, Reaction, StoreOutcome, Stored, UserSpoke};
use super::{identity, strict};
use crate::anchors;
use crate::projects::ProjectRef;

/// An imported event was already captured by a hook if session, kind and input match within this
/// time.
const IMPORT_WINDOW_MS: i64 = 5_000;

/// Stores a captured event in the caller's transaction, and runs its reactions there.
pub fn store_event(
    writer: &Writer<'_>,
    captured: &CapturedEvent,
    reactions: &[Reaction],
) -> Result<StoreOutcome, Fault> {
    let at = Timestamp::from_millis(captured.at);
    let first = at_session_start_dir(writer, captured)?;
    let captured = first.as_ref().unwrap_or(captured);
    let captured = &*strict::screened(captured);
    let project = record_project(writer, &captured.project, at)?;
    let session = writer.enter_session(&SessionSeen {
        name: &captured.session,
        harness: &captured.harness,
        harness_version: captured.harness_version.as_deref(),
        project,
        parent: parent_session(captured),
        headless: captured.headless,
        at,
    })?;
    let scene = EventInSession { writer, captured, session, project, at, reactions };
    let outcome = scene.store()?;
    if outcome == StoreOutcome::Duplicate {
        writer.count("duplicate", 1)?;
    }
    Stored { writer, event: captured, session: &scene.session, project, at, outcome }.run(reactions)?;
    Ok(outcome)
}

/// The manner of a prompt.
pub(super) const PROMPT_MANNER: &str = "prompt";

/// Runs the reactions to something the user said. There is no user in a headless run or in a
/// subagent.
pub(super) fn run_heard_reactions(heard: &UserSpoke<'_>, reactions: &[Reaction]) -> Result<(), Fault> {
    let attended = heard.event.headless != Some(true) && heard.event.agent.is_none();
    if attended { heard.run(reactions) } else { Ok(()) }
}

/// The project of a directory; recorded if it is new.
pub(crate) fn record_project(
    writer: &Writer<'_>,
    place: &ProjectRef,
    at: Timestamp,
) -> Result<ProjectId, Fault> {
    Ok(writer.arrive(
        &SeenDirectory {
            key: &place.key,
            name: &place.name,
            root: &place.root,
            claim: place.claims.name.as_deref(),
            remote: place.claims.remote.as_deref(),
            private: place.claims.private,
        },
        at,
    )?)
}

/// The event moved to the directory where its session began, if its own directory no longer exists
/// and was never recorded.
fn at_session_start_dir(
    writer: &Writer<'_>,
    captured: &CapturedEvent,
) -> Result<Option<CapturedEvent>, Fault> {
    if !captured.project.claims.gone || writer.project_by_key(&captured.project.key)?.is_some() {
        return Ok(None);
    }
    let Some(session) = writer.agent_session_by_name(&captured.session)? else { return Ok(None) };
    let Some(key) = writer.first_key_of(&session)? else { return Ok(None) };
    let project = ProjectRef { key, ..ProjectRef::default() };
    Ok(Some(CapturedEvent { project, ..captured.clone() }))
}

/// A subagent with its own session names the session that started it.
fn parent_session(captured: &CapturedEvent) -> Option<&str> {
    captured.agent.as_ref().filter(|agent| agent.id == captured.session)?.parent.as_deref()
}

/// One captured event, in its session.
struct EventInSession<'k> {
    pub(super) writer: &'k Writer<'k>,
    pub(super) captured: &'k CapturedEvent,
    pub(super) session: SessionRow,
    project: ProjectId,
    pub(super) at: Timestamp,
    reactions: &'k [Reaction],
}

impl EventInSession<'_> {
    fn store(&self) -> Result<StoreOutcome, Fault> {
        match &self.captured.what {
            EventBody::Seen | EventBody::Subagent | EventBody::About { .. } => Ok(StoreOutcome::Nothing),
            EventBody::Prompt { text, by } => self.prompt(text, *by, Map::new()),
            EventBody::Said { text, manner, about, call } => {
                let how =
                    known(&[("said", Some(manner)), ("about", about.as_deref()), ("call", call.as_deref())]);
                self.prompt(text, Speaker::Person, how)
            }
            EventBody::Action(action) => self.action(action),
            EventBody::Concluded { text, anchors } => {
                let mut about = self.branch();
                if !anchors.is_empty() {
                    about.insert(anchors::ATTRIBUTE.to_owned(), json!(anchors));
                }
                self.event(ObservationKind::Conclusion, text, about)
            }
            EventBody::Start { source, model } => self.start(source, model.as_deref()),
            EventBody::Compact { trigger, ahead } => {
                let body = trigger.as_deref().unwrap_or("compact");
                if self.known(ObservationKind::SessionCompact, body)?.is_some() {
                    return Ok(StoreOutcome::Duplicate);
                }
                self.compaction(body, if *ahead { Stage::Ahead } else { Stage::Done })
            }
            EventBody::End { reason } => {
                self.event(ObservationKind::SessionEnd, reason.as_deref().unwrap_or("end"), self.branch())
            }
        }
    }

    fn start(&self, source: &str, model: Option<&str>) -> Result<StoreOutcome, Fault> {
        let about = known(&[("model", model)]).into_iter().chain(self.branch()).collect();
        let outcome = self.event(ObservationKind::SessionStart, source, about)?;
        if source == StartSource::Compact.word() && matches!(outcome, StoreOutcome::Stored(_)) {
            self.compaction(source, Stage::Start)?;
        }
        Ok(outcome)
    }

    /// `how` records how the user said it, if it was not in a prompt.
    fn prompt(&self, text: &str, by: Speaker, how: Map<String, Value>) -> Result<StoreOutcome, Fault> {
        let identity = self.captured.identity;
        let known = self.writer.known_prompt(identity.hash, self.at, identity.within_ms)?;
        let reported = || self.writer.same_prompt(self.session.id, text, self.at, IMPORT_WINDOW_MS);
        // Words said in response to a call are identified by the call.
        let by_call = matches!(self.captured.what, EventBody::Said { call: Some(_), .. });
        if known.is_some() || (self.captured.via != CapturedVia::Hook && !by_call && reported()?.is_some()) {
            return Ok(StoreOutcome::Duplicate);
        }
        let (speaker, source) = match by {
            Speaker::Person => (Speaker::Person, Source::User),
            Speaker::Agent => (Speaker::Agent, Source::Agent),
            Speaker::Program => (Speaker::Program, Source::ToolOutput),
        };
        let id = self.writer.put_prompt(&PromptDraft {
            project: &self.captured.project.key,
            session: self.session.id,
            at: self.at,
            speaker,
            identity: identity.hash,
            turn: self.turn(),
            body: text,
            attributes: self.agent_attributes().into_iter().chain(how).collect(),
            provenance: &self.provenance(source),
        })?;
        if by == Speaker::Person && self.is_certain() && !self.belongs_to_finished_call()? {
            let manner = match &self.captured.what {
                EventBody::Said { manner, .. } => manner,
                _ => PROMPT_MANNER,
            };
            self.heard(text, manner, id)?;
        }
        Ok(StoreOutcome::Stored(id))
    }

    /// Whether a rejection belongs to a call that ran: then the tool itself printed it.
    fn belongs_to_finished_call(&self) -> Result<bool, Fault> {
        let EventBody::Said { call: Some(call), manner, .. } = &self.captured.what else { return Ok(false) };
        if SpeechKind::from_name(manner) != Some(SpeechKind::Refusal) {
            return Ok(false);
        }
        let ran = identity::of_call(&self.captured.harness, &self.captured.session, call);
        Ok(self.writer.known_observation(ran.hash, self.at, None)?.is_some())
    }

    /// Whether it is certain that the user said it. A hook alone is not enough if the agent writes
    /// a transcript.
    fn is_certain(&self) -> bool {
        match self.captured.via {
            CapturedVia::Transcript | CapturedVia::OwnImport => true,
            CapturedVia::Hook => Harness::from_name(&self.captured.harness)
                .is_some_and(|agent| !transcript::transcript_has_prompts(agent)),
            CapturedVia::Import => false,
        }
    }

    fn heard(&self, text: &str, manner: &str, prompt: EntryId) -> Result<(), Fault> {
        let Self { writer, captured: event, at, reactions, .. } = *self;
        run_heard_reactions(
            &UserSpoke { writer, event, session: self.session.id, at, text, manner, prompt },
            reactions,
        )
    }

    fn action(&self, action: &Action) -> Result<StoreOutcome, Fault> {
        if let Some(known) = self.known(action.kind, &action.body)? {
            return self.update_known_call(known, action);
        }
        let target = target(action);
        if let Some((target, window)) = target
            && self.writer.seen_lately(self.session.id, target, self.at, window)?
        {
            return Ok(StoreOutcome::Duplicate);
        }
        let target = target.map(|(target, _)| target);
        let id = self.put(action, target)?;
        self.ended(action, id)?;
        Ok(StoreOutcome::Stored(id))
    }

    fn ended(&self, action: &Action, entry: EntryId) -> Result<(), Fault> {
        let Action { kind, outcome, metadata, .. } = action;
        if *outcome == Outcome::Unknown && !metadata.contains_key(HIDDEN_ERROR) {
            return Ok(());
        }
        let Self { writer, captured: event, project, at, reactions, .. } = *self;
        let (session, kind, outcome) = (self.session.id, *kind, *outcome);
        let body = &action.body;
        Ended { writer, event, entry, session, project, at, kind, body, outcome, metadata }.run(reactions)
    }

    /// Something that happened to the session itself, or that its agent concluded.
    fn event(
        &self,
        kind: ObservationKind,
        body: &str,
        metadata: Map<String, Value>,
    ) -> Result<StoreOutcome, Fault> {
        if self.known(kind, body)?.is_some() {
            return Ok(StoreOutcome::Duplicate);
        }
        self.note(kind, body, metadata)
    }

    pub(super) fn note(
        &self,
        kind: ObservationKind,
        body: &str,
        metadata: Map<String, Value>,
    ) -> Result<StoreOutcome, Fault> {
        let action = Action {
            kind,
            tool: None,
            call: None,
            body: body.to_owned(),
            files: Vec::new(),
            outcome: Outcome::Unknown,
            metadata,
        };
        Ok(StoreOutcome::Stored(self.put(&action, None)?))
    }

    fn put(&self, action: &Action, target: Option<i64>) -> Result<EntryId, Fault> {
        let concludes = action.kind == ObservationKind::Conclusion;
        let prompt = if action.kind.is_action() || concludes {
            self.writer.prompt_of_event(self.session.id, self.turn(), self.at)?
        } else {
            None
        };
        let agent = self.captured.agent.as_ref();
        Ok(self.writer.put_observation(&ObservationDraft {
            project: &self.captured.project.key,
            session: self.session.id,
            prompt,
            kind: action.kind,
            at: self.at,
            identity: self.captured.identity.hash,
            event: &self.captured.event,
            tool: action.tool.as_deref(),
            subagent: agent.map(label),
            outcome: action.outcome,
            target,
            files: &action.files,
            body: &action.body,
            attributes: action.metadata.clone(),
            provenance: &self.provenance(if concludes { Source::Agent } else { Source::ToolOutput }),
        })?)
    }

    /// The observation that this one repeats.
    fn known(&self, kind: ObservationKind, body: &str) -> Result<Option<KnownObservation>, Fault> {
        let identity = self.captured.identity;
        let known = self.writer.known_observation(identity.hash, self.at, identity.within_ms)?;
        if known.is_some() || self.captured.via == CapturedVia::Hook {
            return Ok(known);
        }
        let reported =
            self.writer.same_observation(self.session.id, kind, body, self.at, IMPORT_WINDOW_MS)?;
        Ok(reported.map(|id| KnownObservation { id, outcome: Outcome::Success }))
    }

    /// The same call reported again. It is news only if its outcome is now known.
    fn update_known_call(&self, known: KnownObservation, action: &Action) -> Result<StoreOutcome, Fault> {
        if known.outcome != Outcome::Unknown || action.outcome == Outcome::Unknown {
            return Ok(StoreOutcome::Duplicate);
        }
        self.writer.settle_observation(known.id, action.kind, action.outcome, &action.metadata, self.at)?;
        self.ended(action, known.id)?;
        Ok(StoreOutcome::Settled(known.id))
    }

    /// The branch that was checked out, if reported.
    fn branch(&self) -> Map<String, Value> {
        known(&[("branch", self.captured.branch.as_deref())])
    }

    fn turn(&self) -> Option<i64> {
        self.captured.turn.as_deref().map(|turn| fingerprint(&[turn]))
    }

    fn agent_attributes(&self) -> Map<String, Value> {
        let Some(agent) = &self.captured.agent else {
            return Map::new();
        };
        known(&[("agent_id", Some(&agent.id)), ("agent_type", agent.kind.as_deref())])
    }

    fn provenance(&self, source: Source) -> Provenance {
        let source = if self.captured.via == CapturedVia::Import { Source::FileImport } else { source };
        Provenance {
            source,
            tier: Tier::System,
            client: Some(self.captured.harness.clone()),
            session: Some(self.captured.session.clone()),
            project: Some(self.captured.project.key.clone()),
            machine: None,
        }
    }
}

/// A hash of an action, and for how many milliseconds a repetition adds nothing new. A failure is
/// always new and makes nothing else old.
fn target(action: &Action) -> Option<(i64, i64)> {
    let window = action.kind.repeats_within()?;
    if matches!(action.outcome, Outcome::Failed { .. }) {
        return None;
    }
    let file = action.files.first().map_or("", String::as_str);
    Some((
        fingerprint(&[action.kind.name(), &nudge_secrets::redact(&action.body), file]),
        window.as_millis() as i64,
    ))
}

fn label(agent: &AgentRef) -> Subagent<'_> {
    Subagent { name: &agent.id, kind: agent.kind.as_deref(), parent: agent.parent.as_deref() }
}

fn known(fields: &[(&str, Option<&str>)]) -> Map<String, Value> {
    let said = fields.iter().filter_map(|(name, value)| Some(((*name).to_owned(), json!((*value)?))));
    said.collect()
}

// Records one compaction once, although several events may report it: before it, after it, and by
// the session start that follows.

/// Events of one compaction are at most this far apart. A compaction takes a minute or two.
const MAX_COMPACTION_MS: i64 = 10 * 60 * 1_000;

/// The metadata key of the stage.
const STAGE_KEY: &str = "stage";

named_enum! {
    /// The stage of a compaction that an event reports.
    pub(super) enum Stage {
        /// About to begin.
        Ahead => "before",
        /// Done.
        Done => "after",
        /// The session continues after it.
        Start => "start",
    }
}

impl EventInSession<'_> {
    /// Stores a compaction, unless the event reports the session's newest compaction again. An
    /// event of a later stage belongs to the compaction before it. A transcript's event belongs to
    /// any compaction that a hook reported.
    pub(super) fn compaction(&self, body: &str, stage: Stage) -> Result<StoreOutcome, Fault> {
        let near = self.writer.near_in_session(
            self.session.id,
            ObservationKind::SessionCompact,
            self.at,
            MAX_COMPACTION_MS,
        )?;
        let reported = Map::from_iter([(STAGE_KEY.to_owned(), json!(stage.name()))]);
        let stage_of = |near: Near| {
            let stage = near.attributes.get(STAGE_KEY)?.as_str().and_then(Stage::from_name)?;
            Some((near.id, stage))
        };
        let before = near.and_then(stage_of);
        if let Some((id, before)) = before {
            if before < stage {
                let kind = ObservationKind::SessionCompact;
                self.writer.settle_observation(id, kind, Outcome::Unknown, &reported, self.at)?;
                return Ok(StoreOutcome::Duplicate);
            }
            if self.captured.via != CapturedVia::Hook && before != stage {
                return Ok(StoreOutcome::Duplicate);
            }
        }
        self.note(ObservationKind::SessionCompact, body, reported)
    }
}
