//! Drives a machine by a script, and shows what it asked for.

use std::collections::VecDeque;
use std::fmt::Write as _;

use nudge_agent::{Effect, Event, FailureKind, Flags, Limits, LoopFacts, Machine, Recorded};
use nudge_core::run::Mode;
use nudge_grammar::Tool;

/// What the model does on a turn.
#[derive(Clone, Copy)]
pub enum Reply {
    /// It answers.
    Say(&'static str),
    /// Its answer reaches the limit of its length.
    Cut(&'static str),
    /// It fails.
    Fail(FailureKind),
    /// It answers, and has counted this many tokens for the packet.
    Counted(u32, &'static str),
}

/// A loop and everything around it.
pub struct Script {
    pub facts: LoopFacts,
    pub replies: VecDeque<Reply>,
    /// What the user decides, in order.
    pub decisions: VecDeque<bool>,
    /// The estimates of packets before the request; 100 when there are none left.
    pub assembled: VecDeque<u32>,
    /// The estimates of packets after the calls; 100 when there are none left.
    pub measured: VecDeque<u32>,
    /// The loop is stopped when an effect is shown like this.
    pub abort_at: Option<&'static str>,
    calls: Vec<Recorded>,
}

pub const CEILING: u32 = 1_000;

impl Script {
    pub fn new(mode: Mode, replies: &[Reply]) -> Self {
        let facts = LoopFacts {
            mode,
            flags: Flags::default(),
            limits: Limits::default(),
            first_turn: 1,
            turns_done: 0,
            strikes: 0,
            fingerprints: vec![],
            previous: None,
        };
        Self {
            facts,
            replies: replies.iter().copied().collect(),
            decisions: VecDeque::new(),
            assembled: VecDeque::new(),
            measured: VecDeque::new(),
            abort_at: None,
            calls: vec![],
        }
    }

    /// Plays the loop to its end.
    pub fn play(self) -> String {
        let machine = Machine::new(self.facts.clone());
        self.play_with(machine)
    }

    /// Plays the loop of this machine to its end.
    pub fn play_with(mut self, mut machine: Machine<'_>) -> String {
        let mut page = String::new();
        let mut event = Event::Begin;
        for _ in 0..1_000 {
            let effects = machine.handle(event);
            let next = self.carry_out(&effects, &mut page);
            if machine.is_over() {
                let is_end = |effect: &Effect| matches!(effect, Effect::EndLoop { .. });
                assert_eq!(effects.iter().filter(|effect| is_end(effect)).count(), 1, "{page}");
                assert!(effects.last().is_some_and(is_end), "the end is the last effect:\n{page}");
                assert_eq!(machine.handle(Event::Begin), [], "nothing follows the end");
                return page;
            }
            assert_eq!(next.len(), 1, "each step asks for exactly one event:\n{page}");
            event = next.into_iter().next().expect("one event");
        }
        panic!("the loop does not end:\n{page}")
    }

    /// Shows the effects, and says what happens next.
    fn carry_out(&mut self, effects: &[Effect], page: &mut String) -> Vec<Event> {
        let mut next = Vec::new();
        for effect in effects {
            let line = show(effect, &mut self.calls);
            let _ = writeln!(page, "{line}");
            let event = self.answer_to(effect, page);
            let is_aborted = self.abort_at == Some(line.as_str());
            next.extend(if is_aborted { Some(Event::Abort) } else { event });
        }
        next
    }

    fn answer_to(&mut self, effect: &Effect, page: &mut String) -> Option<Event> {
        let event = match effect {
            Effect::Assemble { .. } => {
                Event::Assembled { estimate: self.assembled.pop_front().unwrap_or(100), ceiling: CEILING }
            }
            Effect::Send { .. } => self.reply(page),
            Effect::Record { .. } => Event::Recorded { done: vec![] },
            Effect::Dispatch { index } => self.dispatch(*index),
            Effect::AwaitUser { index } => {
                let accepted = self.decisions.pop_front().expect("a decision");
                let _ = writeln!(page, "> {}", if accepted { "accepted" } else { "rejected" });
                Event::Decided { index: *index, accepted, status: 200 }
            }
            Effect::Measure => {
                Event::Measured { estimate: self.measured.pop_front().unwrap_or(100), ceiling: CEILING }
            }
            _ => return None,
        };
        Some(event)
    }

    fn reply(&mut self, page: &mut String) -> Event {
        let reply = self.replies.pop_front().unwrap_or_else(|| panic!("no reply is left:\n{page}"));
        let answered = |text: &str, finish_is_length, tokens| Event::Answered {
            text: text.to_owned(),
            finish_is_length,
            tokens,
        };
        let (shown, event) = match reply {
            Reply::Say(text) => (text.to_owned(), answered(text, false, None)),
            Reply::Cut(text) => (format!("{text}…"), answered(text, true, None)),
            Reply::Counted(tokens, text) => (text.to_owned(), answered(text, false, Some(tokens))),
            Reply::Fail(kind) => {
                (format!("{kind:?}"), Event::ModelFailed { kind, message: "no luck".to_owned() })
            }
        };
        let _ = writeln!(page, "> {}", shown.replace('\n', "⏎"));
        event
    }

    /// The name of the target says how a call goes.
    fn dispatch(&self, index: usize) -> Event {
        let call = &self.calls[index];
        let target = call.call.target.as_str();
        if target.contains("crash") {
            return Event::Crashed { index, message: "disk full".to_owned() };
        }
        let waits_for_user = matches!(call.tool, Tool::Sh | Tool::AskUser);
        let status = if target.contains("missing") { 404 } else { 200 };
        Event::Dispatched { index, status: if waits_for_user { 202 } else { status }, waits_for_user }
    }
}

/// An effect on one line.
fn show(effect: &Effect, calls: &mut Vec<Recorded>) -> String {
    let name = |index: &usize, calls: &[Recorded]| {
        let path = calls[*index].path.as_str();
        path.splitn(4, '/').nth(3).unwrap_or(path).to_owned()
    };
    match effect {
        Effect::Assemble { turn } => format!("assemble {turn}"),
        Effect::DemoteTurn { turn } => format!("demote turn {turn}"),
        Effect::DemotePrompt => "demote prompt".to_owned(),
        Effect::WriteError { turn, slug, status, body } => {
            format!("error {turn}/{slug} {status}: {}", body.trim_end().replace('\n', "⏎"))
        }
        Effect::WriteOverflow { turn, slug, body, is_shown } => {
            let seen = if *is_shown { "shown" } else { "not shown" };
            format!("overflow {turn}/{slug} {seen}: {}", body.trim_end().replace('\n', "⏎"))
        }
        Effect::Send { turn } => format!("send {turn}"),
        Effect::Record { turn, calls: recorded, healed } => {
            calls.clone_from(recorded);
            show_record(*turn, recorded, healed)
        }
        Effect::Dispatch { index } => format!("  dispatch {}", name(index, calls)),
        Effect::Skip { index } => format!("  skip {}", name(index, calls)),
        Effect::Finish { index, status } => format!("  finish {} {status}", name(index, calls)),
        Effect::AwaitUser { index } => format!("  await {}", name(index, calls)),
        Effect::Measure => "measure".to_owned(),
        Effect::EndTurn { turn, state, verdict, errors, .. } => format!(
            "end turn {turn} {}: {} {}, strikes {}, errors {errors}",
            state.name(),
            verdict.status,
            verdict.reason,
            verdict.strikes
        ),
        Effect::EndLoop { state, outcome, status, answer, reason } => format!(
            "end loop {}({}) {status}: {reason}; answer {answer:?}",
            state.name(),
            outcome.as_deref().unwrap_or("-")
        ),
    }
}

fn show_record(turn: u32, recorded: &[Recorded], healed: &[String]) -> String {
    let mut text = format!("record {turn}:");
    for each in recorded {
        let _ = write!(text, " [{}", each.path.as_str().trim_start_matches("log://"));
        if let Some(rejection) = &each.rejection {
            let _ = write!(text, " {}", rejection.outcome);
        }
        text.push(']');
    }
    for each in healed {
        let _ = write!(text, " ({each})");
    }
    text
}
