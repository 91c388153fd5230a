//! What a session is told unasked: when it begins, and when its context was emptied.
//!
//! It happens after the event itself is committed, and nothing waits for it that could not do without: whatever goes
//! wrong, the session is told nothing. What was told is entered in the ledger first and given then, so that
//! nothing is ever told that the ledger does not know.

mod best_rows;
mod facts;
mod gathered;
mod ledger;
mod preview;
mod reason;
mod restraint;
mod usage;
mod used;
mod whose;
mod why;

pub use preview::{ContextParams, ContextPreview, LeftOutLine, PreviewContext, ToldLine};
pub use usage::{InjectionUsage, Sum, UsageAnswer, UsageDay, UsageParams, UsageSession};
pub(crate) use used::settle_use;
pub use whose::Seat;
pub use why::{ExplainInjection, WhyAnswer, WhyEntry, WhyInjection, WhyLine, WhyParams, WhyTime};

use nudge_context::{Block, Budget, Delimiter, Mode};
use nudge_core::event::StartSource;
use nudge_core::tokens::Tokens;
use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_store::{Durability, ProjectId, Reader, SessionId, SessionRow};
use serde::{Deserialize, Serialize};

use crate::capture::{Moment, What, project};
use crate::memory::Memory;
use crate::settings::Settings;
use facts::Stage;
pub(crate) use facts::is_change;

/// How much a session may be told, as the settings where its agent stands say. It goes with the moment to whoever keeps it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The most tokens at a fresh start.
    pub start_tokens: u32,
    /// The most tokens after the context was emptied.
    pub recovery_tokens: u32,
}

impl Wish {
    /// What these settings allow; `None` where nothing is to be told.
    pub fn of(settings: &Settings, headless: Option<bool>) -> Option<Self> {
        let attended = headless != Some(true) || settings.inject_headless;
        (settings.inject && attended).then_some(Self {
            start_tokens: settings.inject_start_tokens,
            recovery_tokens: settings.inject_recovery_tokens,
        })
    }

    fn budget(self, mode: Mode) -> Budget {
        Budget::of(Tokens(match mode {
            Mode::Fresh => self.start_tokens,
            Mode::Recovery => self.recovery_tokens,
        }))
    }
}

/// What a session is told, with its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injected {
    /// The text, frame and all.
    pub context: String,
    /// How many lines of it tell something.
    pub lines: u32,
    /// What it costs.
    pub tokens: u32,
}

impl Injected {
    /// The price in a line, for the person.
    pub fn notice(&self) -> String {
        let noun = if self.lines == 1 { "line" } else { "lines" };
        format!("nudge: {} {noun}, {} tokens", self.lines, self.tokens)
    }
}

impl Memory {
    /// What the session of a moment that was just kept is told, entered in the ledger. `None` where there is nothing to
    /// tell, or the moment is no occasion.
    pub fn inject(&self, moment: &Moment, wish: Wish, now: Timestamp) -> Result<Option<Injected>, Fault> {
        let Some(occasion) = Occasion::of(moment) else { return Ok(None) };
        let delimiter = delimiter()?;
        let told = self.store().read(|reader| {
            let Some(told) = Audience::of(reader, moment, &occasion)? else { return Ok::<_, Fault>(None) };
            let stage = told.stage(reader, &occasion, moment, now);
            let block = stage.gathered()?.block(stage.mode, wish.budget(stage.mode), &delimiter, now);
            Ok(block.map(|block| (told, block)))
        })?;
        let Some((audience, block)) = told else { return Ok(None) };
        let entered = self.store().write(Durability::Passive, |writer| {
            ledger::enter(writer, audience.session.id, audience.project, &occasion, &block, now)
        })?;
        Ok(entered.then(|| injected(block)))
    }
}

fn injected(block: Block) -> Injected {
    Injected { lines: block.included.len() as u32, tokens: block.tokens.0, context: block.text }
}

/// What a session is told on the occasion of.
pub(crate) struct Occasion {
    pub(crate) cause: String,
    pub(crate) mode: Mode,
    /// Whether the agent still has what it was told before.
    pub(crate) remembers: bool,
}

impl Occasion {
    fn of(moment: &Moment) -> Option<Self> {
        let What::Start { source, .. } = &moment.what else { return None };
        // A subagent is told what it needs by whoever started it; and what happened nowhere in particular has nothing in common.
        if moment.agent.is_some() || moment.project.key == project::UNKNOWN {
            return None;
        }
        let source = StartSource::from_word(source);
        let mode = match source {
            StartSource::Startup | StartSource::Fork | StartSource::Resume => Mode::Fresh,
            StartSource::Clear | StartSource::Compact => Mode::Recovery,
            StartSource::Other(_) => return None,
        };
        Some(Self { cause: source.word().to_owned(), mode, remembers: !source.empties_context() })
    }
}

impl Occasion {
    /// Whether the session was told before and still knows.
    fn is_told(&self, reader: &Reader<'_>, session: SessionId) -> Result<bool, Fault> {
        Ok(self.remembers && !reader.injections_of_session(session, 1)?.is_empty())
    }
}

/// Who is told.
struct Audience {
    session: SessionRow,
    project: ProjectId,
}

impl Audience {
    /// The session of a moment; `None` when it has been told already and still knows.
    fn of(reader: &Reader<'_>, moment: &Moment, occasion: &Occasion) -> Result<Option<Self>, Fault> {
        let session = reader.agent_session_by_name(&moment.session)?;
        let project = reader.project_by_key(&moment.project.key)?;
        let (Some(session), Some(project)) = (session, project) else { return Ok(None) };
        let told = occasion.is_told(reader, session.id)?;
        Ok((!told).then_some(Self { session, project }))
    }

    fn stage<'r>(
        &self,
        reader: &'r Reader<'r>,
        occasion: &Occasion,
        moment: &Moment,
        now: Timestamp,
    ) -> Stage<'r> {
        Stage {
            reader,
            project: self.project,
            session: Some(self.session.clone()),
            worktree: self.session.worktree.clone(),
            root: moment.worktree.clone().unwrap_or_else(|| moment.project.root.clone()),
            mode: occasion.mode,
            cleared: occasion.cause == StartSource::Clear.word(),
            now,
        }
    }
}

/// A delimiter that nothing remembered can know.
pub(crate) fn delimiter() -> Result<Delimiter, Fault> {
    let mut random = [0; 6];
    getrandom::fill(&mut random).map_err(|error| {
        Fault::new(FaultKind::Unavailable, "no_random", format!("no random numbers can be had: {error}"))
            .next("try again")
    })?;
    Ok(Delimiter::new(random))
}
