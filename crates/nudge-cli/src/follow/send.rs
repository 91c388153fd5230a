//! Asks a run, and follows it unless the user does not want to wait.

use nudge_core::FaultKind;
use nudge_memory::runs::{AskParams, RunAccepted, RunParams, RunView};
use serde_json::Value;

use super::{Follower, server};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::FollowFlags;
use crate::invocation::Invocation;

/// Asks a run. What happened in `known` is not shown again.
pub(crate) fn send(
    invocation: &Invocation,
    params: &AskParams,
    flags: FollowFlags,
    known: Option<&RunView>,
) -> Result<Exit, Failure> {
    if flags.detach {
        server::ensure(invocation)?;
        let answer = invocation.call("ask", params, here())?;
        return detached(invocation, &answer);
    }
    let follower = Follower::new(invocation, flags.quiet, known)?;
    let accepted: RunAccepted = invocation.ask("ask", params, here())?;
    follower.follow(&accepted, None)
}

/// The run with this name; `None` if there is none yet.
pub(crate) fn known(invocation: &Invocation, run: &str) -> Result<Option<RunView>, Failure> {
    let params = RunParams { run: run.to_owned(), project: None };
    match invocation.ask("get_run", &params, here()) {
        Ok(view) => Ok(Some(view)),
        Err(fault) if fault.kind == FaultKind::NotFound => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// Prints the name of a run that nobody follows, and how to come back to it.
pub(crate) fn detached(invocation: &Invocation, answer: &Value) -> Result<Exit, Failure> {
    let typed: RunAccepted = invocation.typed(answer)?;
    invocation.output.answer(answer, |page| {
        page.line(&typed.run).end();
    });
    if !invocation.output.is_json() {
        invocation.output.aside(|page| {
            page.faint(format!(
                "`nudge run resume {0}` watches it, `nudge run show {0}` shows it",
                typed.run
            ));
            page.end();
        });
    }
    Ok(Exit::Ok)
}
