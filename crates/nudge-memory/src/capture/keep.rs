//! Writing a moment into the store, once, and what follows in the same transaction.

use nudge_core::event::{Manner, StartSource};
use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Provenance, Source, Tier, Timestamp};
use nudge_harness::{Harness, transcript};
use nudge_store::{
    Arrival, KnownObservation, ObservationDraft, ProjectId, PromptDraft, SessionRow, SessionSeen, Subagent,
    Voice, Writer,
};
use serde_json::{Map, Value, json};

use super::compaction::Stage;
use super::moment::{Action, AgentRef, By, Moment, Via, What};
use super::reaction::{Ended, Heard, Reaction, Stored};
use super::{fingerprint, identity, strict};
use crate::anchors;
use crate::marks::HIDDEN_ERROR;
use crate::projects::ProjectRef;

/// Within what time an imported event that agrees in session, kind and input is one that hooks told already.
const IMPORT_WINDOW_MS: i64 = 5_000;

/// What became of a moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is in the store now.
    Stored(EntryId),
    /// It was there already, or says nothing new.
    Duplicate,
    /// It was there already, and how it ended is known now.
    Settled(EntryId),
    /// There was nothing to keep.
    Nothing,
}

impl Kept {
    /// The word for it between processes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stored(_) => "stored",
            Self::Duplicate => "duplicate",
            Self::Settled(_) => "settled",
            Self::Nothing => "nothing",
        }
    }
}

/// Keeps a moment inside the caller's transaction, and runs what follows from it there.
pub fn keep(writer: &Writer<'_>, moment: &Moment, reactions: &[Reaction]) -> Result<Kept, Fault> {
    let at = Timestamp::from_millis(moment.at);
    let first = first_place(writer, moment)?;
    let moment = first.as_ref().unwrap_or(moment);
    let moment = &*strict::screened(moment);
    let project = arrive(writer, &moment.project, at)?;
    let session = writer.enter_session(&SessionSeen {
        name: &moment.session,
        harness: &moment.harness,
        harness_version: moment.harness_version.as_deref(),
        project,
        parent: parent_session(moment),
        headless: moment.headless,
        at,
    })?;
    let scene = Scene { writer, moment, session, project, at, reactions };
    let kept = scene.keep()?;
    if kept == Kept::Duplicate {
        writer.count("duplicate", 1)?;
    }
    Stored { writer, event: moment, session: &scene.session, project, at, kept }.run(reactions)?;
    Ok(kept)
}

/// How something is said by a prompt.
pub(super) const PROMPT: &str = "prompt";

/// Runs what follows when the person said something. Nobody speaks in a headless run or to a subagent.
pub(super) fn hear(heard: &Heard<'_>, reactions: &[Reaction]) -> Result<(), Fault> {
    let attended = heard.event.headless != Some(true) && heard.event.agent.is_none();
    if attended { heard.run(reactions) } else { Ok(()) }
}

/// The project of a directory, known from now on.
pub(crate) fn arrive(writer: &Writer<'_>, place: &ProjectRef, at: Timestamp) -> Result<ProjectId, Fault> {
    Ok(writer.arrive(
        &Arrival {
            key: &place.key,
            name: &place.name,
            root: &place.root,
            claim: place.said.name.as_deref(),
            remote: place.said.remote.as_deref(),
            private: place.said.private,
        },
        at,
    )?)
}

/// The same moment where its session began, when the directory it happened in is not there any more and was never known.
fn first_place(writer: &Writer<'_>, moment: &Moment) -> Result<Option<Moment>, Fault> {
    if !moment.project.said.gone || writer.project_by_key(&moment.project.key)?.is_some() {
        return Ok(None);
    }
    let Some(session) = writer.agent_session_by_name(&moment.session)? else { return Ok(None) };
    let Some(key) = writer.first_key_of(&session)? else { return Ok(None) };
    let project = ProjectRef { key, ..ProjectRef::default() };
    Ok(Some(Moment { project, ..moment.clone() }))
}

/// A subagent that has a session of its own names the session it was started from.
fn parent_session(moment: &Moment) -> Option<&str> {
    moment.agent.as_ref().filter(|agent| agent.id == moment.session)?.parent.as_deref()
}

/// One moment, in its session.
pub(super) struct Scene<'k> {
    pub(super) writer: &'k Writer<'k>,
    pub(super) moment: &'k Moment,
    pub(super) session: SessionRow,
    project: ProjectId,
    pub(super) at: Timestamp,
    reactions: &'k [Reaction],
}

