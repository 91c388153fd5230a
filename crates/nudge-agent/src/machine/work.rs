//! A turn: the fit of its packet, its answer, and its calls, one after another.

use nudge_context::count_tokens;
use nudge_core::run::RunState;
use nudge_grammar::{Call, Parsed, TagLimits, TagWarning, Tool, WarningKind, parse_tags};

use super::{Effect, Machine, Phase};
use crate::budget::{Overflow, Step, measure};
use crate::policy::{Recorded, TagEnd};
use crate::verdict::{UpdateSeen, is_terminal};

/// The status of a call that waits for the user.
const STATUS_WAITING: u16 = 202;

/// The work of the current turn.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) calls: Vec<Recorded>,
    /// The status of each call that was carried out before a crash.
    pub(super) done: Vec<Option<u16>>,
    /// The text outside of tags.
    pub(super) text: String,
    /// Whether something of the answer was lost.
    pub(super) has_losses: bool,
    /// Whether a call failed. The calls after it are skipped.
    pub(super) is_broken: bool,
    /// Whether the model is to blame for a failure, so that the turn is a strike.
    pub(super) is_to_blame: bool,
    pub(super) errors: u32,
    /// The first call that is not settled.
    pub(super) next: usize,
}

/// What becomes of the next call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is settled: rejected, or carried out before a crash.
    Settled,
    /// An update: settled at the end of the turn.
    Later,
    /// Notes.
    Note,
    /// An earlier call failed.
    Skip,
    /// It waits for the user since before a crash.
    Await,
    /// It is carried out.
    Dispatch,
}

impl Work {
    /// The next call and what becomes of it. A settled failure breaks the turn.
    pub(super) fn take(&mut self) -> Option<(usize, Fate)> {
        let index = self.next;
        let recorded = self.calls.get(index)?;
        self.next += 1;
        let done = self.done.get(index).copied().flatten();
        let fate = match (recorded.tool, done) {
            _ if recorded.rejection.is_some() => {
                self.fail(true);
                Fate::Settled
            }
            (Tool::Update, _) => Fate::Later,
            (_, Some(STATUS_WAITING)) if !self.is_broken => Fate::Await,
            (tool, Some(status)) if status != STATUS_WAITING => {
                if status >= 400 {
                    self.fail(!matches!(tool, Tool::Env | Tool::Sh | Tool::Mcp));
                }
                Fate::Settled
            }
            _ if self.is_broken => Fate::Skip,
            (Tool::Think, None) => Fate::Note,
            _ => Fate::Dispatch,
        };
        Some((index, fate))
    }

    /// Notes that a call failed, and whether the model is to blame.
    fn fail(&mut self, is_to_blame: bool) {
        self.is_broken = true;
        self.is_to_blame |= is_to_blame;
    }

    /// The calls that are not settled, from this one on.
    pub(super) fn open_from(&self, index: usize) -> Vec<usize> {
        let is_open = |at: &usize| {
            let done = self.done.get(*at).copied().flatten();
            self.calls[*at].rejection.is_none() && done.is_none_or(|status| status == STATUS_WAITING)
        };
        (index..self.calls.len()).filter(is_open).collect()
    }

    /// The updates that count, with their places.
    pub(super) fn updates(&self) -> impl Iterator<Item = (usize, &Call)> {
        let each = self.calls.iter().enumerate();
        each.filter(|(_, each)| each.tool == Tool::Update && each.rejection.is_none())
            .map(|(index, each)| (index, &each.call))
    }

    /// The last update: it alone says how the work stands.
    pub(super) fn last_update(&self) -> Option<UpdateSeen> {
        let (_, call) = self.updates().last()?;
        let body = call.body.clone().unwrap_or_default();
        Some(UpdateSeen { status: call.status.unwrap_or(102), body })
    }

    /// The status of each update. An end beside a failure is not believed.
    pub(super) fn update_ends(&self, is_refuted: bool) -> Vec<(usize, u16)> {
        let refuted =
            |call: &Call| (is_refuted || self.has_failed()) && is_terminal(call.status.unwrap_or(102));
        self.updates().map(|(index, call)| (index, if refuted(call) { 409 } else { 200 })).collect()
    }

