//! Drives one loop: carries out what the machine asks for, in memory, and says what it needs from
//! outside.
//!
//! A driver does not call models, runs no commands and does not wait. [`Driver::advance`] does
//! everything up to the next request, question or command, and returns what it needs; whoever holds
//! it comes back with the answer. Every step is stored before the next begins, so another process
//! can open a driver for the same run and go on.

use nudge_context::{Events, Packet, PacketEntry, PacketFacts, count_tokens, packet};
use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::run::TurnState;
use nudge_core::{EntryPath, Fault, FaultKind, Timestamp};
use nudge_grammar::{Call, Tool};
use nudge_memory::Memory;
use nudge_store::{TurnEnd, TurnRow, TurnUsage};

use crate::budget::Limits;
use crate::gbnf::grammar;
use crate::machine::{Effect, Event, FailureKind, LoopFacts, Machine, STATUS_TOO_LARGE};
use crate::plugins::PluginTools;
use crate::policy::Recorded;
use crate::prompts::{REMINDERS, system_prompt};
use crate::proposals::Sandbox;
use crate::runs::{Answer, CommandTurn, LoopWork, PluginTurn, RunCall, SentTurn, Settled};
use crate::tools::{Flags, tools_for};
use crate::verdict::is_terminal;

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
    /// The user's decision on a question, a change or a command.
    User {
        /// Its record.
        path: EntryPath,
    },
    /// The end of a command that the user accepted.
    Command(Box<CommandTurn>),
    /// The answer of a plugin to a call that may begin.
    Plugin(Box<PluginTurn>),
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
    /// Something may have been decided.
    Decided,
    /// A command or a call of a plugin has ended with this status.
    Ran {
        /// The status of its record.
        status: u16,
    },
}

/// The status of what the user accepted.
const STATUS_ACCEPTED: u16 = 200;

/// The status of a plugin that is not there.
const STATUS_NO_PLUGIN: u16 = 503;

