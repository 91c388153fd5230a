//! What became of a call that waited, once its proposals are decided.

use nudge_core::entry_state::EntryState;
use nudge_core::{Entry, Fault};
use nudge_memory::operation::OpContext;
use nudge_memory::review;
use nudge_memory::statements::proposals::State;
use nudge_store::RunRow;
use serde_json::{Map, json};

use super::command::{self, CommandTurn};
use super::records::{go_on, ids_of, rewrite};

/// What became of a call that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Nobody has decided.
    Waits,
    /// What it would change has changed since: it is to be proposed again.
    Stale,
    /// It is done, or was rejected: its status. 403 ends the loop.
    Done(u16),
    /// The command was accepted and has not begun.
    Command(Box<CommandTurn>),
}

/// Writes into a record what became of its proposals, all of which are decided.
pub(super) fn settle_record(ctx: &OpContext<'_>, run: &RunRow, entry: &Entry) -> Result<Settled, Fault> {
    let writer = ctx.writer()?;
    let mut accepted = Vec::new();
    let mut rejected = 0;
    for id in ids_of(entry) {
        let decision = review::decision_on(writer, id)?;
        match decision.state {
            State::Accepted => accepted.push(decision),
            _ => rejected += 1,
        }
    }
    if rejected > 0 {
        let body = match accepted.len() {
            0 => format!("{}\nThe user rejected this.", entry.body.trim_end()),
            made => format!(
                "{}\nThe user accepted {made} and rejected {rejected} of these.",
                entry.body.trim_end()
            ),
        };
        rewrite(ctx, run, entry, &body, (EntryState::Failed, Some("rejected:403".to_owned())), None)?;
        go_on(writer, run, ctx.now())?;
        return Ok(Settled::Done(403));
    }
    let command = accepted.into_iter().find_map(|decision| decision.command);
    let settled = match command {
        Some(command) => {
            let more = Map::from_iter([("command".to_owned(), json!(command))]);
            let body = format!("accepted: {command}");
            rewrite(ctx, run, entry, &body, (EntryState::Resolved, None), Some(more))?;
            let turn = command::open_channels(ctx, run, entry, &command)?;
            Settled::Command(Box::new(turn))
        }
        None => {
            let body = format!("{}\nThe user accepted this.", entry.body.trim_end());
            rewrite(ctx, run, entry, &body, (EntryState::Resolved, None), None)?;
            Settled::Done(200)
        }
    };
    go_on(writer, run, ctx.now())?;
    Ok(settled)
}
