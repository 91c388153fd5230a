//! The recording of calls: every call of an answer gets its path, and a rejected one its reason.
//!
//! Filters decide, in the order of their priorities. A rejected call is recorded as failed under
//! its own path, so the model reads the reason where it looks for the result.

use std::collections::BTreeSet;

use nudge_context::Filters;
use nudge_core::EntryPath;
use nudge_core::path::{action_path, channel_path};
use nudge_core::run::Mode;
use nudge_core::text::is_hidden;
use nudge_grammar::{Call, Parsed, Pattern, Tool, WarningKind};

use crate::budget::Limits;
use crate::prompts::is_example;
use crate::tools::{Flags, exclusion, is_terminal};

/// Why a call is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The outcome of its record: `invalid` or `permission`; other filters may have other words.
    pub outcome: String,
    /// What the model reads: why, and what to do instead.
    pub why: String,
}

/// How the tag of a call ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TagEnd {
    /// It is whole.
    Closed,
    /// It has no end; the parser found one.
    Unclosed,
    /// It has no end, because the answer reached the limit of its length in it.
    Cut,
}

/// A call under its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Which tool.
    pub tool: Tool,
    /// The call.
    pub call: Call,
    /// The path of its record, unique within the turn.
    pub path: EntryPath,
    /// How its tag ended.
    pub end: TagEnd,
    /// Why it is not carried out.
    pub rejection: Option<Rejection>,
}

impl Recorded {
    /// The same call, rejected. The first rejection stays.
    #[must_use]
    pub fn rejected(mut self, outcome: &str, why: impl Into<String>) -> Self {
        self.rejection.get_or_insert_with(|| Rejection { outcome: outcome.to_owned(), why: why.into() });
        self
    }
}

/// The chain of filters that every call passes before it is recorded.
#[derive(Debug)]
pub struct Policy<'f> {
    chain: Filters<'f, Recorded>,
}

impl<'f> Policy<'f> {
    /// The checks of every loop.
    pub fn new(mode: Mode, flags: Flags, limits: Limits) -> Self {
        let mut chain = Filters::new();
        add_rejections(&mut chain, mode, flags, limits);
        Self { chain }
    }

    /// Adds a filter. A lower priority runs first; the checks have 10 to 50.
    #[must_use]
    pub fn with(
        mut self,
        priority: u16,
        name: &'static str,
        filter: impl Fn(Recorded) -> Recorded + Send + Sync + 'f,
    ) -> Self {
        self.chain.add(priority, name, filter);
        self
    }

    /// Priority and name of each filter, in the order in which they run.
    pub fn order(&self) -> impl Iterator<Item = (u16, &'static str)> {
        self.chain.order()
    }

    /// The calls of an answer as they are recorded, in their order. `was_cut`: the answer reached
    /// the limit of its length.
    pub fn record(&self, turn: u32, parsed: &Parsed, was_cut: bool) -> Vec<Recorded> {
        let mut taken = BTreeSet::new();
        let last = parsed.calls.len().saturating_sub(1);
        let calls = parsed.calls.iter().enumerate();
        calls
            .map(|(index, call)| {
                let end = tag_end(call, parsed, was_cut && index == last);
                let path = free_path(turn, call, &mut taken);
                self.chain.apply(Recorded { tool: call.tool, call: call.clone(), path, end, rejection: None })
            })
            .collect()
    }
}

fn tag_end(call: &Call, parsed: &Parsed, is_cut: bool) -> TagEnd {
    let is_unclosed = |kind, at| kind == WarningKind::UnclosedTag && call.span.contains(&at);
    match parsed.warnings.iter().any(|warning| is_unclosed(warning.kind, warning.at)) {
        true if is_cut => TagEnd::Cut,
        true => TagEnd::Unclosed,
        false => TagEnd::Closed,
    }
}

/// The path of a record. The second one of the same name ends in `_2`.
fn free_path(turn: u32, call: &Call, taken: &mut BTreeSet<String>) -> EntryPath {
    let label = match call.tool {
        Tool::Update => call.status.unwrap_or_default().to_string(),
        Tool::Think => "note".to_owned(),
        _ => call.target.clone(),
    };
    let named = |label: &str| action_path(turn, call.tool.name(), label).expect("a slug is a part of a path");
    let mut first = named(&label);
    if has_credential(&first) {
        first = named(nudge_secrets::REDACTED);
    }
    if taken.insert(first.as_str().to_owned()) {
        return first;
    }
    let names = (2_u32..).map(|number| format!("{}_{number}", first.as_str()));
    let free = names.into_iter().find(|name| taken.insert(name.clone())).expect("numbers do not end here");
    EntryPath::parse(&free).expect("a path and a number are a path")
}

/// Whether the store would replace a part of this path or of its channels. It would keep the record
/// under another path then, where nobody looks for it. The words of a command can look like a
/// credential in a path only, where nothing but a `_` parts them.
fn has_credential(record: &EntryPath) -> bool {
    let parts = |path: &EntryPath| path.parts().iter().any(|part| !nudge_secrets::scan(part).is_empty());
    parts(record) || channel_path(record, 1).is_some_and(|channel| parts(&channel))
}

/// A call that has not what it needs, or that cannot be meant.
const INVALID: &str = "invalid";

/// A call that the loop does not allow.
const PERMISSION: &str = "permission";

