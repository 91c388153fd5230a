//! What the verbs share: the names of visibilities, and what a verb did, as a page and an exit
//! code.

use nudge_core::{Fault, FaultKind};
use nudge_memory::entries::{EntryResult, VerbAnswer};
use nudge_memory::operation::Op;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::{Answer, Invocation};
use crate::pages::entry::{self, ActionWords};

/// How much of an entry is shown to a model.
pub(super) const VISIBILITIES: [&str; 3] = ["visible", "summarized", "archived"];

/// Shows what a verb did. The failure of a single entry is the failure of the command.
pub(super) fn show_outcome<O: Op<Answer = VerbAnswer>>(
    invocation: &Invocation,
    answer: &Answer<O>,
    words: ActionWords,
) -> Result<Exit, Failure> {
    let typed = answer.typed()?;
    if let [only] = typed.results.as_slice()
        && let Some(fault) = failure_of(only)
        && !invocation.output.is_json()
    {
        return Err(fault.into());
    }
    invocation.output.answer(&answer.json, |page| entry::results(page, &typed, words));
    Ok(entry::exit_of(&typed.results))
}

/// The failure of a call about one entry. A file beside the user that was named from there gets a
/// hint: paths start at the root of the project.
pub(super) fn failure_of(result: &EntryResult) -> Option<Fault> {
    let fault = entry::fault_of(result)?;
    let is_near = || !result.path.contains("://") && working_directory().join(&result.path).is_file();
    Some(if fault.kind == FaultKind::NotFound && is_near() {
        fault.next("name files from the root of the project; `nudge entry ls '**'` lists them")
    } else {
        fault
    })
}
