//! The progress of an event, shared by both threads.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::EventKind;
use nudge_memory::capture::CapturedEvent;
use nudge_memory::capture::drops::DropReason;
use nudge_memory::inject::Injected;

use super::captured;
use super::captured::Fallback;
use super::request::{EventOutcome, Intake, IntakeResult, WorkResult, has_more};
use crate::exit::Exit;

/// How much longer than its deadline an event may take to be read and parsed on an overloaded
/// machine. Every agent waits longer than this.
const OVERLOAD_GRACE: Duration = Duration::from_secs(1);

/// An input longer than this that has not ended is not waited for: it may never end.
const MAX_UNENDED_INPUT: usize = 1024 * 1024;

/// Why an event was spooled: the time was up.
pub(crate) const DEADLINE_PASSED: &str = "deadline";

/// How often to check again after the deadline.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The progress of one event.
pub(super) struct Progress {
    pub(super) intake: Intake,
    known: Mutex<EventState>,
    /// Nobody signals this; it is only there for a wait with a timeout.
    time: Condvar,
    finish: Box<dyn Fn(&IntakeResult) -> Exit + Send + Sync>,
}

/// What is known so far.
struct EventState {
    until: Instant,
    seen: Vec<u8>,
    /// How many bytes had arrived at the last check.
    checked_len: usize,
    payload: Option<Arc<Vec<u8>>>,
    kind: Option<EventKind>,
    session: Option<String>,
    captured: Option<Arc<CapturedEvent>>,
    stored: bool,
    /// The reply, once it is known.
    reply: Option<(String, Injected)>,
    /// The event is being spooled or dropped, because the memory does not accept it.
    failed_delivery: bool,
    finished: bool,
}

impl Progress {
    pub(super) fn begin(
        intake: Intake,
        finish: impl Fn(&IntakeResult) -> Exit + Send + Sync + 'static,
    ) -> Arc<Self> {
        let known = EventState {
            until: intake.until(None),
            seen: Vec::new(),
            checked_len: 0,
            payload: None,
            kind: None,
            session: None,
            captured: None,
            stored: false,
            reply: None,
            failed_delivery: false,
            finished: false,
        };
        Arc::new(Self { intake, known: Mutex::new(known), time: Condvar::new(), finish: Box::new(finish) })
    }

    /// Adds a piece of standard input.
    pub(super) fn add_input(&self, bytes: &[u8]) {
        self.known().seen.extend_from_slice(bytes);
    }

    /// Marks standard input as complete, and returns all of it.
    pub(super) fn end_input(&self) -> Arc<Vec<u8>> {
        let mut known = self.known();
        let payload = Arc::new(std::mem::take(&mut known.seen));
        known.payload = Some(payload.clone());
        payload
    }

    /// Records the kind of event, which sets the deadline.
    pub(super) fn note_event(&self, kind: &EventKind, session: Option<&str>) {
        let mut known = self.known();
        known.until = self.intake.until(Some(kind));
        known.kind = Some(kind.clone());
        known.session = session.map(Into::into);
    }

    /// Records the captured event.
    pub(super) fn note_captured(&self, captured: &Arc<CapturedEvent>) {
        self.known().captured = Some(captured.clone());
    }

    /// Marks the event as stored. Later steps no longer matter for its safety.
    pub(super) fn note_stored(&self) {
        self.known().stored = true;
    }

    /// Records the reply. It is in the ledger already, so it is given even if the time is up before
    /// all is done.
    pub(super) fn note_reply(&self, reply: String, injected: &Injected) {
        self.known().reply = Some((reply, injected.clone()));
    }

    /// Marks that this thread spools or drops the event. Only one of the two threads may do that,
    /// or a loss would be counted twice. If the watch thread was first, this does not return.
    pub(super) fn begin_fallback(&self) {
        let mut known = self.known();
        if !known.finished {
            known.failed_delivery = true;
            return;
        }
        drop(known);
        loop {
            std::thread::park();
        }
    }

