//! Asks a run, and follows it unless the user does not want to wait.

use std::time::Duration;

use nudge_agent::runs::{AskParams, GetRun, RunAccepted, RunParams, RunView};
use nudge_client::status::status;
use nudge_core::{Fault, FaultKind};
use nudge_memory::operation::Op;

use super::Follower;
use crate::context_args::here;
use crate::daemon;
use crate::exit::{Exit, Failure};
use crate::flags::FollowFlags;
use crate::invocation::{Answer, Invocation};

/// Asks a run with `ask` or `act`. What happened in `known` is not shown again.
pub(crate) fn send<O: Op<Params = AskParams, Answer = RunAccepted>>(
    invocation: &Invocation,
    params: &AskParams,
    flags: FollowFlags,
    known: Option<&RunView>,
) -> Result<Exit, Failure> {
    if flags.detach {
        ensure_server(invocation)?;
        return detached(invocation, &invocation.call::<O>(params, here())?);
    }
    let follower = Follower::new(invocation, flags.quiet, known)?;
    let accepted = invocation.ask::<O>(params, here())?;
    follower.follow(&accepted, None)
}

/// The run with this name; `None` if there is none yet.
pub(crate) fn known(invocation: &Invocation, run: &str) -> Result<Option<RunView>, Failure> {
    let params = RunParams { run: run.to_owned(), project: None };
    match invocation.ask::<GetRun>(&params, here()) {
        Ok(view) => Ok(Some(view)),
        Err(fault) if fault.kind == FaultKind::NotFound => Ok(None),
        Err(fault) => Err(fault.into()),
    }
}

/// Prints the name of a run that nobody follows, and how to come back to it.
pub(crate) fn detached<O: Op<Answer = RunAccepted>>(
    invocation: &Invocation,
    answer: &Answer<O>,
) -> Result<Exit, Failure> {
    let typed = answer.typed()?;
    invocation.output.answer(&answer.json, |page| {
        page.line(&typed.run).end();
    });
    if !invocation.output.is_json() {
        invocation.output.note(|page| {
            page.faint(format!(
                "`nudge run resume {0}` watches it, `nudge run show {0}` shows it",
                typed.run
            ));
            page.end();
        });
    }
    Ok(Exit::Ok)
}

// A server for runs: only a server drives them.

/// How long to wait for a server. It starts in less than a second.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// How many servers one command starts.
const MAX_RESTARTS: u32 = 3;

/// Starts a server unless one answers.
pub(super) fn ensure_server(invocation: &Invocation) -> Result<(), Failure> {
    let home = invocation.home()?;
    if status(&home).responding {
        return Ok(());
    }
    daemon::start(&home, invocation.globals.port, START_TIMEOUT, |_| {}).map_err(needed)?;
    Ok(())
}

/// Servers that were started in place of one that ended.
#[derive(Default)]
pub(super) struct Restarts(u32);

impl Restarts {
    /// Starts another server unless one answers. Gives up after a few.
    pub(super) fn again(&mut self, invocation: &Invocation) -> Result<(), Failure> {
        if self.0 >= MAX_RESTARTS {
            let why = "the server ended several times while the model worked";
            return Err(Fault::new(nudge_core::FaultKind::Unavailable, "server_not_started", why)
                .next("run `nudge doctor`")
                .into());
        }
        self.0 += 1;
        ensure_server(invocation)
    }
}

fn needed(fault: Fault) -> Fault {
    fault.next("a model is only asked by a server; run `nudge serve --daemon` to see why it does not start")
}
