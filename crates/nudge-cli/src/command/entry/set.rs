//! `nudge entry set` creates and changes entries and files, and `nudge entry update` records how
//! far the work has come.

use std::path::PathBuf;

use clap::Args;
use nudge_agent::runs::SetEntry;
use nudge_core::Fault;
use nudge_memory::entries::{SetEntryParams, UpdateParams, UpdateRun};
use serde_json::{Map, Value};

use super::outcome::{VISIBILITIES, show_outcome};
use super::rm::many_agreed;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PreviewFlag, RunFlag, YesFlag};
use crate::invocation::Invocation;
use crate::pages::entry::ActionWords;
use crate::{input, lists};

/// How far an entry has come.
const STATES: [&str; 5] = ["proposed", "streaming", "resolved", "failed", "cancelled"];

const SET_WORDS: ActionWords = ActionWords { done: "set", would: "would set", after: "" };

/// The end of the help page.
const EXAMPLES: &str = "\
A body can be an edit of the present body: `s/old/new/`, a unified diff, or
`<<SEARCH … SEARCH <<REPLACE … REPLACE`, `<<APPEND … APPEND`,
`<<PREPEND … PREPEND` and `<<DELETE … DELETE`. --raw stores it as it is.

Examples:
  nudge entry set known://auth/plan 'tokens end after an hour'
  nudge entry set src/main.rs 's/5432/5433/'
  git diff | nudge entry set known://wip --raw -
  nudge entry set 'known://plan/*' --visibility archived";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SetArgs {
    /// Path, or a pattern of entries that exist
    #[arg(value_name = "PATH")]
    entry: String,
    /// New body, or an edit of the present one; - reads standard input
    #[arg(allow_hyphen_values = true)]
    body: Option<String>,
    /// Read the body from this file
    #[arg(long, value_name = "FILE", conflicts_with = "body")]
    file: Option<PathBuf>,
    /// Store the body as it is, even if it looks like an edit
    #[arg(long)]
    raw: bool,
    /// Add the body after the present one, as it is
    #[arg(long, conflicts_with = "raw")]
    append: bool,
    /// How much of it is shown to a model
    #[arg(long, value_name = "V", value_parser = VISIBILITIES)]
    visibility: Option<String>,
    /// How far it has come
    #[arg(long, value_name = "STATE", value_parser = STATES)]
    state: Option<String>,
    /// Why it failed or was cancelled; needs --state
    #[arg(long, value_name = "TEXT")]
    outcome: Option<String>,
    /// Description of at most 80 characters
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Change only entries whose body this text or pattern finds
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Another fact about it; `NAME=` removes the fact; may be repeated
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = lists::pair)]
    attributes: Vec<(String, String)>,
    /// Only if the stored version is this; 0 means only if there is none
    #[arg(long, value_name = "VERSION", allow_negative_numbers = true)]
    if_match_version: Option<i64>,
    #[command(flatten)]
    preview: PreviewFlag,
    #[command(flatten)]
    yes: YesFlag,
    #[command(flatten)]
    run: RunFlag,
}

impl SetArgs {
    /// Makes the change and prints what was done to each entry.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = SetEntryParams {
            body: self.text()?,
            attributes: facts(self.attributes),
            path: self.entry,
            raw: self.raw,
            append: self.append,
            visibility: self.visibility,
            state: self.state,
            outcome: self.outcome,
            summary: self.summary,
            tags: None,
            filter: self.filter,
            if_match_version: self.if_match_version,
            preview: self.preview.preview,
            run: self.run.run,
            files: None,
        };
        if params.body.is_some() && !params.preview && !self.yes.yes && !is_agreed(invocation, &params)? {
            return Ok(input::declined(invocation));
        }
        let answer = invocation.call::<SetEntry>(&params, here())?;
        show_outcome(invocation, &answer, SET_WORDS)
    }

    fn text(&self) -> Result<Option<String>, Failure> {
        Ok(match (&self.body, &self.file) {
            (Some(body), _) if body == "-" => Some(input::stdin()?),
            (Some(body), _) => Some(body.clone()),
            (None, Some(file)) => Some(input::file(file)?),
            (None, None) => None,
        })
    }
}

/// Asks before several entries get the same new body. Edits change only what they find.
fn is_agreed(invocation: &Invocation, params: &SetEntryParams) -> Result<bool, Fault> {
    if !params.path.starts_with('/') && !params.path.contains(['*', '?', '[', '{', '!']) {
        return Ok(true);
    }
    let look = SetEntryParams { preview: true, ..params.clone() };
    let found = invocation.ask::<SetEntry>(&look, here())?;
    if found.results.iter().any(|result| result.matched.is_some()) {
        return Ok(true);
    }
    many_agreed(invocation, &found, &params.path, "Replace the bodies of")
}

/// The facts to set; one without a value is removed.
fn facts(given: Vec<(String, String)>) -> Option<Map<String, Value>> {
    let fact = |(name, value): (String, String)| {
        let value = if value.is_empty() { Value::Null } else { Value::String(value) };
        (name, value)
    };
    (!given.is_empty()).then(|| given.into_iter().map(fact).collect())
}

// `nudge entry update`: records how far the work has come.

const UPDATE_WORDS: ActionWords = ActionWords { done: "recorded", would: "would record", after: "" };

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// What was done or found, in a sentence
    text: String,
    /// 102 goes on, 200 done, 204 nothing to do, 422 impossible [default: 102]
    #[arg(long, value_name = "STATUS")]
    status: Option<u16>,
    #[command(flatten)]
    run: RunFlag,
}

impl UpdateArgs {
    /// Records the progress.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UpdateParams { body: self.text, status: self.status, run: self.run.run };
        let answer = invocation.call::<UpdateRun>(&params, here())?;
        show_outcome(invocation, &answer, UPDATE_WORDS)
    }
}
