//! Drives one loop: carries out what the machine asks for, in memory, and says what it needs from
//! outside.
//!
//! A driver does not call models and does not wait. [`Driver::advance`] does everything up to the
//! next request or question, and returns what it needs; whoever holds it comes back with the
//! answer. Every step is stored before the next begins, so another process can open a driver for
//! the same run and go on.

mod effects;
mod opening;

use crate::runs::{Answer, LoopWork, RunCall, SentTurn};
use nudge_context::{Events, Packet, PacketEntry, count_tokens};
use nudge_core::{EntryPath, Fault, Timestamp};
use nudge_grammar::Tool;
use nudge_memory::Memory;
use nudge_store::TurnUsage;

use crate::limits::Limits;
use crate::machine::{Event, FailureKind, Machine};

/// What is known of a loop's model.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// How many tokens it can read.
    pub context: u32,
    /// Whether its answers are bound to the grammar of the tags.
    pub constrained: bool,
}

/// A request to the model of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelTurn {
    /// The turn.
    pub turn: SentTurn,
    /// Identifies the request. No two requests of any run have the same.
    pub id: String,
    /// The system message.
    pub system: String,
    /// The user message.
    pub user: String,
    /// How freely the model chooses words, if the run says so.
    pub temperature: Option<f64>,
    /// The grammar that binds the answer.
    pub grammar: Option<String>,
}

/// What a driver needs before it can go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// The answer of the model.
    Model(Box<ModelTurn>),
    /// The user's answer to a question.
    User {
        /// The record of the question.
        path: EntryPath,
    },
    /// Nothing: the loop has ended.
    Nothing,
}

/// What a driver gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Begin, or go on after another process.
    Go,
    /// The model answered.
    Answered {
        /// What it wrote.
        text: String,
        /// Its reasoning, if it was sent apart.
        reasoning: String,
        /// What it reported.
        usage: TurnUsage,
        /// Whether the answer reached the limit of its length.
        finish_is_length: bool,
    },
    /// The model did not answer.
    Failed {
        /// Why.
        kind: FailureKind,
        /// The same in words.
        message: String,
    },
    /// The user decided on a question.
    Decided {
        /// 200 answered, 403 rejected; another one is a failure of the call.
        status: u16,
    },
}

/// The status of a question that the user rejected.
const REJECTED: u16 = 403;

/// A call that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDone {
    /// The path of its record.
    pub path: EntryPath,
    /// Its status; 202 waits for the user.
    pub status: u16,
}

/// What a driver announces while it advances. Every step is stored before it is announced.
#[derive(Debug, Default)]
pub struct DriverEvents {
    /// A call was carried out. What it proposes can be prepared.
    pub proposal_prepare: Events<'static, CallDone>,
    /// A turn with this number has ended.
    pub turn_ended: Events<'static, u32>,
}

/// A loop under way.
pub struct Driver {
    work: LoopWork,
    machine: Machine<'static>,
    model: ModelFacts,
    limits: Limits,
    tools: Vec<Tool>,
    system: String,
    /// The packet that was assembled last, with its entries.
    packet: Option<(Packet, Vec<PacketEntry>)>,
    /// The turn under way.
    sent: Option<SentTurn>,
    /// The answer that is being recorded.
    answer: Option<Answer>,
    calls: Vec<RunCall>,
    /// The call that waits for the user.
    waiting: Option<usize>,
    /// Whether the last step of the ladder found nothing to show less of.
    found_nothing: bool,
    /// Who follows the loop.
    pub events: DriverEvents,
}

impl Driver {
    /// The loop.
    pub const fn work(&self) -> &LoopWork {
        &self.work
    }

    /// Does everything up to the next request or question. A loop that somebody ended meanwhile
    /// needs nothing more.
    pub fn advance(&mut self, memory: &Memory, input: Input, now: Timestamp) -> Result<Need, Fault> {
        match self.drive(memory, input, now) {
            Err(fault) if LoopWork::is_aborted(&fault) => Ok(Need::Nothing),
            done => done,
        }
    }

    fn drive(&mut self, memory: &Memory, input: Input, now: Timestamp) -> Result<Need, Fault> {
        let mut event = match input {
            Input::Go => match self.begin(memory, now)? {
                Some(event) => event,
                None => return Ok(Need::Nothing),
            },
            Input::Answered { text, reasoning, mut usage, finish_is_length } => {
                // What a model does not count, we estimate.
                usage.completion.get_or_insert(u64::from(count_tokens(&text)));
                let tokens = usage.context.and_then(|tokens| u32::try_from(tokens).ok());
                self.answer = Some(Answer { text: text.clone(), reasoning, usage, healed: Vec::new() });
                Event::Answered { text, finish_is_length, tokens }
            }
            Input::Failed { kind, message } => Event::ModelFailed { kind, message },
            Input::Decided { status } => {
                let index = self.waiting.take().unwrap_or_default();
                Event::Decided { index, accepted: status != REJECTED, status }
            }
        };
        loop {
            match self.carry_out(memory, event, now)? {
                Step::Report(next) => event = next,
                Step::Need(need) => return Ok(need),
            }
        }
    }
}

/// What follows from the effects of an event.
enum Step {
    /// The next event.
    Report(Event),
    /// Something from outside.
    Need(Need),
}
