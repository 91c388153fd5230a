//! A command that failed without a server leaves the line in the log that a server would have left.

use std::time::Instant;

use nudge_client::Failed;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::agent_above::agent_above;
use crate::exit::Failure;
use crate::invocation::Invocation;

/// Writes down why the command failed, if that is a failure of ours and nobody else does.
pub(crate) fn note(invocation: &Invocation, command: &str, failure: &Failure, began: Instant) {
    let Failure::Fault(fault) = failure else { return };
    if command == "serve" || invocation.server_answered() {
        return;
    }
    if let Ok(home) = invocation.home() {
        write(&home, command, began, fault);
    }
}

/// Writes down a failure of ours. One that nothing led to, such as a port that no server has, is
/// told in full to the person.
pub(crate) fn write(home: &Home, what: &str, began: Instant, fault: &Fault) {
    let has_cause = fault.kind == FaultKind::Internal || !fault.causes().is_empty();
    if fault.kind.is_failure() && has_cause {
        let by = if agent_above().is_some() { "agent-cli" } else { "cli" };
        Failed::new(what, by, began.elapsed(), fault).note(home);
    }
}