    /// Whether a call failed or was lost.
    fn has_failed(&self) -> bool {
        self.is_broken || self.has_losses
    }

    /// Whether there are calls other than notes and updates.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.iter().any(|each| !matches!(each.tool, Tool::Think | Tool::Update))
    }
}

// The answer: what the parser read in it, what was lost, and what goes to the record.

impl Machine<'_> {
    /// Reads the answer and asks for its record.
    pub(super) fn answered(&mut self, text: &str, was_cut: bool, tokens: Option<u32>) -> Vec<Effect> {
        if let (Some(estimate), Some(real)) = (self.estimate, tokens) {
            self.facts.previous = Some((estimate, real));
        }
        let turn = self.turn();
        let parsed = parse_tags(text, TagLimits { max_calls: self.facts.limits.max_commands });
        let calls = self.policy.record(turn, &parsed, was_cut);
        let (lost, healed) = read_warnings(&parsed, &calls, was_cut);
        self.work =
            Work { calls: calls.clone(), text: parsed.text, has_losses: lost.is_some(), ..Work::default() };
        self.phase = Phase::Recording;
        let mut effects = vec![Effect::Record { turn, calls, healed }];
        if let Some(body) = lost {
            self.work.errors += 1;
            effects.push(Effect::WriteError { turn, slug: "lost", status: 422, body });
        }
        effects
    }
}

/// The error about what was lost, if anything was, and what was healed.
fn read_warnings(parsed: &Parsed, calls: &[Recorded], was_cut: bool) -> (Option<String>, Vec<String>) {
    let say = |warning: &TagWarning| format!("{}: {}", warning.kind.name(), warning.message);
    let (losses, healed): (Vec<&TagWarning>, Vec<&TagWarning>) =
        parsed.warnings.iter().partition(|warning| warning.kind.is_loss());
    let cut_call = calls.iter().find(|call| call.end == TagEnd::Cut);
    let is_cut = was_cut && losses.iter().any(|warning| warning.kind == WarningKind::Truncated);
    let mut lost: Vec<String> = losses.into_iter().map(say).collect();
    let mut healed: Vec<String> = healed.into_iter().map(say).collect();
    if let Some(call) = cut_call {
        lost.push(format!("cut: the tag of {} has no end", call.tool.name()));
    } else if was_cut && calls.is_empty() {
        lost.push("cut: the text has no end".to_owned());
    } else if was_cut && !is_cut {
        healed.push("cut: the reply reached the limit of its length".to_owned());
    }
    if lost.is_empty() {
        return (None, healed);
    }
    let mut body = "Something in the reply was lost:\n".to_owned();
    if is_cut || cut_call.is_some() || (was_cut && calls.is_empty()) {
        body =
            "The reply was cut at the limit of its length. Write less at once. What was lost:\n".to_owned();
    }
    body.extend(lost.iter().map(|each| format!("- {each}\n")));
    (Some(body), healed)
}

// The calls of a turn: strictly one after another, and none after a failure.

impl Machine<'_> {
    /// The records are stored: the first call may run.
    pub(super) fn recorded(&mut self, done: Vec<Option<u16>>) -> Vec<Effect> {
        self.work.done = done;
        self.advance()
    }

    /// Notes how a call went, and goes on.
    pub(super) fn dispatched(&mut self, index: usize, status: u16, waits_for_user: bool) -> Vec<Effect> {
        if waits_for_user {
            self.phase = Phase::Waiting(index);
            return vec![Effect::AwaitUser { index }];
        }
        if status >= 400 {
            self.work.fail(true);
        }
        self.advance()
    }

    /// Notes how a call went that the user accepted, and goes on.
    pub(super) fn decided(&mut self, status: u16) -> Vec<Effect> {
        if status >= 400 {
            self.work.fail(false);
        }
        self.advance()
    }

    /// A failure of Nudge itself is an error of the turn, and the rest is skipped.
    pub(super) fn crashed(&mut self, index: usize, message: &str) -> Vec<Effect> {
        let tool = self.work.calls.get(index).map_or("a call", |call| call.tool.name());
        let body = format!("{tool} failed inside Nudge: {message}");
        let error = Effect::WriteError { turn: self.turn(), slug: "crash", status: 500, body };
        self.work.fail(true);
        self.work.errors += 1;
        let mut effects = vec![error, Effect::Finish { index, status: 500 }];
        effects.extend(self.advance());
        effects
    }

    /// Goes to the next call that needs the driver, or to the end of the turn.
    fn advance(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some((index, fate)) = self.work.take() {
            match fate {
                Fate::Settled | Fate::Later => {}
                Fate::Note => effects.push(Effect::Finish { index, status: 200 }),
                Fate::Skip => effects.push(Effect::Skip { index }),
                Fate::Await => {
                    self.phase = Phase::Waiting(index);
                    effects.push(Effect::AwaitUser { index });
                    return effects;
                }
                Fate::Dispatch => {
                    self.phase = Phase::Dispatching(index);
                    effects.push(Effect::Dispatch { index });
                    return effects;
                }
            }
        }
        self.phase = Phase::Measuring;
        effects.push(Effect::Measure);
        effects
    }
}

