//! A command that fails without a server writes the log line that a server would have written.

use std::time::Instant;

use nudge_client::Failed;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::agent_above::calling_agent;
use crate::exit::Failure;
use crate::invocation::Invocation;

/// Logs the failure of a command, if it is an internal failure and no server logs it.
pub(crate) fn note(invocation: &Invocation, command: &str, failure: &Failure, began: Instant) {
    let Failure::Fault(fault) = failure else { return };
    if command == "serve" || invocation.server_answered() {
        return;
    }
    if let Ok(home) = invocation.home() {
        write(&home, command, began, fault);
    }
}

/// Logs an internal failure. A failure without a cause, such as a port without a server, is not
/// logged, because the user's message has all of it.
pub(crate) fn write(home: &Home, what: &str, began: Instant, fault: &Fault) {
    let has_cause = fault.kind == FaultKind::Internal || !fault.causes().is_empty();
    if fault.kind.is_failure() && has_cause {
        let by = if calling_agent().is_some() { "agent-cli" } else { "cli" };
        Failed::new(what, by, began.elapsed(), fault).note(home);
    }
}