/// Adds the checks. A whole call comes first, then what the loop allows.
fn add_rejections(chain: &mut Filters<'_, Recorded>, mode: Mode, flags: Flags, limits: Limits) {
    chain.add(10, "target_missing", |recorded| reject(recorded, INVALID, missing));
    chain.add(20, "target_shape", move |recorded| reject(recorded, INVALID, |call| leaked(call, limits)));
    chain.add(25, "copied_example", |recorded| reject(recorded, INVALID, copied));
    chain.add(30, "ask_mode_files", move |recorded| {
        reject(recorded, PERMISSION, |call| file_in_ask(call, mode))
    });
    chain.add(40, "excluded_tool", move |recorded| {
        reject(recorded, PERMISSION, |call| {
            let instead = exclusion(call.tool, mode, flags)?;
            Some(format!("{} is not among the tools: {instead}.", call.tool.name()))
        })
    });
    chain.add(50, "unclosed", |recorded| reject(recorded, INVALID, unclosed));
}

fn reject(recorded: Recorded, outcome: &str, check: impl Fn(&Recorded) -> Option<String>) -> Recorded {
    if recorded.rejection.is_some() {
        return recorded;
    }
    match check(&recorded) {
        Some(why) => recorded.rejected(outcome, why),
        None => recorded,
    }
}

/// The attribute that is the target of a tool.
const fn target_name(tool: Tool) -> Option<&'static str> {
    match tool {
        Tool::Think | Tool::Update => None,
        Tool::Get | Tool::Set | Tool::Rm | Tool::Cp | Tool::Mv => Some("path"),
        Tool::Search => Some("query"),
        Tool::Env | Tool::Sh => Some("command"),
        Tool::Mcp => Some("tool"),
        Tool::AskUser => Some("question"),
    }
}

fn missing(recorded: &Recorded) -> Option<String> {
    let Recorded { tool, call, .. } = recorded;
    let name = target_name(*tool)?;
    if call.target.trim().is_empty() {
        return Some(format!("{} needs a {name}.", tool.name()));
    }
    let needs_to = matches!(tool, Tool::Cp | Tool::Mv) && call.to.is_none();
    needs_to.then(|| format!("{} needs a destination: to.", tool.name()))
}

/// Reasoning that leaked into a tag. The destination is checked like the target.
fn leaked(recorded: &Recorded, limits: Limits) -> Option<String> {
    let name = target_name(recorded.tool)?;
    let to = recorded.call.to.as_deref().map(|to| ("to", to));
    [(name, recorded.call.target.as_str())].into_iter().chain(to).find_map(|(name, text)| {
        let length = text.chars().count();
        if length > limits.target_most {
            let most = limits.target_most;
            return Some(format!(
                "{name} has {length} characters, and the limit is {most}. It looks like reasoning: put that in think."
            ));
        }
        text.chars().any(|c| c.is_control() || is_hidden(c)).then(|| {
            format!("{name} has line breaks or control characters. It looks like reasoning: put that in think.")
        })
    })
}

/// An end whose text is that of an example: small models copy them.
fn copied(recorded: &Recorded) -> Option<String> {
    let Recorded { tool, call, .. } = recorded;
    let is_end = *tool == Tool::Update && is_terminal(call.status.unwrap_or(102));
    let is_copy = is_end && is_example(call.body.as_deref().unwrap_or_default().trim());
    is_copy.then(|| "This text is an example. Write the answer itself, from <visible>.".to_owned())
}

/// What would change a file while the loop only reads. A change of view changes no file.
fn file_in_ask(recorded: &Recorded, mode: Mode) -> Option<String> {
    if mode != Mode::Ask {
        return None;
    }
    let Recorded { tool, call, .. } = recorded;
    let changed = match tool {
        Tool::Set if !only_views(recorded) => Some(call.target.as_str()),
        Tool::Rm => Some(call.target.as_str()),
        Tool::Mv => {
            [Some(call.target.as_str()), call.to.as_deref()].into_iter().flatten().find(|path| is_file(path))
        }
        Tool::Cp => call.to.as_deref(),
        _ => None,
    }?;
    is_file(changed).then(|| {
        format!(
            "This loop only reads: {} may not change the file {changed}. Describe the change in the answer, or \
             store a fact under known://.",
            tool.name()
        )
    })
}

/// Whether a `set` changes only what is in view.
fn only_views(recorded: &Recorded) -> bool {
    let attributes = &recorded.call.attributes;
    let harmless = |name: &String| matches!(name.as_str(), "visibility" | "preview" | "manifest" | "filter");
    recorded.call.body.is_none() && attributes.contains_key("visibility") && attributes.keys().all(harmless)
}

/// Whether a path or pattern can name a file: all that it matches does not begin with the scheme of
/// an entry.
fn is_file(path: &str) -> bool {
    let Ok(pattern) = Pattern::parse(path.trim()) else { return true };
    let begin = pattern.prefix();
    let Some((scheme, _)) = begin.split_once("://") else { return true };
    scheme == "file" || EntryPath::parse(begin).is_err()
}

/// A call that may have lost its end. What removes or runs is not carried out by half.
fn unclosed(recorded: &Recorded) -> Option<String> {
    let name = recorded.tool.name();
    match recorded.end {
        TagEnd::Cut if !matches!(recorded.tool, Tool::Think | Tool::Update) => Some(format!(
            "The answer reached its limit inside {name}, so it may be incomplete. Write less at once."
        )),
        TagEnd::Unclosed if removes(recorded.tool) => {
            Some(format!("The tag of {name} is not closed, so it may be incomplete. Nothing was done."))
        }
        _ => None,
    }
}

/// Whether half of a call could remove more than was meant.
const fn removes(tool: Tool) -> bool {
    matches!(tool, Tool::Rm | Tool::Mv | Tool::Sh | Tool::Env | Tool::Mcp)
}

#[cfg(test)]
mod tests;