    /// Waits until the time is up, then ends the process.
    pub(super) fn watch(&self) {
        let mut known = self.known();
        loop {
            let left = known.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if !self.is_starved(&known) && !self.is_in_fallback(&known) {
                    break;
                }
                known.checked_len = known.seen.len();
                known.until += POLL_INTERVAL;
                continue;
            }
            known = self.time.wait_timeout(known, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if std::mem::replace(&mut known.finished, true) {
            return;
        }
        let (reply, injected) = known.reply.take().unzip();
        let taken = taken(&mut known, WorkResult { ending: EventOutcome::Stored, reply, injected });
        let ending = self.save(&known, taken.kind.as_ref(), DEADLINE_PASSED);
        let exit = (self.finish)(&IntakeResult { ending, ..taken });
        #[expect(clippy::disallowed_methods, reason = "the other thread is stuck, and the time is up")]
        std::process::exit(i32::from(exit.code()));
    }

    /// Whether the event is here and only lacks CPU time to be read and parsed. Such an event gets
    /// more time, as long as no agent would notice, because we are not waiting for anything else.
    fn is_starved(&self, known: &EventState) -> bool {
        let coming =
            known.seen.len() < MAX_UNENDED_INPUT && (known.seen.len() > known.checked_len || has_more());
        // If no input has arrived at all, the process that started us lacks CPU time. Its event
        // must not be lost for that.
        let expected = known.payload.is_none() && known.seen.is_empty();
        let at_hand = known.payload.is_some() || coming || expected;
        let grace = if known.payload.is_some() { OVERLOAD_GRACE } else { OVERLOAD_GRACE / 4 };
        !known.stored
            && known.captured.is_none()
            && at_hand
            && self.intake.began.elapsed() < self.intake.initial_deadline + grace
    }

    /// Whether the other thread is spooling or dropping the event, which takes milliseconds.
    fn is_in_fallback(&self, known: &EventState) -> bool {
        known.failed_delivery && self.intake.began.elapsed() < self.intake.initial_deadline + OVERLOAD_GRACE
    }

    /// Saves as much as possible of an event that cannot be delivered.
    pub(super) fn save_undelivered(&self, why: &str) -> EventOutcome {
        let known = self.known();
        self.save(&known, known.kind.as_ref(), why)
    }

    /// Finishes, unless the watch thread has begun to; then that thread ends the process.
    pub(super) fn finish(&self, done: WorkResult) -> Exit {
        let mut known = self.known();
        if std::mem::replace(&mut known.finished, true) {
            drop(known);
            loop {
                std::thread::park();
            }
        }
        let taken = taken(&mut known, done);
        drop(known);
        (self.finish)(&taken)
    }

    fn save(&self, known: &EventState, kind: Option<&EventKind>, why: &str) -> EventOutcome {
        let fallback = Fallback::of(&self.intake, kind);
        match (&known.captured, &known.payload) {
            _ if known.stored => {
                fallback.log(&format!("afterwards:{why}"));
                EventOutcome::Stored
            }
            (Some(captured), Some(payload)) => fallback.spool(captured, payload, why),
            (None, Some(payload)) => fallback.record_lost(payload, DropReason::DeadlineBeforeRead, why),
            // The input was not closed, but may be complete.
            (_, None) => match captured::capture_payload(&self.intake, &known.seen) {
                Some(Err(why)) => EventOutcome::Skipped(why),
                Some(Ok(captured)) => fallback.spool(&captured, &known.seen, "input_left_open"),
                None => fallback.record_lost(&known.seen, DropReason::DeadlineBeforeRead, why),
            },
        }
    }

    fn known(&self) -> MutexGuard<'_, EventState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn taken(known: &mut EventState, done: WorkResult) -> IntakeResult {
    let WorkResult { ending, reply, injected } = done;
    IntakeResult { kind: known.kind.take(), session: known.session.take(), reply, injected, ending }
}
