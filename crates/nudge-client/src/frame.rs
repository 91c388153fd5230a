//! The frames between our own programs: one JSON object per line over the Unix socket.
//!
//! Both ends ignore unknown fields, so either side may be the newer one.

use std::collections::BTreeMap;
use std::io;

use nudge_agent::runs::KnownModel;
use nudge_core::ttl::Ttl;
use nudge_core::{Context, EnvView, Fault, FaultKind, Os};
use nudge_memory::capture::CapturedEvent;
use nudge_memory::inject::InjectionLimits;
use nudge_memory::{Ambient, Caller, HintLimits, Surface, Terms};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::older;

/// The version of the frame format.
pub const PROTOCOL: u64 = 1;

/// The longest frame accepted: an import of 16 MiB, escaped as JSON, with some margin.
pub const MAX_FRAME: usize = 32 * 1024 * 1024;

/// PRIMARY's first frame on a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Its frame format.
    pub nudge: u64,
    /// Its version.
    pub version: String,
    /// The unique id of this PRIMARY run.
    pub instance: String,
    /// Its process id.
    pub pid: u32,
    #[serde(default)]
    /// Its port of record.
    pub port: u16,
    #[serde(default)]
    /// Whether its memory ends with the process.
    pub ephemeral: bool,
}

impl Greeting {
    /// Parses a greeting. One with another protocol is an error, because we cannot talk to that
    /// server.
    pub fn read(frame: &[u8]) -> io::Result<Self> {
        let greeting: Self = serde_json::from_slice(frame)?;
        if greeting.nudge != PROTOCOL {
            return Err(io::Error::other("PRIMARY speaks another protocol"));
        }
        Ok(greeting)
    }
}

/// A received frame: a call of an operation, an event to store, or a control word to the server.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The id that the reply carries.
    pub id: u64,
    #[serde(default)]
    /// The operation to call.
    pub op: Option<String>,
    #[serde(default)]
    /// The parameters of the operation or control word.
    pub params: Value,
    #[serde(default)]
    /// The caller.
    pub caller: Option<CallerFrame>,
    /// The field names that the caller reads; see [`older`].
    #[serde(default)]
    pub names: u8,
    #[serde(default)]
    /// A control word to the server itself.
    pub control: Option<String>,
    #[serde(default)]
    /// An event to store.
    pub capture: Option<Box<CapturedEvent>>,
    /// How much text may be injected into that event's session; without it, none.
    #[serde(default)]
    pub inject: Option<InjectionLimits>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: u64,
    op: &'a str,
    params: &'a Value,
    caller: CallerFrame,
    names: u8,
}

/// A received reply. `id` is null when the request could not be parsed.
#[derive(Debug, Deserialize)]
pub struct Reply {
    /// The id of the request; `None` if the frame could not be parsed.
    pub id: Option<u64>,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    fault: Option<Value>,
}

impl Reply {
    /// The result or the fault.
    pub fn outcome(self) -> Result<Value, Fault> {
        match self.fault {
            Some(fault) => Err(Fault::from_json(&fault)),
            None => Ok(self.result),
        }
    }
}

/// A caller on the connection. PRIMARY adds the machine and the time.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallerFrame {
    surface: String,
    #[serde(default)]
    client: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    tool_use: Option<String>,
    #[serde(default)]
    process_session: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    ambient: Option<AmbientFrame>,
    #[serde(default)]
    operation_id: Option<String>,
    #[serde(default)]
    terms: Option<TermsFrame>,
}

#[derive(Debug, Serialize, Deserialize)]
struct TermsFrame {
    default_ttl: String,
    secret_guard: bool,
    #[serde(default)]
    strict_secrets: bool,
    mcp_secrets: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limits: Option<HintLimits>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<KnownModel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AmbientFrame {
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    repo: Option<String>,
    #[serde(default)]
    branch: Option<String>,
    #[serde(default)]
    os: Option<String>,
    #[serde(default)]
    env: Option<BTreeMap<String, Option<String>>>,
}

impl CallerFrame {
    /// The part of a caller that is sent. A complete environment is not sent: PRIMARY requests the
    /// names it needs.
    pub fn of(caller: &Caller) -> Self {
        let ambient = match &caller.ambient {
            Ambient::Nothing => None,
            Ambient::Here(context) => Some(AmbientFrame {
                cwd: context.cwd.clone(),
                repo: context.repo.clone(),
                branch: context.branch.clone(),
                os: context.os.map(|os| os.name().to_owned()),
                env: match &context.env {
                    EnvView::Absent => None,
                    EnvView::Complete(_) => Some(BTreeMap::new()),
                    EnvView::Partial(known) => Some(known.clone()),
                },
            }),
        };
        Self {
            surface: caller.surface.name().to_owned(),
            client: caller.client.clone(),
            session: caller.session.clone(),
            tool_use: caller.tool_use.clone(),
            process_session: caller.process_session.clone(),
            project: caller.project.clone(),
            ambient,
            operation_id: caller.operation_id.clone(),
            terms: caller.terms.as_ref().map(|terms| TermsFrame {
                default_ttl: terms.default_ttl.as_str().to_owned(),
                secret_guard: terms.secret_guard,
                strict_secrets: terms.strict_secrets,
                mcp_secrets: terms.mcp_secrets,
                limits: terms.limits,
                models: KnownModel::of_settings(&terms.models),
            }),
        }
    }

