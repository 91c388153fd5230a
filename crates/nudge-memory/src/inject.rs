//! Injection: what a session gets without asking. Decides on which trigger, for whom, from which
//! sources and at what cost; the same on request.
//!
//! Injection runs after the event itself is committed and never blocks anything that can go on
//! without it. If anything fails, the session gets nothing. A block is written to the ledger before
//! it is given, so the ledger has everything that was injected.

mod assemble_context;
mod cooldown;
mod gate;
mod gather;
mod ledger;
mod preview;
mod request;
mod trigger;
mod uncommitted;
mod usage;
mod why;

pub use assemble_context::{
    AssembleContext, AssembleParams, AssembledContext, AssembledItem, ContextType, LeftOutItem,
    SkippedSource, SourceShare,
};
pub use ledger::Decided;
pub use preview::{ContextParams, ContextPreview, InjectedLine, LeftOutLine, PreviewContext};
pub use trigger::InjectionLimits;
pub(crate) use uncommitted::uncommitted;
pub(crate) use usage::settle_use;
pub use usage::{InjectionUsage, Sum, UsageAnswer, UsageDay, UsageParams, UsageSession};
pub(crate) use why::explained;
pub use why::{ExplainInjection, WhyAnswer, WhyEntry, WhyInjection, WhyLine, WhyParams, WhyTime};

use nudge_context::{Block, BlockFacts, Hypothesis, HypothesisReason, Section, Trigger};
use nudge_core::{Fault, Timestamp};
use nudge_store::Durability;
use serde::{Deserialize, Serialize};

use crate::capture::{CapturedEvent, EventBody};
use crate::memory::Memory;
use crate::operation::Operation;
use gather::Gathered;
use request::{Extras, InjectionRequest, Recipient};

/// The operations on injected context.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<AssembleContext>(),
    Operation::of::<PreviewContext>(),
    Operation::of::<ExplainInjection>(),
    Operation::of::<InjectionUsage>(),
];

/// The context injected into a session, with its cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injected {
    /// The text, including its frame.
    pub context: String,
    /// How many of its lines carry content.
    pub lines: u32,
    /// Its cost in tokens.
    pub tokens: u32,
    /// What it says about a hypothesis, for programs that want a typed reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<TypedReply>,
}

/// What is said about a hypothesis, in typed form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedReply {
    /// `orphan_detected`, `reminder` or `outcome`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub content: String,
    /// The suggested next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_action: Option<String>,
}

impl Injected {
    /// What it says, line by line, without its frame.
    pub fn said(&self) -> Vec<&str> {
        self.context.lines().filter_map(|line| line.strip_prefix("- ")).collect()
    }

    /// The cost in one line, for the user.
    pub fn notice(&self) -> String {
        let noun = if self.lines == 1 { "line" } else { "lines" };
        format!("nudge: {} {noun}, {} tokens", self.lines, self.tokens)
    }
}

impl Memory {
    /// The context for the session of an event that was just stored, already in the ledger. `None`
    /// if there is nothing to inject or the event is not a trigger.
    pub fn inject(
        &self,
        event: &CapturedEvent,
        limits: InjectionLimits,
        now: Timestamp,
    ) -> Result<Option<Injected>, Fault> {
        let Some(trigger) = trigger::trigger(event) else { return Ok(None) };
        let Some(budget) = limits.budget(trigger) else { return Ok(None) };
        // Most prompts are short: no index is opened for a "yes".
        if matches!(&event.what, EventBody::Prompt { text, .. } if !gate::says_enough(text)) {
            return Ok(None);
        }
        let delimiter = request::delimiter()?;
        let extras = Extras { may_ask: limits.ask_agent, explains: false };
        let Some((to, gathered)) = self.gathered(event, trigger, extras, now)? else { return Ok(None) };
        let decision = gathered.facts.decision.as_ref().filter(|decision| decision.speaks).map(Decided::from);
        let trigger = if gathered.is_decided { Trigger::Outcome } else { trigger };
        let hypotheses = gathered.facts.hypotheses.clone();
        let Some(block) = gathered.block(trigger, budget, &delimiter, now) else { return Ok(None) };
        let is_in = |one: &&Hypothesis| block.included.iter().any(|line| line.entry == Some(one.entry));
        let shown: Vec<&Hypothesis> = hypotheses.iter().filter(is_in).collect();
        let checks_in = shown.iter().any(|one| matches!(one.why, HypothesisReason::CheckIn(_)));
        let asks = block.included.iter().any(|line| line.section == Section::Ask);
        let entered = self.store().write(Durability::Passive, |writer| {
            if asks {
                // A concurrent hook may have asked since.
                let session = writer.agent_session(to.session.id)?;
                if session.map_or(Ok(true), |session| gather::was_asked_lately(writer, &session))? {
                    return Ok(false);
                }
                writer.note_asked(to.session.id, Timestamp::from_millis(event.at))?;
            }
            if checks_in {
                writer.set_tool_count(to.session.id, 0)?;
            }
            ledger::record_injection(
                writer,
                (to.session.id, to.project),
                trigger,
                &block,
                decision.as_ref(),
                now,
            )
        })?;
        let typed = shown.into_iter().find_map(|one| one.to_message(now)).map(|typed| TypedReply {
            kind: typed.kind.to_owned(),
            content: typed.content,
            suggested_action: typed.suggested_action.map(Into::into),
        });
        Ok(entered.then(|| Injected { typed, ..injected(block) }))
    }

    /// The trigger that an event sets off, and everything its session may get then.
    /// [`Memory::inject`] chooses from it within its budget.
    pub fn candidates(
        &self,
        event: &CapturedEvent,
        now: Timestamp,
    ) -> Result<Option<(Trigger, BlockFacts)>, Fault> {
        let Some(trigger) = trigger::trigger(event) else { return Ok(None) };
        let extras = Extras { may_ask: false, explains: true };
        let gathered = self.gathered(event, trigger, extras, now)?;
        Ok(gathered.map(|(_, gathered)| (trigger, gathered.facts)))
    }

    fn gathered(
        &self,
        event: &CapturedEvent,
        trigger: Trigger,
        extras: Extras,
        now: Timestamp,
    ) -> Result<Option<(Recipient, Gathered)>, Fault> {
        let may_ask = extras.may_ask && trigger == Trigger::Prompt && gather::is_worth_asking(event);
        let extras = Extras { may_ask, ..extras };
        let index = (trigger == Trigger::Prompt).then(|| self.index().pinned());
        self.store().read(|reader| {
            let Some(to) = Recipient::of(reader, event, trigger)? else { return Ok(None) };
            let request = to.request(reader, event, trigger, index.as_ref(), now);
            let gathered = gather::gather(&InjectionRequest { extras, ..request })?;
            Ok(Some((to, gathered)))
        })
    }
}

fn injected(block: Block) -> Injected {
    Injected { lines: block.lines(), tokens: block.tokens.0, context: block.text, typed: None }
}
