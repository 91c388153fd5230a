//! `apply_tags`: carries out the calls in a model's output, in the order in which they stand.

use std::sync::atomic::{AtomicU64, Ordering};

use nudge_context::Events;
use nudge_core::{Fault, FaultKind};
use nudge_grammar::{Call, TagLimits, Tool, WarningKind, parse_tags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::files::{self, FoundFile};
use super::{CopyEntries, GetEntries, MoveEntries, RemoveEntries, SetEntries, UpdateRun};
use crate::caller::{Caller, Surface};
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::Search;

/// The longest target of a call, in characters. A longer one is reasoning that leaked into a tag.
const MAX_TARGET_CHARS: usize = 512;

/// Parameters of `apply_tags`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagsParams {
    /// The output of a model, with tags such as `<get path="known://plan"/>`.
    pub text: String,
    /// The run that the calls belong to. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Maximum calls to carry out. Default: 99.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_commands: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// One call and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallResult {
    /// The tool.
    pub tool: String,
    /// Its target: a path, a command or a question.
    pub target: String,
    /// Status: 200 done, 202 waits for the user, 4xx and 5xx failed, 499 not carried out.
    pub status: u16,
    /// What the operation answered.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer: Value,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Answer of `apply_tags`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TagsAnswer {
    /// The calls, in the order of the text.
    pub calls: Vec<CallResult>,
    /// What was recovered or could not be read.
    pub warnings: Vec<String>,
    /// The text outside of calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Number of changes that now wait for the user.
    pub proposals: u64,
}

/// The `apply_tags` operation.
pub struct ApplyTags;

impl Op for ApplyTags {
    const NAME: &'static str = "apply_tags";
    const TITLE: &'static str = "Apply tags";
    const DOC: &'static str = "Carry out the tags in a model's output: get, set, rm, cp, mv, update, search.";
    const REFERENCE: &'static str = "Find the calls in a model's output and carry them out in order. After \
        the first failure the rest is not carried out. Malformed output is repaired, and each repair is \
        reported. The calls have an agent's rights, \
        also when the user passes them on.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = TagsParams;
    type Answer = TagsAnswer;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        let Some(fields) = params.as_object_mut() else { return Ok(params) };
        fields.remove("files");
        let text = fields.get("text").and_then(Value::as_str).unwrap_or_default();
        let is_wanted = |call: &Call| files::is_for_files(&call.target);
        if parse_tags(text, TagLimits::default()).calls.iter().any(is_wanted) {
            let all = files::all_files(memory, caller)?;
            fields.insert("files".to_owned(), serde_json::to_value(all).unwrap_or_default());
        }
        Ok(params)
    }

    fn run(ctx: &OpContext<'_>, params: TagsParams) -> Result<TagsAnswer, Fault> {
        // A model wrote the tags, whoever passes them on: they have an agent's rights.
        let model = Caller { surface: as_agent(ctx.caller.surface), ..ctx.caller.clone() };
        let ctx = &ctx.as_caller(&model);
        let limits = match params.max_commands {
            Some(max) => TagLimits { max_calls: max as usize },
            None => TagLimits::default(),
        };
        let parsed = parse_tags(&params.text, limits);
        let proposals = AtomicU64::new(0);
        // Each call that was carried out is announced, so that what it proposes can be prepared.
        let mut prepare: Events<'_, CallResult> = Events::default();
        prepare.on("proposal.prepare", |done: &CallResult| {
            proposals.fetch_add(proposed_in(&done.answer), Ordering::Relaxed);
        });
        let mut calls = Vec::new();
        let mut is_broken_off = false;
        for call in parsed.calls {
            let is_unclosed = parsed
                .warnings
                .iter()
                .any(|warning| warning.kind == WarningKind::UnclosedTag && call.span.contains(&warning.at));
            let result = if is_unclosed && removes(call.tool) {
                failed(&call, 400, "its tag is not closed, so it may be cut off; nothing was removed")
            } else if is_broken_off {
                aborted(&call)
            } else {
                carry_out(ctx, &call, params.run.as_deref(), params.files.as_deref())?
            };
            // An update says how the work stands; 422 is no failure of the call.
            is_broken_off |= result.status >= 400 && call.tool != Tool::Update;
            prepare.emit(&result);
            calls.push(result);
        }
        Ok(TagsAnswer {
            calls,
            warnings: parsed
                .warnings
                .iter()
                .map(|warning| format!("{}: {}", warning.kind.name(), warning.message))
                .collect(),
            text: parsed.text,
            proposals: proposals.load(Ordering::Relaxed),
        })
    }

    /// What the calls answered may have the content of files, which is not stored.
    fn for_repeat(answer: TagsAnswer) -> TagsAnswer {
        let bare = |call| CallResult { answer: Value::Null, ..call };
        TagsAnswer { calls: answer.calls.into_iter().map(bare).collect(), ..answer }
    }
}