    /// The caller on PRIMARY's side.
    pub fn into_caller(self) -> Result<Caller, Fault> {
        let surface = Surface::from_name(&self.surface)
            .ok_or_else(|| malformed(format!("unknown surface `{}`", self.surface)))?;
        let mut caller = Caller::new(surface, crate::now());
        caller.client = self.client;
        caller.session = self.session;
        caller.tool_use = self.tool_use;
        caller.process_session = self.process_session;
        caller.project = self.project;
        caller.operation_id = self.operation_id;
        if let Some(terms) = self.terms {
            caller.terms = Some(Terms {
                default_ttl: Ttl::parse(&terms.default_ttl)?,
                secret_guard: terms.secret_guard,
                strict_secrets: terms.strict_secrets,
                mcp_secrets: terms.mcp_secrets,
                limits: terms.limits,
                models: terms.models.into_iter().map(KnownModel::into_setting).collect(),
            });
        }
        if let Some(ambient) = self.ambient {
            caller.ambient = Ambient::Here(Context {
                cwd: ambient.cwd,
                repo: ambient.repo,
                branch: ambient.branch,
                os: ambient.os.as_deref().and_then(Os::from_name),
                env: ambient.env.map_or(EnvView::Absent, EnvView::Partial),
                files_open: Vec::new(),
            });
        }
        Ok(caller)
    }
}

/// Parses a request; an invalid frame becomes a fault for the peer.
pub fn decode(line: &[u8]) -> Result<Request, Fault> {
    if line.first() != Some(&b'{') {
        return Err(malformed("a frame is a JSON object on one line"));
    }
    serde_json::from_slice(line).map_err(|error| malformed(format!("the frame is not a request: {error}")))
}

/// A call, ready to send.
pub fn call(id: u64, caller: &Caller, op: &str, params: &Value) -> Vec<u8> {
    line(&Call { id, op, params, caller: CallerFrame::of(caller), names: older::FIELD_NAMES })
}

/// An event to store, ready to send.
pub fn capture(id: u64, captured: &CapturedEvent, inject: Option<InjectionLimits>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Capture<'a> {
        id: u64,
        capture: &'a CapturedEvent,
        #[serde(skip_serializing_if = "Option::is_none")]
        inject: Option<InjectionLimits>,
    }
    line(&Capture { id, capture: captured, inject })
}

/// A control word, ready to send.
pub fn control(id: u64, word: &str, params: &Value) -> Vec<u8> {
    line(&json!({"id": id, "control": word, "params": params}))
}

/// A reply, ready to send.
pub fn reply(id: Option<u64>, outcome: &Result<Value, Fault>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Result<'a> {
        id: Option<u64>,
        result: &'a Value,
    }
    match outcome {
        Ok(result) => line(&Result { id, result }),
        Err(fault) => line(&json!({"id": id, "fault": fault.to_json()})),
    }
}

/// A greeting, ready to send.
pub fn greeting(greeting: &Greeting) -> Vec<u8> {
    line(greeting)
}

/// The fault for a frame that cannot be parsed.
pub fn malformed(message: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Invalid, "malformed_frame", message)
        .next("use the same version of nudge everywhere")
}

/// The fault for a frame beyond [`MAX_FRAME`].
pub fn too_long() -> Fault {
    Fault::new(FaultKind::TooLarge, "frame_too_large", format!("a frame is limited to {MAX_FRAME} bytes"))
        .with("limit", MAX_FRAME)
        .next("send less at once")
}

fn line(frame: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(frame).expect("frames contain only strings, numbers and JSON values");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        let mut caller = Caller::new(Surface::Mcp, crate::now());
        caller.client = Some("claude-code".into());
        caller.session = Some("s-1".into());
        caller.operation_id = Some("op-1".into());
        caller.ambient = Ambient::Here(Context {
            cwd: Some("/work".into()),
            repo: Some("git:org/repo".into()),
            branch: Some("dev".into()),
            os: Some(Os::Linux),
            env: EnvView::Partial(BTreeMap::from([("CI".into(), None), ("A".into(), Some("1".into()))])),
            files_open: Vec::new(),
        });
        caller
    }

    #[test]
    fn a_call_arrives_as_it_was_sent() {
        let sent = caller();
        let request = decode(&call(4, &sent, "get_hint", &json!({"component": "a"}))).expect("a request");
        assert_eq!((request.id, request.op.as_deref()), (4, Some("get_hint")));
        assert_eq!(request.params, json!({"component": "a"}));
        let got = request.caller.expect("a caller").into_caller().expect("a known surface");
        assert_eq!((got.surface, &got.client, &got.session), (sent.surface, &sent.client, &sent.session));
        assert_eq!((&got.ambient, &got.operation_id), (&sent.ambient, &sent.operation_id));
    }

    #[test]
    fn a_complete_environment_stays_at_home() {
        let mut sent = caller();
        if let Ambient::Here(context) = &mut sent.ambient {
            context.env = EnvView::Complete(BTreeMap::from([("HOME_SECRET".into(), "x".into())]));
        }
        let bytes = call(1, &sent, "get_hint", &Value::Null);
        assert!(!String::from_utf8_lossy(&bytes).contains("HOME_SECRET"));
    }

    #[test]
    fn answers_and_faults_read_back() {
        let answer: Reply = serde_json::from_slice(&reply(Some(1), &Ok(json!({"a": 1})))).expect("a reply");
        assert_eq!((answer.id, answer.outcome()), (Some(1), Ok(json!({"a": 1}))));
        let answer: Reply = serde_json::from_slice(&reply(None, &Err(too_long()))).expect("a reply");
        assert_eq!(answer.outcome(), Err(too_long()));
    }

    #[test]
    fn what_is_no_request_is_refused_with_a_reason() {
        for line in ["", "{}", "[1]", "{\"id\":-1}", "{\"id\":1", "null"] {
            assert_eq!(decode(line.as_bytes()).expect_err(line).reason, "malformed_frame");
        }
        let deep = format!("{{\"id\":1,\"params\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        assert_eq!(decode(deep.as_bytes()).expect_err("too deep").reason, "malformed_frame");
    }
}
