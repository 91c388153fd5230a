//! `nudge record`: the door for anybody's JSON. What is typed plainly never comes here; see `fast_path.rs`.

use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::record;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
The object needs session_id, cwd and hook_event_name; unknown fields are ignored.

Exit codes:
  0  stored, or put aside to be stored
  1  not stored; the reason is on standard error
  2  the memory is damaged; the event waits beside it, or is lost")]
pub(crate) struct RecordArgs {
    /// What is printed: nothing, or an object with a type
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    format: Format,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Plain,
    Typed,
}

impl RecordArgs {
    /// Takes the event in.
    pub(crate) fn run(self, invocation: &Invocation, began: Instant) -> Result<Exit, Failure> {
        Ok(record::run(self.format == Format::Typed, invocation.globals.home.as_deref(), began))
    }
}
