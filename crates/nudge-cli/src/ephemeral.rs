//! What is refused while the memory is in no file.

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

/// An ephemeral server keeps nothing in the files that a command would work on.
pub(crate) fn refuse_ephemeral(home: &Home) -> Result<(), Fault> {
    if nudge_client::status::status(home).ephemeral == Some(true) {
        return Err(Fault::new(
            FaultKind::Unavailable,
            "ephemeral",
            "the running server is ephemeral: its memory is in no file",
        )
        .next("use `nudge export`, or stop it with `nudge stop` first"));
    }
    Ok(())
}
