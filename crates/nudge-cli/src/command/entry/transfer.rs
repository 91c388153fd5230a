//! `nudge entry cp` and `nudge entry mv`: copy and rename entries and files.

use clap::Args;
use nudge_memory::entries::TransferParams;

use super::outcome;
use super::visibility::VISIBILITIES;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PreviewFlag, RunFlag};
use crate::invocation::Invocation;
use crate::pages::entry::Deed;

const COPY: Deed = Deed { done: "copied", would: "would copy", after: "" };

const RENAME: Deed = Deed { done: "renamed", would: "would rename", after: "" };

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
An entry that exists is never overwritten. For a pattern, the new path has one *
in the place of the part that differs, or ends in /, as in known://old/* to
known://new/*.")]
pub(crate) struct TransferArgs {
    /// Path or pattern
    #[arg(value_name = "PATTERN")]
    entry: String,
    /// New path
    to: String,
    /// Only entries whose body this text or pattern finds
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// How much of the new entry is shown to a model
    #[arg(long, value_name = "V", value_parser = VISIBILITIES)]
    visibility: Option<String>,
    #[command(flatten)]
    preview: PreviewFlag,
    #[command(flatten)]
    run: RunFlag,
}

impl TransferArgs {
    /// Copies the entries.
    pub(crate) fn copy(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.transfer(invocation, "cp", COPY)
    }

    /// Renames the entries.
    pub(crate) fn rename(self, invocation: &Invocation) -> Result<Exit, Failure> {
        self.transfer(invocation, "mv", RENAME)
    }

    fn transfer(self, invocation: &Invocation, operation: &str, deed: Deed) -> Result<Exit, Failure> {
        let params = TransferParams {
            path: self.entry,
            to: self.to,
            filter: self.filter,
            visibility: self.visibility,
            preview: self.preview.preview,
            run: self.run.run,
            files: None,
        };
        let answer = invocation.call(operation, &params, here())?;
        outcome::show(invocation, &answer, deed)
    }
}
