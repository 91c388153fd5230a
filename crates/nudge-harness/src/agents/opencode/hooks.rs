//! opencode: what its hooks send and accept.
//!
//! opencode's hooks are not processes: our plugin runs inside it and sends the arguments of each
//! hook.
//!
//! The plugin sends `{"hook", "input", "output"}`, and may add `directory` and `version`; bus
//! events come as the hook `event`. `session.started` is the plugin's own.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::Value;

use super::spec::SPEC;
use crate::hooks::{Answer, Hooks, dialect, event, prompt};
use crate::payload::{Fields, ParseError};
use crate::spec::HookPoint;
use crate::tool;

/// Our plugin sends this when a session begins, is resumed or was compacted, and waits for the
/// answer.
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

/// An event of opencode's bus.
fn bus_event(input: &mut Fields) -> HookEvent {
    let name = input.text(&["type"]).unwrap_or_else(|| "event".to_owned());
    let mut properties = input.take_object(&["properties"]);
    let mut read = begin(&name, &properties);
    read.session = properties.text(&["sessionID"]);
    let mut info = properties.take_object(&["info"]);
    read.cwd = info.text(&["directory"]);
    read.harness_version = info.text(&["version"]);
    read.at = info.take_object(&["time"]).point("created").or_else(|| properties.point("time"));
    read.agent = subagent_of(read.session.as_deref(), &info);
    // Our plugin adds the agent's last message.
    read.message = properties.text(&["message"]).filter(|_| read.kind == EventKind::Stop);
    read
}

/// The agent of a session that has a parent session.
fn subagent_of(session: Option<&str>, fields: &Fields) -> Option<AgentLabel> {
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
            read.at = message.take_object(&["time"]).point("created");
            read.model = message.take_object(&["model"]).text(&["modelID"]);
            read.prompt = Some(prompt::classify_prompt(&typed_text(output)));
        }
        STARTED => read.agent = subagent_of(read.session.as_deref(), input),
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
    let kind = match known.map_or(HookPoint::Other, |event| event.point) {
        HookPoint::SessionStart if name == STARTED => event::kind(HookPoint::SessionStart, fields),
        HookPoint::SessionStart => EventKind::SessionStart { source: StartSource::Startup },
        point => event::kind(point, fields),
    };
    HookEvent { repeats: known.is_some_and(|event| event.repeats), ..HookEvent::new(SPEC.name, name, kind) }
}

/// The parts that the user typed; opencode or a plugin added the synthetic ones.
fn typed_text(output: &Fields) -> String {
    let parts = output.get("parts").and_then(Value::as_array);
    let typed = |part: &&Value| {
        part.get("type").and_then(Value::as_str) == Some("text")
            && part.get("synthetic").and_then(Value::as_bool) != Some(true)
    };
    let texts = parts.into_iter().flatten().filter(typed).filter_map(|part| part.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    // `opencode run` quotes its argument as JSON.
    serde_json::from_str::<String>(&text).unwrap_or(text)
}

fn call(input: &Fields, args: Option<Value>) -> Option<ToolCall> {
    let mut tool = ToolCall::new(&input.text(&["tool"])?);
    tool.id = input.text(&["callID"]);
    tool.input = args.unwrap_or(Value::Null);
    Some(tool)
}

/// Only its database shows calls without a response.
fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    match kind {
        _ if call.response.is_none() => Outcome::Unknown,
        ToolKind::Command => {
            let metadata = call.response.as_ref().and_then(|response| response.get("metadata"));
            let exit = metadata.and_then(|metadata| metadata.get("exit")).and_then(Value::as_i64);
            tool::outcome_of_status(exit.and_then(|status| i32::try_from(status).ok()))
        }
        ToolKind::McpCall => tool::mcp_outcome(call.response.as_ref()).unwrap_or(Outcome::Unknown),
        _ => Outcome::Success,
    }
}

/// The plugin's own dialect. Text cannot be added to MCP results.
fn emit(event: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    let response = event.tool.as_ref().and_then(|tool| tool.response.as_ref());
    let of_mcp = response.is_some_and(|response| response.get("content").is_some_and(Value::is_array));
    dialect::flat("context", context.filter(|_| !of_mcp))
}
