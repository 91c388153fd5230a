//! What a session gets unasked: on which trigger, for whom, out of what, at what price; and the same on request.
//!
//! It happens after the event itself is committed, and nothing waits for it that could not do without: whatever goes
//! wrong, the session is told nothing. What was told is entered in the ledger first and given then, so that
//! nothing is ever told that the ledger does not know.

mod assemble_context;
mod cooldown;
mod decided;
mod gate;
mod gather;
mod ledger;
mod preview;
mod reason;
mod recipient;
mod relation;
mod request;
mod trigger;
mod uncommitted;
mod usage;
mod used;
mod why;

pub use assemble_context::{
    AssembleContext, AssembleParams, AssembledContext, AssembledItem, ContextType, LeftOutItem,
    SkippedSource, SourceShare,
};
pub use decided::Decided;
pub use preview::{ContextParams, ContextPreview, LeftOutLine, PreviewContext, ToldLine};
pub use trigger::InjectionLimits;
pub(crate) use uncommitted::uncommitted;
pub use usage::{InjectionUsage, Sum, UsageAnswer, UsageDay, UsageParams, UsageSession};
pub(crate) use used::settle_use;
pub use why::{ExplainInjection, WhyAnswer, WhyEntry, WhyInjection, WhyLine, WhyParams, WhyTime};

use nudge_context::{Block, Delimiter, Hypothesis, StartFacts, Trigger, Why};
use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_store::Durability;
use serde::{Deserialize, Serialize};

use crate::capture::{Moment, What};
use crate::memory::Memory;
use gather::Gathered;
use recipient::Recipient;

/// What a session is told, with its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injected {
    /// The text, frame and all.
    pub context: String,
    /// How many lines of it tell something.
    pub lines: u32,
    /// What it costs.
    pub tokens: u32,
    /// What it says of a hypothesis, for programs that want a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<TypedReply>,
}

/// What is said of a hypothesis, for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedReply {
    /// `orphan_detected`, `reminder` or `outcome`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is said.
    pub content: String,
    /// What is suggested to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<String>,
}

impl Injected {
    /// The price in a line, for the person.
    pub fn notice(&self) -> String {
        let noun = if self.lines == 1 { "line" } else { "lines" };
        format!("nudge: {} {noun}, {} tokens", self.lines, self.tokens)
    }
}

impl Memory {
    /// What the session of an event that was just stored gets, entered in the ledger. `None` where there is nothing to
    /// say, or the event is no trigger.
    pub fn inject(
        &self,
        event: &Moment,
        limits: InjectionLimits,
        now: Timestamp,
    ) -> Result<Option<Injected>, Fault> {
        let Some(trigger) = trigger::trigger(event) else { return Ok(None) };
        let Some(budget) = limits.budget(trigger) else { return Ok(None) };
        // Most prompts are short: no index is opened for a "yes".
        if matches!(&event.what, What::Prompt { text, .. } if !gate::says_enough(text)) {
            return Ok(None);
        }
        let delimiter = delimiter()?;
        let Some((to, gathered)) = self.gathered(event, trigger, now)? else { return Ok(None) };
        let decision = gathered.facts.decision.as_ref().map(Decided::from);
        let trigger = if gathered.is_decided { Trigger::Outcome } else { trigger };
        let hypotheses = gathered.facts.hypotheses.clone();
        let Some(block) = gathered.block(trigger, budget, &delimiter, now) else { return Ok(None) };
        let is_in = |one: &&Hypothesis| block.included.iter().any(|line| line.entry == Some(one.entry));
        let said: Vec<&Hypothesis> = hypotheses.iter().filter(is_in).collect();
        let checks_in = said.iter().any(|one| matches!(one.why, Why::CheckIn(_)));
        let entered = self.store().write(Durability::Passive, |writer| {
            if checks_in {
                writer.set_tool_count(to.session.id, 0)?;
            }
            ledger::enter(writer, (to.session.id, to.project), trigger, &block, decision.as_ref(), now)
        })?;
        let typed = said.into_iter().find_map(|one| one.typed(now)).map(|typed| TypedReply {
            kind: typed.kind.to_owned(),
            content: typed.content,
            suggested_action: typed.suggested_action.map(Into::into),
        });
        Ok(entered.then(|| Injected { typed, ..injected(block) }))
    }

    /// What an event triggers, and all that its session may get then: [`Memory::inject`] chooses from it within its budget.
    pub fn candidates(&self, event: &Moment, now: Timestamp) -> Result<Option<(Trigger, StartFacts)>, Fault> {
        let Some(trigger) = trigger::trigger(event) else { return Ok(None) };
        let gathered = self.gathered(event, trigger, now)?;
        Ok(gathered.map(|(_, gathered)| (trigger, gathered.facts)))
    }

    fn gathered(
        &self,
        event: &Moment,
        trigger: Trigger,
        now: Timestamp,
    ) -> Result<Option<(Recipient, Gathered)>, Fault> {
        let index = (trigger == Trigger::Prompt).then(|| self.index().pinned());
        self.store().read(|reader| {
            let Some(to) = Recipient::of(reader, event, trigger)? else { return Ok(None) };
            let gathered = gather::gather(&to.request(reader, event, trigger, index.as_ref(), now))?;
            Ok(Some((to, gathered)))
        })
    }
}

fn injected(block: Block) -> Injected {
    Injected { lines: block.included.len() as u32, tokens: block.tokens.0, context: block.text, typed: None }
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
