//! The beginning of a loop, and its continuation after another process.

use crate::runs::LoopWork;
use nudge_core::run::TurnState;
use nudge_core::{Fault, Timestamp};
use nudge_memory::Memory;
use nudge_store::TurnRow;

use super::{Driver, DriverEvents, ModelFacts};
use crate::limits::Limits;
use crate::machine::{Event, LoopFacts, Machine};
use crate::prompts::system_prompt;
use crate::tools::{Flags, tools_for};

/// How much of a packet may be found and shown whole before the first turn, in percent.
const GATHERED_PERCENT: u32 = 25;

impl Driver {
    /// Opens a loop that is next or under way, for a model.
    pub fn open(work: LoopWork, limits: Limits, mut model: ModelFacts) -> Self {
        if let Some(limit) = work.run.context_limit {
            model.context = model.context.min(limit);
        }
        let flags = work.flags();
        let flags = Flags {
            no_interaction: flags.no_interaction,
            no_search: flags.no_search,
            no_proposals: flags.no_proposals,
        };
        let tools = tools_for(work.mode(), flags);
        let facts = facts(&work, flags, limits);
        Self {
            system: system_prompt(&tools, work.run.persona.as_deref()),
            machine: Machine::new(facts),
            model,
            limits,
            tools,
            packet: None,
            sent: None,
            answer: None,
            calls: Vec::new(),
            waiting: None,
            found_nothing: false,
            events: DriverEvents::default(),
            work,
        }
    }

    /// The first event; `None` if the loop ends here.
    pub(super) fn begin(&mut self, memory: &Memory, now: Timestamp) -> Result<Option<Event>, Fault> {
        if let Some(lost) = self.work.lost_turn().cloned() {
            self.work.lose(memory, &lost, now)?;
            return Ok(None);
        }
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        let ceiling = self.model.context / 100 * self.limits.ceiling_percent;
        self.work.begin(memory, &names, ceiling / 100 * GATHERED_PERCENT, now)?;
        let Some((sent, text)) = self.work.unfinished(memory)? else { return Ok(Some(Event::Begin)) };
        self.sent = Some(sent);
        Ok(Some(Event::Answered { text, finish_is_length: false, tokens: None }))
    }
}

/// What the machine begins from, as the stored turns have it.
fn facts(work: &LoopWork, flags: Flags, limits: Limits) -> LoopFacts {
    let is_over = |turn: &&TurnRow| !matches!(turn.state, TurnState::Sent | TurnState::Answered);
    let over: Vec<&TurnRow> = work.turns.iter().filter(is_over).collect();
    let turns_done = u32::try_from(over.len()).unwrap_or(u32::MAX);
    let current = match work.turns.last().filter(|turn| turn.state == TurnState::Answered) {
        Some(unfinished) => unfinished.seq,
        None => work.run.next_turn,
    };
    let real = |turn: &&TurnRow| {
        let context = turn.usage.context.and_then(|tokens| u32::try_from(tokens).ok())?;
        Some((turn.estimate, context))
    };
    LoopFacts {
        mode: work.mode(),
        flags,
        limits,
        first_turn: current.saturating_sub(turns_done),
        turns_done,
        strikes: over.last().map_or(0, |turn| turn.strikes),
        fingerprints: over.iter().filter_map(|turn| turn.fingerprint.as_deref()?.parse().ok()).collect(),
        previous: over.iter().rev().find_map(real),
    }
}
