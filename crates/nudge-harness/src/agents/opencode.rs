//! opencode: the facts, and what its hooks send and accept.

mod install;
mod transcript;

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, StartSource, ToolCall, ToolKind};
use serde_json::Value;

use crate::agent::Agent;
use crate::hooks::{Answer, Hooks, event, prompt};
use crate::payload::{Fields, ParseError};
use crate::spec::{EventSpec, HarnessSpec, HookPoint, HookTimeout, Limit, McpNaming, Traces, UnseenEnd};
use crate::tool;

pub(super) const AGENT: Agent = Agent {
    hooks: HOOKS,
    transcript: transcript::FORMAT,
    installer: Some(install::INSTALLER),
    manual_steps: &[],
};

// opencode's hooks are not processes: our plugin runs inside it and sends the arguments of each
// hook.
//
// The plugin sends `{"hook", "input", "output"}`, and may add `directory` and `version`; bus
// events come as the hook `event`. `session.started` is the plugin's own.

/// Our plugin sends this when a session begins, is resumed or was compacted, and waits for the
/// answer.
const STARTED_EVENT: &str = "session.started";

const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

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
        STARTED_EVENT => read.agent = subagent_of(read.session.as_deref(), input),
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
        HookPoint::SessionStart if name == STARTED_EVENT => event::kind(HookPoint::SessionStart, fields),
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
    event::flat("context", context.filter(|_| !of_mcp))
}

pub(crate) const SPEC: HarnessSpec = HarnessSpec {
    name: "opencode",
    title: "opencode",
    measured: "1.18.33",
    events: &[
        EventSpec::context("session.started", HookPoint::SessionStart),
        EventSpec::silent("session.created", HookPoint::SessionStart),
        EventSpec::silent("session.deleted", HookPoint::SessionEnd),
        EventSpec::context("chat.message", HookPoint::Prompt),
        EventSpec::context("experimental.chat.system.transform", HookPoint::Other),
        EventSpec::silent("tool.execute.before", HookPoint::PreTool),
        EventSpec::context("tool.execute.after", HookPoint::PostTool),
        EventSpec::silent("session.idle", HookPoint::Stop),
        EventSpec::context("experimental.session.compacting", HookPoint::PreCompact),
        EventSpec::silent("session.compacted", HookPoint::PostCompact),
        // The event of the editing tool has reported it already.
        EventSpec::repeat("file.edited", HookPoint::Other),
        EventSpec::repeat("file.watcher.updated", HookPoint::Other),
    ],
    tools: &[
        ("bash", ToolKind::Command),
        ("read", ToolKind::Read),
        ("write", ToolKind::Write),
        ("edit", ToolKind::Edit),
        ("multiedit", ToolKind::Edit),
        ("patch", ToolKind::Edit),
        ("apply_patch", ToolKind::Edit),
        ("glob", ToolKind::Search),
        ("grep", ToolKind::Search),
        ("list", ToolKind::Search),
        ("webfetch", ToolKind::WebFetch),
        ("websearch", ToolKind::WebSearch),
        ("codesearch", ToolKind::WebSearch),
        ("task", ToolKind::TaskSpawn),
        ("plan_enter", ToolKind::Other),
        ("plan_exit", ToolKind::Other),
    ],
    mcp: McpNaming::Single,
    limit: Limit::NotFound,
    // The plugin waits as long as we set.
    timeout: HookTimeout::millis(60_000),
    session_env: &[],
    traces: Traces {
        variables: &["OPENCODE", "OPENCODE_SESSION_ID"],
        programs: &["opencode"],
        packages: &["opencode-ai"],
        clients: &["opencode"],
    },
    unseen_ends: &[UnseenEnd::McpCall],
    silence: "",
    traps: &[
        "Text can be added to the output of built-in tools, not of MCP tools.",
        "An MCP call that fails fires tool.execute.before and nothing more.",
        "With a plugin in its folder opencode installs a package at start and stalls for a minute when offline.",
        "Hooks without a session fire too: init, config, dispose, integration.updated.",
        "The first argument of opencode run comes with quotes around it.",
    ],
};
