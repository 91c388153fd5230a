//! What a turn has done so far.

use nudge_grammar::{Call, Tool};

use crate::policy::Recorded;
use crate::verdict::{UpdateSeen, is_terminal};

/// The status of a call that waits for the user.
const WAITS: u16 = 202;

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
                self.is_broken = true;
                Fate::Settled
            }
            (Tool::Update, _) => Fate::Later,
            (_, Some(WAITS)) if !self.is_broken => Fate::Await,
            (_, Some(status)) if status != WAITS => {
                self.is_broken |= status >= 400;
                Fate::Settled
            }
            _ if self.is_broken => Fate::Skip,
            (Tool::Think, None) => Fate::Note,
            _ => Fate::Dispatch,
        };
        Some((index, fate))
    }

    /// The calls that are not settled, from this one on.
    pub(super) fn open_from(&self, index: usize) -> Vec<usize> {
        let is_open = |at: &usize| {
            let done = self.done.get(*at).copied().flatten();
            self.calls[*at].rejection.is_none() && done.is_none_or(|status| status == WAITS)
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
    pub(super) fn has_failed(&self) -> bool {
        self.is_broken || self.has_losses
    }

    /// Whether there are calls other than notes and updates.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.iter().any(|each| !matches!(each.tool, Tool::Think | Tool::Update))
    }
}
