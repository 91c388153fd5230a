//! Where an event goes that the memory does not take: the spool, else the drop record; and a line in the log.

use nudge_client::Failed;
use nudge_core::{EventKind, Fault};
use nudge_memory::capture::drops::{self, DropReason, Drops};
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::{Moment, troubles};

use super::outcome::Ending;
use super::request::Intake;
use crate::invocation::now;

/// The places beside the memory, for one event.
pub(super) struct Aside<'a> {
    intake: &'a Intake,
    kind: &'static str,
    fault: Option<&'a Fault>,
}

impl<'a> Aside<'a> {
    pub(super) fn of(intake: &'a Intake, kind: Option<&EventKind>) -> Self {
        Self { intake, kind: kind.map_or("none", EventKind::name), fault: None }
    }

    /// The same, for what this failure led to: the log tells its cause too.
    pub(super) fn because(self, fault: &'a Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Spools a moment; where even that fails, its payload is noted as lost.
    pub(super) fn spool(&self, moment: &Moment, payload: &[u8], why: &str) -> Ending {
        match Spool::of(&self.intake.home).append(moment) {
            Ok(()) => {
                self.log(&format!("spooled:{why}"));
                Ending::SetAside { why: why.to_owned() }
            }
            Err(error) => self.lose(payload, DropReason::of(&error), why),
        }
    }

    /// Notes a payload as lost. Of nothing there is nothing to lose.
    pub(super) fn lose(&self, payload: &[u8], reason: DropReason, why: &str) -> Ending {
        if !payload.trim_ascii().is_empty() {
            let noted = Drops::of(&self.intake.home).note(hash(payload), reason, now());
            if noted.is_err() {
                self.log("drop_not_noted");
            }
        }
        self.log(&format!("lost:{}:{why}", reason.name()));
        Ending::Lost { reason }
    }

    /// Writes a line to the log of hooks.
    pub(super) fn log(&self, reason: &str) {
        let Intake { home, name, began, .. } = self.intake;
        let failed = self.fault.map(|fault| Failed::new(self.kind, name, began.elapsed(), fault));
        let cause = failed.map_or_else(String::new, |failed| failed.to_string());
        troubles::note_with(home, name, self.kind, reason, &cause, now());
    }
}

/// The hash by which a payload is known in the drop record.
fn hash(payload: &[u8]) -> [u8; 16] {
    drops::hash_of(payload.trim_ascii())
}