impl Scene<'_> {
    fn keep(&self) -> Result<Kept, Fault> {
        match &self.moment.what {
            What::Seen | What::Subagent | What::About { .. } => Ok(Kept::Nothing),
            What::Prompt { text, by } => self.prompt(text, *by, Map::new()),
            What::Said { text, manner, about, call } => {
                let how =
                    known(&[("said", Some(manner)), ("about", about.as_deref()), ("call", call.as_deref())]);
                self.prompt(text, By::User, how)
            }
            What::Action(action) => self.action(action),
            What::Concluded { text, anchors } => {
                let mut about = self.branch();
                if !anchors.is_empty() {
                    about.insert(anchors::ATTRIBUTE.to_owned(), json!(anchors));
                }
                self.event(ObservationKind::Conclusion, text, about)
            }
            What::Start { source, model } => self.start(source, model.as_deref()),
            What::Compact { trigger, ahead } => {
                let body = trigger.as_deref().unwrap_or("compact");
                if self.known(ObservationKind::SessionCompact, body)?.is_some() {
                    return Ok(Kept::Duplicate);
                }
                self.compaction(body, if *ahead { Stage::Ahead } else { Stage::Done })
            }
            What::End { reason } => {
                self.event(ObservationKind::SessionEnd, reason.as_deref().unwrap_or("end"), self.branch())
            }
        }
    }

    fn start(&self, source: &str, model: Option<&str>) -> Result<Kept, Fault> {
        let about = known(&[("model", model)]).into_iter().chain(self.branch()).collect();
        let kept = self.event(ObservationKind::SessionStart, source, about)?;
        if source == StartSource::Compact.word() && matches!(kept, Kept::Stored(_)) {
            self.compaction(source, Stage::Start)?;
        }
        Ok(kept)
    }

    /// `how` says how a person said it, when it was not by a prompt.
    fn prompt(&self, text: &str, by: By, how: Map<String, Value>) -> Result<Kept, Fault> {
        let identity = self.moment.identity;
        let known = self.writer.known_prompt(identity.hash, self.at, identity.within_ms)?;
        let told = || self.writer.same_prompt(self.session.id, text, self.at, IMPORT_WINDOW_MS);
        // Words to a call are known by the call.
        let by_call = matches!(self.moment.what, What::Said { call: Some(_), .. });
        if known.is_some() || (self.moment.via != Via::Hook && !by_call && told()?.is_some()) {
            return Ok(Kept::Duplicate);
        }
        let (voice, source) = match by {
            By::User => (Voice::Person, Source::User),
            By::Agent => (Voice::Agent, Source::Agent),
            By::System => (Voice::Program, Source::ToolOutput),
        };
        let id = self.writer.put_prompt(&PromptDraft {
            project: &self.moment.project.key,
            session: self.session.id,
            at: self.at,
            voice,
            identity: identity.hash,
            turn: self.turn(),
            body: text,
            attributes: self.agent_attributes().into_iter().chain(how).collect(),
            provenance: &self.provenance(source),
        })?;
        if by == By::User && self.is_certain() && !self.is_of_a_call_that_ran()? {
            let manner = match &self.moment.what {
                What::Said { manner, .. } => manner,
                _ => PROMPT,
            };
            self.heard(text, manner, id)?;
        }
        Ok(Kept::Stored(id))
    }

    /// Whether a refusal belongs to a call that ran: then the tool itself printed it.
    fn is_of_a_call_that_ran(&self) -> Result<bool, Fault> {
        let What::Said { call: Some(call), manner, .. } = &self.moment.what else { return Ok(false) };
        if Manner::from_name(manner) != Some(Manner::Refusal) {
            return Ok(false);
        }
        let ran = identity::of_call(&self.moment.harness, &self.moment.session, call);
        Ok(self.writer.known_observation(ran.hash, self.at, None)?.is_some())
    }

    /// Whether it is certain that the person said it. A hook's word is not enough where the agent writes a transcript.
    fn is_certain(&self) -> bool {
        match self.moment.via {
            Via::Transcript => true,
            Via::Hook => {
                Harness::from_name(&self.moment.harness).is_some_and(|agent| !transcript::confirms(agent))
            }
            Via::Import => false,
        }
    }

    fn heard(&self, text: &str, manner: &str, prompt: EntryId) -> Result<(), Fault> {
        let Self { writer, moment: event, at, reactions, .. } = *self;
        hear(&Heard { writer, event, session: self.session.id, at, text, manner, prompt }, reactions)
    }

    fn action(&self, action: &Action) -> Result<Kept, Fault> {
        if let Some(known) = self.known(action.kind, &action.body)? {
            return self.again(known, action);
        }
        let target = target(action);
        if let Some((target, window)) = target
            && self.writer.seen_lately(self.session.id, target, self.at, window)?
        {
            return Ok(Kept::Duplicate);
        }
        let target = target.map(|(target, _)| target);
        let id = self.put(action, target)?;
        self.ended(action, id)?;
        Ok(Kept::Stored(id))
    }

    fn ended(&self, action: &Action, entry: EntryId) -> Result<(), Fault> {
        let Action { kind, outcome, metadata, .. } = action;
        if *outcome == Outcome::Unknown && !metadata.contains_key(HIDDEN_ERROR) {
            return Ok(());
        }
        let Self { writer, moment: event, project, at, reactions, .. } = *self;
        let (session, kind, outcome) = (self.session.id, *kind, *outcome);
        let body = &action.body;
        Ended { writer, event, entry, session, project, at, kind, body, outcome, metadata }.run(reactions)
    }

    /// Something that happened to the session itself, or that its agent concluded.
    fn event(&self, kind: ObservationKind, body: &str, metadata: Map<String, Value>) -> Result<Kept, Fault> {
        if self.known(kind, body)?.is_some() {
            return Ok(Kept::Duplicate);
        }
        self.note(kind, body, metadata)
    }

    pub(super) fn note(
        &self,
        kind: ObservationKind,
        body: &str,
        metadata: Map<String, Value>,
    ) -> Result<Kept, Fault> {
        let action = Action {
            kind,
            tool: None,
            call: None,
            body: body.to_owned(),
            files: Vec::new(),
            outcome: Outcome::Unknown,
            metadata,
        };
        Ok(Kept::Stored(self.put(&action, None)?))
    }

    fn put(&self, action: &Action, target: Option<i64>) -> Result<EntryId, Fault> {
        let concludes = action.kind == ObservationKind::Conclusion;
        let prompt = if action.kind.is_action() || concludes {
            self.writer.prompt_behind(self.session.id, self.turn(), self.at)?
        } else {
            None
        };
        let agent = self.moment.agent.as_ref();
        Ok(self.writer.put_observation(&ObservationDraft {
            project: &self.moment.project.key,
            session: self.session.id,
            prompt,
            kind: action.kind,
            at: self.at,
            identity: self.moment.identity.hash,
            event: &self.moment.event,
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
        let identity = self.moment.identity;
        let known = self.writer.known_observation(identity.hash, self.at, identity.within_ms)?;
        if known.is_some() || self.moment.via == Via::Hook {
            return Ok(known);
        }
        let told = self.writer.same_observation(self.session.id, kind, body, self.at, IMPORT_WINDOW_MS)?;
        Ok(told.map(|id| KnownObservation { id, outcome: Outcome::Success }))
    }

    /// The same call told again: news only when it now tells how the call ended.
    fn again(&self, known: KnownObservation, action: &Action) -> Result<Kept, Fault> {
        if known.outcome != Outcome::Unknown || action.outcome == Outcome::Unknown {
            return Ok(Kept::Duplicate);
        }
        self.writer.settle_observation(known.id, action.kind, action.outcome, &action.metadata, self.at)?;
        self.ended(action, known.id)?;
        Ok(Kept::Settled(known.id))
    }

    /// The branch that was checked out, as far as it is told.
    fn branch(&self) -> Map<String, Value> {
        known(&[("branch", self.moment.branch.as_deref())])
    }

    fn turn(&self) -> Option<i64> {
        self.moment.turn.as_deref().map(|turn| fingerprint::of(&[turn]))
    }

    fn agent_attributes(&self) -> Map<String, Value> {
        let Some(agent) = &self.moment.agent else {
            return Map::new();
        };
        known(&[("agent_id", Some(&agent.id)), ("agent_type", agent.kind.as_deref())])
    }

    fn provenance(&self, source: Source) -> Provenance {
        let source = if self.moment.via == Via::Import { Source::FileImport } else { source };
        Provenance {
            source,
            tier: Tier::System,
            client: Some(self.moment.harness.clone()),
            session: Some(self.moment.session.clone()),
            project: Some(self.moment.project.key.clone()),
            machine: None,
        }
    }
}

/// What another one says nothing new about, and for how many milliseconds. A failure is news each time, and makes
/// nothing old.
fn target(action: &Action) -> Option<(i64, i64)> {
    let window = action.kind.repeats_within()?;
    if matches!(action.outcome, Outcome::Failed { .. }) {
        return None;
    }
    let file = action.files.first().map_or("", String::as_str);
    Some((
        fingerprint::of(&[action.kind.name(), &nudge_secrets::redact(&action.body), file]),
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