/// The surface of an agent in the same place.
const fn as_agent(surface: Surface) -> Surface {
    match surface {
        Surface::Cli => Surface::AgentCli,
        Surface::Client | Surface::Browser => Surface::Rpc,
        other => other,
    }
}

/// Whether a call that was cut off could remove more than was meant.
const fn removes(tool: Tool) -> bool {
    matches!(tool, Tool::Rm | Tool::Mv | Tool::Sh | Tool::Env | Tool::Mcp)
}

/// Carries out one call. What an operation refuses is a result; only a failure of Nudge itself ends
/// the whole.
pub fn carry_out(
    ctx: &OpContext<'_>,
    call: &Call,
    run: Option<&str>,
    files: Option<&[FoundFile]>,
) -> Result<CallResult, Fault> {
    if call.target.chars().count() > MAX_TARGET_CHARS || call.target.chars().any(char::is_control) {
        return Ok(failed(call, 400, "the target is too long, or contains control characters"));
    }
    let answer = match call.tool {
        Tool::Think => return Ok(result(call, 200, Value::Null)),
        Tool::Sh | Tool::Env | Tool::AskUser | Tool::Mcp => {
            let why = "commands, questions and plugins need a run";
            return Ok(failed(call, 403, why));
        }
        Tool::Get => called::<GetEntries>(ctx, fields(call, run, files, "body", GET_PARAMS)),
        Tool::Set => called::<SetEntries>(ctx, fields(call, run, files, "body", SET_PARAMS)),
        Tool::Rm => called::<RemoveEntries>(ctx, fields(call, run, files, "filter", RM_PARAMS)),
        Tool::Cp => called::<CopyEntries>(ctx, fields(call, run, files, "filter", TRANSFER_PARAMS)),
        Tool::Mv => called::<MoveEntries>(ctx, fields(call, run, files, "filter", TRANSFER_PARAMS)),
        Tool::Update => called::<UpdateRun>(ctx, update_fields(call, run)),
        Tool::Search => called::<Search>(ctx, search_fields(call)),
    };
    match answer {
        Ok(answer) => Ok(result(call, status_in(&answer), answer)),
        Err(fault) if fault.kind.is_failure() => Err(fault),
        Err(fault) if fault.reason == "schema" => Ok(failed(call, 400, &misfit(call, &fault))),
        Err(fault) => Ok(failed(call, status_of_fault(&fault), &fault.message)),
    }
}

/// What a model reads about an attribute that the operation cannot take.
fn misfit(call: &Call, fault: &Fault) -> String {
    let tool = call.tool.name();
    match fault.data.get("field").and_then(Value::as_str).filter(|field| *field != ".") {
        Some(field) => format!("{tool} cannot use this value of `{field}`; look at its examples"),
        None => format!("{tool} cannot use these attributes; look at its examples"),
    }
}

/// Runs an operation. One that fails leaves nothing behind, as if it had been called by itself.
fn called<O: Op>(ctx: &OpContext<'_>, params: Map<String, Value>) -> Result<Value, Fault> {
    ctx.writer()?.part(|| crate::operation::run_in::<O>(ctx, params.into()))
}