// Before the request: the packet must fit below its ceiling.

/// What an entry costs beside its body, at most: its tag with its path and its attributes, the
/// markers, and its share of the budget table.
const TAG_TOKENS: u32 = 200;

/// The status of an overflow.
pub(crate) const STATUS_TOO_LARGE: u16 = 413;

impl Machine<'_> {
    /// Asks for the packet of the current turn.
    pub(super) fn assemble(&mut self) -> Vec<Effect> {
        self.phase = Phase::Assembling;
        vec![Effect::Assemble { turn: self.turn() }]
    }

    /// Sends the packet, or goes one step down and asks for it again. An overflow before the
    /// request is no error of the turn: the model has not had a say yet.
    pub(super) fn assembled(&mut self, estimate: u32, ceiling: u32) -> Vec<Effect> {
        let turn = self.turn();
        let tokens = measure(estimate, self.facts.previous);
        let overflow = Overflow { tokens, ceiling };
        let step = self.ladder.check(tokens, ceiling);
        let body = overflow.message(step, turn);
        match step {
            Step::Send if !self.steps.is_empty() => {
                let room = ceiling.saturating_sub(tokens);
                let mut effects = self.write_steps(turn, room);
                effects.push(Effect::Assemble { turn });
                effects
            }
            Step::Send => {
                self.phase = Phase::Sent;
                self.estimate = Some(estimate);
                vec![Effect::Send { turn }]
            }
            Step::DemotePreviousTurn => {
                self.steps.push(("overflow_previous_turn", body));
                vec![Effect::DemoteTurn { turn: turn.saturating_sub(1) }, Effect::Assemble { turn }]
            }
            Step::DemotePrompt => {
                self.steps.push(("overflow_prompt", body));
                vec![Effect::DemotePrompt, Effect::Assemble { turn }]
            }
            Step::GiveUp => {
                self.phase = Phase::Over;
                let mut effects = self.write_steps(turn, 0);
                let error = Effect::WriteError {
                    turn,
                    slug: "overflow",
                    status: STATUS_TOO_LARGE,
                    body: body.clone(),
                };
                let end = Effect::EndLoop {
                    state: RunState::Failed,
                    outcome: Some(format!("overflow:{STATUS_TOO_LARGE}")),
                    status: STATUS_TOO_LARGE,
                    answer: String::new(),
                    reason: body,
                };
                effects.extend([error, end]);
                effects
            }
        }
    }

    /// Writes what the ladder did. The model reads it only if that fits into the room that is left:
    /// a packet over its ceiling does not grow by the news of it.
    fn write_steps(&mut self, turn: u32, room: u32) -> Vec<Effect> {
        let steps = std::mem::take(&mut self.steps);
        let costs = steps.iter().map(|(_, body)| count_tokens(body).saturating_add(TAG_TOKENS));
        let cost = costs.fold(0, u32::saturating_add);
        let is_shown = measure(cost, self.facts.previous) <= room;
        let write = |(slug, body)| Effect::WriteOverflow { turn, slug, body, is_shown };
        steps.into_iter().map(write).collect()
    }
}
