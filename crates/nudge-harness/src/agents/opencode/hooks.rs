//! opencode: what its hooks send, and what they accept.
//!
//! It has no hooks that are processes: a plugin of ours runs inside it and sends what each hook is
//! called with.
//!
//! The plugin sends `{"hook", "input", "output"}`, and may add `directory` and `version`; bus events
//! come as the hook `event`. `session.started` is the plugin's own.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::Value;

use super::spec::SPEC;
use crate::hooks::{Answer, Hooks, dialect, event, prompt};
use crate::payload::{Fields, ParseError};
use crate::spec::Moment;
use crate::tool;

/// What our plugin sends when a session begins, is resumed or was compacted, and it waits for an answer.
const STARTED: &str = "session.started";

pub(super) const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    let hook = fields.required(&["hook"])?;
    let mut input = fields.take_object(&["input"]);
    let mut output = fields.take_object(&["output", "output_before_mutation"]);
    let mut read =
        if hook == "event" { bus_event(&mut input) } else { called(&hook, &mut input, &mut output) };
    read.cwd = read.cwd.or_else(|| fields.text(&["directory"])).or_else(|| input.text(&["directory"]));
    read.harness_version = read.harness_version.or_else(|| fields.text(&["version"]));
    Ok(read)
}

/// An event of the bus, which any part of opencode may hear.
fn bus_event(input: &mut Fields) -> HookEvent {
    let name = input.text(&["type"]).unwrap_or_else(|| "event".to_owned());
    let mut properties = input.take_object(&["properties"]);
    let mut read = begin(&name, &properties);
    read.session = properties.text(&["sessionID"]);
    let mut info = properties.take_object(&["info"]);
    read.cwd = info.text(&["directory"]);
    read.harness_version = info.text(&["version"]);
    read.at = info.take_object(&["time"]).moment("created").or_else(|| properties.moment("time"));
    read.agent = part_of(read.session.as_deref(), &info);
    // Our plugin adds what the agent said last.
    read.message = properties.text(&["message"]).filter(|_| read.kind == EventKind::Stop);
    read
}

/// The agent of a session that is a part of another one.
fn part_of(session: Option<&str>, fields: &Fields) -> Option<AgentLabel> {
    let parent = Some(fields.text(&["parentID"])?);
    Some(AgentLabel { id: session?.to_owned(), kind: fields.text(&["agent"]), parent })
}

/// A hook that was called.
fn called(hook: &str, input: &mut Fields, output: &mut Fields) -> HookEvent {
    let mut read = begin(hook, input);
    read.session = input.text(&["sessionID"]);
    match hook {
        "chat.message" => {
            let mut message = output.take_object(&["message"]);
            read.prompt_id = input.text(&["messageID"]).or_else(|| message.text(&["id"]));
            read.at = message.take_object(&["time"]).moment("created");
            read.model = message.take_object(&["model"]).text(&["modelID"]);
            read.prompt = Some(prompt::written(&typed_text(output)));
        }
        STARTED => read.agent = part_of(read.session.as_deref(), input),
        "tool.execute.before" => read.tool = call(input, output.take(&["args"])),
        "tool.execute.after" => {
            let args = input.take(&["args"]);
            read.tool = call(input, args);
            if let Some(tool) = &mut read.tool {
                tool.response = Some(Value::Object(std::mem::take(output).into_inner()));
            }
        }
        _ => {}
    }
    read
}

fn begin(name: &str, fields: &Fields) -> HookEvent {
    let known = SPEC.event(name);
    let kind = match known.map_or(Moment::Other, |event| event.moment) {
        Moment::SessionStart if name == STARTED => event::kind(Moment::SessionStart, fields),
        Moment::SessionStart => EventKind::SessionStart { source: StartSource::Startup },
        moment => event::kind(moment, fields),
    };
    HookEvent { repeats: known.is_some_and(|event| event.repeats), ..HookEvent::new(SPEC.name, name, kind) }
}

/// The parts that the person typed; synthetic ones were put in by opencode or a plugin.
fn typed_text(output: &Fields) -> String {
    let parts = output.get("parts").and_then(Value::as_array);
    let typed = |part: &&Value| {
        part.get("type").and_then(Value::as_str) == Some("text")
            && part.get("synthetic").and_then(Value::as_bool) != Some(true)
    };
    let texts = parts.into_iter().flatten().filter(typed).filter_map(|part| part.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    // `opencode run` puts its argument in quotes, as JSON has them.
    serde_json::from_str::<String>(&text).unwrap_or(text)
}

fn call(input: &Fields, args: Option<Value>) -> Option<ToolCall> {
    let mut tool = ToolCall::new(&input.text(&["tool"])?);
    tool.id = input.text(&["callID"]);
    tool.input = args.unwrap_or(Value::Null);
    Some(tool)
}

/// Only its database tells of calls that have no answer.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    match kind {
        _ if call.response.is_none() => Outcome::Unknown,
        ToolKind::Command => {
            let metadata = call.response.as_ref().and_then(|response| response.get("metadata"));
            let exit = metadata.and_then(|metadata| metadata.get("exit")).and_then(Value::as_i64);
            tool::told(exit.and_then(|status| i32::try_from(status).ok()))
        }
        ToolKind::McpCall => tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Unknown),
        _ => Outcome::Success,
    }
}

/// The plugin's own dialect. MCP results cannot be added to.
fn emit(event: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    let response = event.tool.as_ref().and_then(|tool| tool.response.as_ref());
    let of_mcp = response.is_some_and(|response| response.get("content").is_some_and(Value::is_array));
    dialect::flat("context", context.filter(|_| !of_mcp))
}