/// The parameters of a verb: its target, those of its attributes that the verb knows, and its body
/// under a name. The other attributes of a `set` are facts of its entry.
fn fields(
    call: &Call,
    run: Option<&str>,
    files: Option<&[FoundFile]>,
    body: &str,
    known: &[&str],
) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut facts = Map::new();
    for (name, value) in &call.attributes {
        let is_known = known.contains(&name.as_str());
        let place = if is_known { &mut fields } else { &mut facts };
        place.insert(name.clone(), if is_known { number_in(name, value) } else { value.clone() });
    }
    fields.insert("path".to_owned(), call.target.clone().into());
    if let Some(to) = &call.to {
        fields.insert("to".to_owned(), to.clone().into());
    }
    if let Some(text) = &call.body {
        fields.insert(body.to_owned(), text.clone().into());
    }
    if let Some(run) = run {
        fields.insert("run".to_owned(), run.into());
        if call.tool == Tool::Get {
            // The budget of a run is that of its packet.
            fields.insert("max_tokens".to_owned(), u32::MAX.into());
        }
    }
    if let Some(all) = files {
        let found = files::files_matching(all, &call.target);
        fields.insert("files".to_owned(), serde_json::to_value(found).unwrap_or_default());
    }
    if call.tool == Tool::Set && !facts.is_empty() {
        fields.insert("attributes".to_owned(), facts.into());
    }
    fields
}

/// The attributes that are parameters of each verb.
const GET_PARAMS: &[&str] = &["visibility", "preview", "manifest", "line", "limit", "filter", "max"];
const SET_PARAMS: &[&str] = &[
    "append",
    "visibility",
    "state",
    "outcome",
    "summary",
    "tags",
    "preview",
    "manifest",
    "raw",
    "filter",
    "if_match_version",
];
const RM_PARAMS: &[&str] = &["preview", "manifest", "filter"];
const TRANSFER_PARAMS: &[&str] = &["visibility", "preview", "manifest", "filter"];

/// A number that was written as the text of an attribute.
fn number_in(name: &str, value: &Value) -> Value {
    let number = value.as_str().filter(|_| matches!(name, "max" | "if_match_version"));
    number.and_then(|text| text.trim().parse::<i64>().ok()).map_or_else(|| value.clone(), Value::from)
}

fn update_fields(call: &Call, run: Option<&str>) -> Map<String, Value> {
    let mut fields = Map::new();
    let body = call.body.clone().unwrap_or_else(|| call.target.clone());
    fields.insert("body".to_owned(), body.into());
    fields.insert("status".to_owned(), json!(call.status));
    if let Some(run) = run {
        fields.insert("run".to_owned(), run.into());
    }
    fields
}

fn search_fields(call: &Call) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("query".to_owned(), call.target.clone().into());
    if let Some(results) = call.attributes.get("results") {
        fields.insert("limit".to_owned(), results.clone());
    }
    fields
}

/// How many changes an answer says wait for the user.
fn proposed_in(answer: &Value) -> u64 {
    let results = answer.get("results").and_then(Value::as_array);
    results.into_iter().flatten().filter_map(status).filter(|status| *status == 202).count() as u64
}

/// The worst status in an answer.
fn status_in(answer: &Value) -> u16 {
    if let Some(failed) = answer.get("failed") {
        return status(failed).unwrap_or(500);
    }
    let results = answer.get("results").and_then(Value::as_array);
    results.into_iter().flatten().filter_map(status).max().unwrap_or(200)
}

fn status(result: &Value) -> Option<u16> {
    result.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok())
}

fn status_of_fault(fault: &Fault) -> u16 {
    match fault.kind {
        FaultKind::SecretRejected => 403,
        _ => u16::try_from(fault.kind.code() / 100).unwrap_or(500),
    }
}

fn result(call: &Call, status: u16, answer: Value) -> CallResult {
    CallResult { tool: call.tool.name().to_owned(), target: call.target.clone(), status, answer, why: None }
}

fn failed(call: &Call, status: u16, why: &str) -> CallResult {
    CallResult { why: Some(why.to_owned()), ..result(call, status, Value::Null) }
}

fn aborted(call: &Call) -> CallResult {
    failed(call, 499, "not carried out, because an earlier call failed")
}
