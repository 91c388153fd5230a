//! Where an event goes if the memory does not accept it: the spool, else the drop record, with a
//! line in the log.

use nudge_client::Failed;
use nudge_core::{EventKind, Fault};
use nudge_memory::capture::drops::{self, DropReason, Drops};
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::{CapturedEvent, troubles};

use super::outcome::EventOutcome;
use super::request::Intake;
use crate::invocation::now;

/// The spool, the drop record and the log, for one event.
pub(super) struct Fallback<'a> {
    intake: &'a Intake,
    kind: &'static str,
    fault: Option<&'a Fault>,
}

impl<'a> Fallback<'a> {
    pub(super) fn of(intake: &'a Intake, kind: Option<&EventKind>) -> Self {
        Self { intake, kind: kind.map_or("none", EventKind::name), fault: None }
    }

    /// The same, with the fault that caused it. The log then includes the cause.
    pub(super) fn with_cause(self, fault: &'a Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Spools an event. If even that fails, records its payload as lost.
    pub(super) fn spool(&self, captured: &CapturedEvent, payload: &[u8], why: &str) -> EventOutcome {
        match Spool::of(&self.intake.home).append(captured) {
            Ok(()) => {
                self.log(&format!("spooled:{why}"));
                EventOutcome::Spooled { why: why.to_owned() }
            }
            Err(error) => self.record_lost(payload, DropReason::of(&error), why),
        }
    }

    /// Records a payload as lost. An empty payload is only logged.
    pub(super) fn record_lost(&self, payload: &[u8], reason: DropReason, why: &str) -> EventOutcome {
        if !payload.trim_ascii().is_empty() {
            let noted = Drops::of(&self.intake.home).note(hash(payload), reason, now());
            if noted.is_err() {
                self.log("drop_not_noted");
            }
        }
        self.log(&format!("lost:{}:{why}", reason.name()));
        EventOutcome::Lost { reason }
    }

    /// Writes a line to the hook log.
    pub(super) fn log(&self, reason: &str) {
        let Intake { home, name, began, .. } = self.intake;
        let failed = self.fault.map(|fault| Failed::new(self.kind, name, began.elapsed(), fault));
        let cause = failed.map_or_else(String::new, |failed| failed.to_string());
        troubles::note_with_detail(home, name, self.kind, reason, &cause, now());
    }
}

/// The hash that identifies a payload in the drop record.
fn hash(payload: &[u8]) -> [u8; 16] {
    drops::hash_of(payload.trim_ascii())
}
