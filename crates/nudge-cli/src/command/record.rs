//! `nudge record`: the entry point for JSON from any program. `fast_path.rs` handles the plain
//! forms of the command; only the others come here.

use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::record;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Reads one JSON object from standard input. It needs session_id, cwd and
hook_event_name; unknown fields are ignored.

Exit codes:
  0  stored, or spooled to be stored later
  1  not stored; the reason is on standard error
  2  the memory is damaged; the event is spooled, or lost")]
pub(crate) struct RecordArgs {
    /// Output: nothing (plain), or a JSON object with a type (typed)
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    format: Format,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Plain,
    Typed,
}

impl RecordArgs {
    /// Records the event.
    pub(crate) fn run(self, invocation: &Invocation, began: Instant) -> Result<Exit, Failure> {
        Ok(record::run(self.format == Format::Typed, invocation.globals.home.as_deref(), began))
    }
}
