//! What became of a call that waited, once its proposals are decided.

use nudge_core::entry_state::EntryState;
use nudge_core::{Entry, Fault};
use nudge_memory::operation::OpContext;
use nudge_memory::review;
use nudge_memory::statements::proposals::State;
use nudge_store::{Reader, RunRow};
use serde_json::{Map, json};

use super::command::{self, CommandTurn, Phase};
use super::plugin_call::{self, PluginTurn, is_plugin_call};
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
    /// The call of a plugin was accepted and has not begun.
    Plugin(Box<PluginTurn>),
}

/// What an accepted record waits to begin; `None` for every other record.
pub(super) fn ready(reader: &Reader<'_>, run: &RunRow, entry: &Entry) -> Result<Option<Settled>, Fault> {
    if is_plugin_call(entry) {
        let is_ready = command::phase(entry) == Some(Phase::Accepted);
        return Ok(is_ready.then(|| Settled::Plugin(Box::new(plugin_call::turn_of(entry)))));
    }
    Ok(command::accepted(reader, run, entry)?.map(|turn| Settled::Command(Box::new(turn))))
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
    let wanted = accepted.into_iter().find_map(|decision| Some((decision.command?, decision.tool)));
    let settled = match wanted {
        Some((command, tool)) => {
            let more = Map::from_iter([("command".to_owned(), json!(command))]);
            let body = format!("accepted: {command}");
            rewrite(ctx, run, entry, &body, (EntryState::Resolved, None), Some(more))?;
            match tool {
                Some(_) => Settled::Plugin(Box::new(plugin_call::accept(ctx, run, entry)?)),
                None => Settled::Command(Box::new(command::open_channels(ctx, run, entry, &command)?)),
            }
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
