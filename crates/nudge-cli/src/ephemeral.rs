//! Rejects commands that need files while the memory is ephemeral.

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

/// Rejects the command if an ephemeral server runs: it keeps nothing in the files that the command
/// would use.
pub(crate) fn refuse_ephemeral(home: &Home) -> Result<(), Fault> {
    if nudge_client::status::status(home).ephemeral == Some(true) {
        return Err(Fault::new(
            FaultKind::Unavailable,
            "ephemeral",
            "the running server keeps its memory in no file (--ephemeral)",
        )
        .next("save the hints with `nudge export`, or stop the server with `nudge stop`"));
    }
    Ok(())
}
