//! How far an event has come, as both threads see it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::EventKind;
use nudge_memory::capture::Moment;
use nudge_memory::capture::drops::DropReason;
use nudge_memory::inject::Injected;

use super::aside::Aside;
use super::captured;
use super::outcome::{Done, Ending, Taken};
use super::request::Intake;
use super::stdin;
use crate::exit::Exit;

/// How much longer than its deadline an event may take to be read and parsed on a machine that is overloaded. Every
/// agent waits longer.
const GRACE: Duration = Duration::from_secs(1);

/// An input that is longer than this and has not ended is not waited for: it may never end.
const LARGE: usize = 1024 * 1024;

/// How often it is looked at meanwhile.
const STEP: Duration = Duration::from_millis(10);

/// The way of one event.
pub(super) struct Progress {
    pub(super) intake: Intake,
    known: Mutex<Known>,
    /// Nobody signals it: it is there to be waited on with a limit.
    time: Condvar,
    finish: Box<dyn Fn(&Taken) -> Exit + Send + Sync>,
}

/// What is known so far.
struct Known {
    until: Instant,
    seen: Vec<u8>,
    /// How much had come at the last look.
    looked: usize,
    payload: Option<Arc<Vec<u8>>>,
    kind: Option<EventKind>,
    session: Option<String>,
    moment: Option<Arc<Moment>>,
    kept: bool,
    /// What it is answered with, once that is known.
    reply: Option<(String, Injected)>,
    /// It is being put elsewhere, because the memory does not take it.
    aside: bool,
    finished: bool,
}

impl Progress {
    pub(super) fn begin(
        intake: Intake,
        finish: impl Fn(&Taken) -> Exit + Send + Sync + 'static,
    ) -> Arc<Self> {
        let known = Known {
            until: intake.until(None),
            seen: Vec::new(),
            looked: 0,
            payload: None,
            kind: None,
            session: None,
            moment: None,
            kept: false,
            reply: None,
            aside: false,
            finished: false,
        };
        Arc::new(Self { intake, known: Mutex::new(known), time: Condvar::new(), finish: Box::new(finish) })
    }

    /// Some more of standard input has come.
    pub(super) fn add_input(&self, bytes: &[u8]) {
        self.known().seen.extend_from_slice(bytes);
    }

    /// All of standard input has come.
    pub(super) fn end_input(&self) -> Arc<Vec<u8>> {
        let mut known = self.known();
        let payload = Arc::new(std::mem::take(&mut known.seen));
        known.payload = Some(payload.clone());
        payload
    }

    /// It is this event, and so there is this much time.
    pub(super) fn note_event(&self, kind: &EventKind, session: Option<&str>) {
        let mut known = self.known();
        known.until = self.intake.until(Some(kind));
        known.kind = Some(kind.clone());
        known.session = session.map(Into::into);
    }

    /// This is to be kept of it.
    pub(super) fn note_moment(&self, moment: &Arc<Moment>) {
        self.known().moment = Some(moment.clone());
    }

    /// It is in the memory; what follows is not for its sake.
    pub(super) fn note_kept(&self) {
        self.known().kept = true;
    }

    /// This is its reply: it is in the ledger, so it is given also when the time is up before all is done.
    pub(super) fn note_reply(&self, reply: String, told: &Injected) {
        self.known().reply = Some((reply, told.clone()));
    }

    /// It is now being put elsewhere. Only one of the two threads does that, or what is lost would be counted twice; when the watch
    /// was first, this does not return.
    pub(super) fn begin_aside(&self) {
        let mut known = self.known();
        if !known.finished {
            known.aside = true;
            return;
        }
        drop(known);
        loop {
            std::thread::park();
        }
    }

    /// Waits until the time is up, and then ends the process.
    pub(super) fn watch(&self) {
        let mut known = self.known();
        loop {
            let left = known.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if !self.is_starved(&known) && !self.is_put_aside(&known) {
                    break;
                }
                known.looked = known.seen.len();
                known.until += STEP;
                continue;
            }
            known = self.time.wait_timeout(known, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if std::mem::replace(&mut known.finished, true) {
            return;
        }
        let (reply, told) = known.reply.take().unzip();
        let taken = taken(&mut known, Done { ending: Ending::Kept, reply, told });
        let ending = self.save(&known, taken.kind.as_ref(), "deadline");
        let exit = (self.finish)(&Taken { ending, ..taken });
        #[expect(clippy::disallowed_methods, reason = "the other thread is stuck, and the time is up")]
        std::process::exit(i32::from(exit.code()));
    }

    /// Whether the event is here and all it lacks is a processor to read and parse it. An event is not lost for that, as
    /// long as no agent would notice: nothing is being waited for.
    fn is_starved(&self, known: &Known) -> bool {
        let coming = known.seen.len() < LARGE && (known.seen.len() > known.looked || stdin::has_more());
        // Where nothing has come at all, whoever started us lacks the processor: what it would have told is not to be lost for that.
        let expected = known.payload.is_none() && known.seen.is_empty();
        let at_hand = known.payload.is_some() || coming || expected;
        let grace = if known.payload.is_some() { GRACE } else { GRACE / 4 };
        !known.kept
            && known.moment.is_none()
            && at_hand
            && self.intake.began.elapsed() < self.intake.first + grace
    }

    /// Whether the other thread is just writing it somewhere else, which takes milliseconds.
    fn is_put_aside(&self, known: &Known) -> bool {
        known.aside && self.intake.began.elapsed() < self.intake.first + GRACE
    }

    /// Saves what can be saved of an event that cannot be delivered.
    pub(super) fn give_up(&self, why: &str) -> Ending {
        let known = self.known();
        self.save(&known, known.kind.as_ref(), why)
    }

    /// Finishes, unless the watch has begun to: then the process ends from there.
    pub(super) fn finish(&self, done: Done) -> Exit {
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

    fn save(&self, known: &Known, kind: Option<&EventKind>, why: &str) -> Ending {
        let aside = Aside::of(&self.intake, kind);
        match (&known.moment, &known.payload) {
            _ if known.kept => {
                aside.log(&format!("afterwards:{why}"));
                Ending::Kept
            }
            (Some(moment), Some(payload)) => aside.spool(moment, payload, why),
            (None, Some(payload)) => aside.lose(payload, DropReason::DeadlineBeforeRead, why),
            // An input that was not closed, but is whole.
            (_, None) => match captured::moment_of(&self.intake, &known.seen) {
                Some(Err(why)) => Ending::Passed(why),
                Some(Ok(moment)) => aside.spool(&moment, &known.seen, "input_left_open"),
                None => aside.lose(&known.seen, DropReason::DeadlineBeforeRead, why),
            },
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn taken(known: &mut Known, done: Done) -> Taken {
    let Done { ending, reply, told } = done;
    Taken { kind: known.kind.take(), session: known.session.take(), reply, told, ending }
}