/// The status of what the user rejected.
const STATUS_REJECTED: u16 = 403;

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
    /// The user accepted what a call proposed, now or ahead.
    pub proposal_accepted: Events<'static, CallDone>,
    /// The user refused it, or a filter did.
    pub proposal_rejected: Events<'static, CallDone>,
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
    /// The call that waits for the user, or whose command or plugin works.
    waiting: Option<usize>,
    /// What keeps commands in.
    sandbox: Sandbox,
    /// The tools of plugins.
    plugins: PluginTools,
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
            Input::Decided => match self.decided(memory, now)? {
                Step::Report(event) => event,
                Step::Need(need) => return Ok(need),
            },
            Input::Ran { status } => {
                let index = self.waiting.take().unwrap_or_default();
                Event::Decided { index, accepted: true, status }
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

// The beginning of a loop, and its continuation after another process.

/// How much of a packet may be found and shown whole before the first turn, in percent.
const GATHERED_PERCENT: u32 = 25;

impl Driver {
    /// Opens a loop that is next or under way, for a model.
    pub fn open(
        work: LoopWork,
        limits: Limits,
        mut model: ModelFacts,
        sandbox: Sandbox,
        plugins: PluginTools,
    ) -> Self {
        if let Some(limit) = work.run.context_limit {
            model.context = model.context.min(limit);
        }
        let flags = work.flags();
        let flags = Flags {
            no_interaction: flags.no_interaction,
            no_search: flags.no_search,
            no_proposals: flags.no_proposals,
            plugins: plugins.offered(work.mode()).next().is_some(),
        };
        let tools = tools_for(work.mode(), flags);
        let facts = facts(&work, flags, limits);
        Self {
            system: system_prompt(&tools, &plugins.list(work.mode()), work.run.persona.as_deref()),
            machine: Machine::new(facts),
            model,
            limits,
            tools,
            packet: None,
            sent: None,
            answer: None,
            calls: Vec::new(),
            waiting: None,
            sandbox,
            plugins,
            found_nothing: false,
            events: DriverEvents::default(),
            work,
        }
    }

    /// The first event; `None` if the loop ends here.
    fn begin(&mut self, memory: &Memory, now: Timestamp) -> Result<Option<Event>, Fault> {
        if let Some(lost) = self.work.lost_turn().cloned() {
            self.work.lose(memory, &lost, now)?;
            return Ok(None);
        }
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        let ceiling = self.model.context / 100 * self.limits.ceiling_percent;
        self.work.begin(memory, &names, ceiling / 100 * GATHERED_PERCENT, now)?;
        for problem in &self.plugins.problems {
            let turn = self.machine.turn();
            self.work.error(memory, turn, "plugin", (STATUS_NO_PLUGIN, problem), Visibility::Visible, now)?;
        }
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

// Carries out the effects of the machine, in memory.

/// What a call says that was not carried out.
const SKIPPED: &str = "Not carried out, because an earlier call of this turn failed.";

/// What an update says that is not believed.
const NOT_DONE: &str = "Not accepted: a call of this turn failed, so the work is not done.";

/// What an update says that goes on, in a turn that did nothing else.
const NOTHING_COMES: &str =
    "No tool was called, so nothing new comes. If this was the answer, send it with status 200.";

impl Driver {
    /// Hands an event to the machine, and does what it asks for. The last effect says what follows.
    fn carry_out(&mut self, memory: &Memory, event: Event, now: Timestamp) -> Result<Step, Fault> {
        let mut step = Step::Need(Need::Nothing);
        for effect in self.machine.handle(event) {
            if let Some(next) = self.effect(memory, effect, now)? {
                step = next;
            }
        }
        Ok(step)
    }

    fn effect(&mut self, memory: &Memory, effect: Effect, now: Timestamp) -> Result<Option<Step>, Fault> {
        let work = &self.work;
        match effect {
            Effect::Assemble { .. } => {
                let (estimate, ceiling) = self.assemble(memory)?;
                return Ok(Some(Step::Report(Event::Assembled { estimate, ceiling })));
            }
            Effect::Measure => {
                let (estimate, ceiling) = self.assemble(memory)?;
                return Ok(Some(Step::Report(Event::Measured { estimate, ceiling })));
            }
            Effect::Send { .. } => return self.send(memory, now).map(|need| Some(Step::Need(need))),
            Effect::Record { calls, healed, .. } => {
                return self.record(memory, calls, healed, now).map(|event| Some(Step::Report(event)));
            }
            Effect::Dispatch { index } => {
                return self.dispatch(memory, index, now).map(|event| Some(Step::Report(event)));
            }
            Effect::AwaitUser { index } => {
                self.waiting = Some(index);
                // What the user allowed ahead is decided already.
                return self.decided(memory, now).map(Some);
            }
            Effect::DemoteTurn { turn } => {
                let changed = work.demote_turn(memory, turn, now)?;
                self.found_nothing = changed == 0;
            }
            Effect::DemotePrompt => work.demote_prompt(memory, now)?,
            Effect::WriteError { turn, slug, status, body } => {
                work.error(memory, turn, slug, (status, &body), Visibility::Visible, now)?;
            }
            Effect::WriteOverflow { slug: "overflow_previous_turn", .. } if self.found_nothing => {}
            Effect::WriteOverflow { turn, slug, body, is_shown } => {
                let visibility = if is_shown { Visibility::Visible } else { Visibility::Archived };
                work.error(memory, turn, slug, (STATUS_TOO_LARGE, &body), visibility, now)?;
            }
            Effect::Skip { index } => {
                let state = (EntryState::Cancelled, Some("aborted"));
                work.finish(memory, self.turn(), self.call(index)?, state, SKIPPED, now)?;
            }
            Effect::Finish { index, status } => self.finish(memory, index, status, now)?,
            Effect::EndTurn { turn, state, verdict, fingerprint, errors } => {
                if let Some(sent) = self.sent.take().filter(|sent| sent.seq == turn) {
                    let fingerprint = fingerprint.to_string();
                    let end = TurnEnd { state, errors, strikes: verdict.strikes, fingerprint };
                    work.end_turn(memory, sent.id, &end, now)?;
                    self.events.turn_ended.emit(&turn);
                }
            }
            Effect::EndLoop { state, outcome, answer, reason, .. } => {
                work.end_loop(memory, state, outcome.as_deref(), &answer, &reason, now)?;
                return Ok(Some(Step::Need(Need::Nothing)));
            }
        }
        Ok(None)
    }

    /// Assembles the packet; returns its estimate and its ceiling.
    fn assemble(&mut self, memory: &Memory) -> Result<(u32, u32), Fault> {
        let (entries, prompt) = self.work.entries(memory)?;
        let packet = packet(&PacketFacts {
            prompt: prompt.as_ref(),
            entries: &entries,
            system: &self.system,
            instructions: REMINDERS,
            context_size: self.model.context,
            ceiling_percent: self.limits.ceiling_percent,
        });
        let tokens = packet.tokens;
        self.packet = Some((packet, entries));
        Ok((tokens.usage, tokens.ceiling))
    }

    fn send(&mut self, memory: &Memory, now: Timestamp) -> Result<Need, Fault> {
        let Some((packet, entries)) = self.packet.take() else { return Err(lost("no packet")) };
        let sent = self.work.send(memory, &packet, &entries, now)?;
        let run = &self.work.run;
        let turn = ModelTurn {
            id: format!("nudge-{}-{}-{}", run.created_at.as_millis(), run.id.0, sent.seq),
            turn: sent.clone(),
            system: packet.system,
            user: packet.user,
            temperature: run.temperature,
            grammar: self.model.constrained.then(|| grammar(&self.tools)),
        };
        self.sent = Some(sent);
        Ok(Need::Model(Box::new(turn)))
    }

    fn record(
        &mut self,
        memory: &Memory,
        calls: Vec<Recorded>,
        healed: Vec<String>,
        now: Timestamp,
    ) -> Result<Event, Fault> {
        let Some(sent) = self.sent.clone() else { return Err(lost("no turn")) };
        self.calls = calls.into_iter().map(run_call).collect();
        let answer = self.answer.take().map(|answer| crate::runs::Answer { healed, ..answer });
        let done = self.work.record(memory, &sent, answer.as_ref(), &self.calls, now)?;
        Ok(Event::Recorded { done })
    }

    fn dispatch(&mut self, memory: &Memory, index: usize, now: Timestamp) -> Result<Event, Fault> {
        let Some(sent) = self.sent.clone() else { return Err(lost("no turn")) };
        let call = self.call(index)?;
        match self.work.dispatch(memory, &sent, call, &self.sandbox, &self.plugins, now) {
            Ok(done) => {
                let status = done.status;
                self.events.proposal_prepare.emit(&CallDone { path: call.path.clone(), status });
                Ok(Event::Dispatched { index, status, waits_for_user: done.waits })
            }
            Err(fault) if LoopWork::is_aborted(&fault) => Err(fault),
            Err(fault) => Ok(Event::Crashed { index, message: fault.message }),
        }
    }

    /// Whether what the driver waits for is decided.
    pub fn is_decided(&self, memory: &Memory, now: Timestamp) -> Result<bool, Fault> {
        let call = self.call(self.waiting.unwrap_or_default())?;
        Ok(self.work.settle(memory, call, self.turn(), now)? != Settled::Waits)
    }

    /// What follows for the call that waits.
    fn decided(&mut self, memory: &Memory, now: Timestamp) -> Result<Step, Fault> {
        let index = self.waiting.unwrap_or_default();
        let (turn, call) = (self.turn(), self.call(index)?);
        let path = call.path.clone();
        match self.work.settle(memory, call, turn, now)? {
            Settled::Waits => Ok(Step::Need(Need::User { path })),
            Settled::Command(command) => {
                self.events.proposal_accepted.emit(&CallDone { path, status: STATUS_ACCEPTED });
                Ok(Step::Need(Need::Command(command)))
            }
            Settled::Plugin(call) => {
                self.events.proposal_accepted.emit(&CallDone { path, status: STATUS_ACCEPTED });
                Ok(Step::Need(Need::Plugin(call)))
            }
            Settled::Done(status) => {
                self.waiting = None;
                let announced = if status < 400 {
                    &self.events.proposal_accepted
                } else {
                    &self.events.proposal_rejected
                };
                announced.emit(&CallDone { path, status });
                Ok(Step::Report(Event::Decided { index, accepted: status != STATUS_REJECTED, status }))
            }
            // Its file has changed: the same call again, for the text that is there now.
            Settled::Stale => match self.dispatch(memory, index, now)? {
                Event::Dispatched { waits_for_user: true, .. } => Ok(Step::Need(Need::User { path })),
                Event::Dispatched { status, .. } => {
                    self.waiting = None;
                    Ok(Step::Report(Event::Decided { index, accepted: true, status }))
                }
                other => Ok(Step::Report(other)),
            },
        }
    }

    fn finish(&self, memory: &Memory, index: usize, status: u16, now: Timestamp) -> Result<(), Fault> {
        let call = self.call(index)?;
        let text = call.call.body.clone().unwrap_or_else(|| call.call.target.clone());
        let (state, body) = match status {
            200 if self.is_idle(call) => ((EntryState::Resolved, None), format!("{text}\n{NOTHING_COMES}")),
            200 => ((EntryState::Resolved, None), text),
            409 => ((EntryState::Failed, Some("conflict")), format!("{text}\n{NOT_DONE}")),
            _ => ((EntryState::Failed, Some("error:500")), "It failed inside Nudge.".to_owned()),
        };
        self.work.finish(memory, self.turn(), call, state, &body, now)
    }

    /// Whether this update goes on, and is all that the model said.
    fn is_idle(&self, call: &RunCall) -> bool {
        let Call { tool, status, .. } = &call.call;
        self.calls.len() == 1 && *tool == Tool::Update && !is_terminal(status.unwrap_or(102))
    }

    /// The turn that the calls belong to. The machine may be one ahead.
    fn turn(&self) -> u32 {
        self.sent.as_ref().map_or_else(|| self.machine.turn(), |sent| sent.seq)
    }

    fn call(&self, index: usize) -> Result<&RunCall, Fault> {
        self.calls.get(index).ok_or_else(|| lost("no call"))
    }
}

fn run_call(recorded: Recorded) -> RunCall {
    RunCall {
        call: recorded.call,
        path: recorded.path,
        rejection: recorded.rejection.map(|rejection| (rejection.outcome, rejection.why)),
    }
}

fn lost(what: &str) -> Fault {
    Fault::new(FaultKind::Internal, "driver", format!("the run lost its place: {what}"))
        .next("run `nudge run resume`")
}
