//! Plugins of a loop: external MCP servers over stdio, started when the loop begins and ended with
//! it, and the calls of their tools.
//!
//! A plugin is a program of somebody else. It gets few variables, its errors go nowhere, what it
//! sends is counted, and each answer has a deadline. Whatever it does is the result of a call.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use nudge_agent::runs::{LoopWork, Part, PluginEnd, PluginTurn};
use nudge_agent::{PluginTool, PluginTools};
use nudge_core::Fault;
use nudge_core::run::Mode;
use nudge_core::text::one_line_of_chars;
use nudge_home::Settings;
use nudge_home::settings::PluginSetting;
use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    Implementation, ResourceContents, Tool,
};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::process::{ChildStderr, ChildStdout, Command};
use tokio::task;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::command::{CHECK_INTERVAL, SERVER_ENDED, program};
use crate::backend::Local;
use crate::web_search;

/// The variables that every plugin gets.
const VARIABLES: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// How long a plugin may take to start and to list its tools. A call may take less, by the
/// settings.
const MAX_START: Duration = Duration::from_secs(10);

/// How long a plugin has to end by itself after its input was closed.
const GRACE: Duration = Duration::from_secs(1);

/// How long the reason is waited for after a plugin has ended.
const REASON_WAIT: Duration = Duration::from_secs(1);

/// How many bytes a plugin may send from one call to the next. Read as JSON, they take many times
/// as much memory.
const MAX_SENT: usize = 2 << 20;

/// How much is kept of what is said about the end of a plugin.
const MAX_REASON: usize = 300;

/// How many tools of a plugin are taken.
const MAX_TOOLS: usize = 200;

/// The plugins of a loop. They end when this is dropped.
#[derive(Default)]
pub(super) struct Plugins {
    running: BTreeMap<String, Plugin>,
    /// What they offer, and what went wrong.
    pub(super) tools: PluginTools,
    deadline: Duration,
}

/// What is started.
struct Wanted {
    name: String,
    words: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    read_only: Vec<String>,
}

impl Wanted {
    fn of_user(name: &str, setting: &PluginSetting) -> Self {
        let names = setting.env.iter().map(String::as_str);
        Self {
            name: name.to_owned(),
            words: setting.command.iter().map(OsString::from).collect(),
            env: variables(VARIABLES.into_iter().chain(names)),
            read_only: setting.read_only.clone(),
        }
    }

    /// The web search, which is this program, too.
    fn web_search(settings: &Settings) -> Self {
        let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
        Self {
            name: web_search::NAME.to_owned(),
            words: vec![program().path.into(), web_search::WORD.into()],
            env: [
                variables(VARIABLES.into_iter().chain(certificates)),
                web_search::variables(&settings.web_search),
            ]
            .concat(),
            read_only: vec![web_search::TOOL.to_owned()],
        }
    }
}

fn variables<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(OsString, OsString)> {
    names.filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect()
}

/// The plugins that a loop may use.
fn wanted(settings: &Settings, work: &LoopWork) -> Vec<Wanted> {
    let flags = work.flags();
    let mut all: BTreeMap<&str, Wanted> = BTreeMap::new();
    if !settings.web_search.url.is_empty() {
        all.insert(web_search::NAME, Wanted::web_search(settings));
    }
    for (name, setting) in &settings.plugins {
        all.insert(name, Wanted::of_user(name, setting));
    }
    if flags.no_web {
        all.remove(web_search::NAME);
    }
    // Without proposals only tools that change nothing can be called.
    let only_reads = work.mode() == Mode::Ask || flags.no_proposals;
    all.into_values().filter(|one| !only_reads || !one.read_only.is_empty()).collect()
}

impl Plugins {
    /// Starts the plugins that a loop may use, all at once. One that cannot be started is a problem
    /// that the loop begins with.
    pub(super) async fn start(settings: &Settings, work: &LoopWork) -> Self {
        let deadline = Duration::from_secs(settings.runs.plugin_time_s);
        let mut plugins = Self { deadline, ..Self::default() };
        let starting: Vec<_> = wanted(settings, work)
            .into_iter()
            .map(|one| task::spawn(async move { (Plugin::start(&one, deadline.min(MAX_START)).await, one) }))
            .collect();
        for one in starting {
            let Ok((started, wanted)) = one.await else { continue };
            plugins.add(wanted, started);
        }
        plugins
    }

    fn add(&mut self, wanted: Wanted, started: Result<(Plugin, Vec<Tool>), String>) {
        let name = wanted.name;
        let problems = &mut self.tools.problems;
        let (plugin, mut tools) = match started {
            Ok(started) => started,
            Err(why) => {
                problems.push(format!("the plugin {name} {why}; the run goes on without it"));
                return;
            }
        };
        let mut left_out = tools.len().saturating_sub(MAX_TOOLS);
        tools.truncate(MAX_TOOLS);
        for tool in &tools {
            let about = tool.description.as_deref().unwrap_or_default();
            let read_only = wanted.read_only.iter().any(|one| *one == tool.name);
            match PluginTool::new(&name, &tool.name, about, &tool.input_schema, read_only) {
                Some(tool) => self.tools.tools.push(tool),
                None => left_out += 1,
            }
        }
        if left_out > 0 {
            problems.push(format!("the plugin {name} has {left_out} tools that are left out: too many, or names that no model can write"));
        }
        for missing in
            wanted.read_only.iter().filter(|one| tools.iter().all(|tool| tool.name != one.as_str()))
        {
            problems
                .push(format!("the plugin {name} has no tool {missing}, which the settings call read-only"));
        }
        self.running.insert(name, plugin);
    }

    /// Calls a tool. Whatever happens is its end.
    async fn call(&self, turn: &PluginTurn) -> PluginEnd {
        let Some((name, tool)) = turn.tool.split_once('.') else {
            return PluginEnd::without(format!("{} is no tool of a plugin", turn.tool));
        };
        let Some(plugin) = self.running.get(name) else {
            return PluginEnd::without(format!("there is no plugin {name} now"));
        };
        let began = Instant::now();
        let end = plugin.call(tool, turn, self.deadline).await;
        PluginEnd { took: began.elapsed(), ..end }
    }
}

/// A plugin that was started.
struct Plugin {
    service: RunningService<RoleClient, ClientConfig>,
    meter: Arc<Meter>,
    reason: Reason,
    /// Ends the plugin.
    _end: DropGuard,
}

impl Plugin {
    async fn start(wanted: &Wanted, within: Duration) -> Result<(Self, Vec<Tool>), String> {
        let home = std::env::home_dir().unwrap_or_else(|| "/".into());
        let mut child = Command::from(nudge_sandbox::companion(&program(), &wanted.words))
            .env_clear()
            .envs(wanted.env.iter().cloned())
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("cannot be started: it has no pipes".to_owned());
        };
        let (end, reason, meter) = (CancellationToken::new(), Reason::default(), Arc::new(Meter::default()));
        task::spawn(reason.clone().hear(errors, end.clone()));
        let end = end.drop_guard();
        let output = Metered { output, meter: meter.clone() };
        let transport = AsyncRwTransport::new_client(output, input);
        let us = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("nudge", nudge_client::VERSION),
        );
        let seconds = within.as_secs_f64();
        let began = async {
            let service = match us.serve(transport).await {
                Ok(service) => service,
                Err(error) => return Err(not_begun(&error, &meter, &reason).await),
            };
            match service.list_all_tools().await {
                Ok(tools) => Ok((service, tools)),
                Err(error) => Err(match failed(&error) {
                    Failure::Ended => ended(&meter, &reason).await,
                    _ => "has no list of tools".to_owned(),
                }),
            }
        };
        let (service, tools) = match timeout(within, began).await {
            Ok(begun) => begun?,
            Err(_) => {
                let sent = meter.lines();
                return Err(format!("did not say within {seconds} s which tools it has{sent}"));
            }
        };
        Ok((Self { service, meter, reason, _end: end }, tools))
    }

    async fn call(&self, tool: &str, turn: &PluginTurn, within: Duration) -> PluginEnd {
        self.meter.begin();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(turn.arguments.clone());
        let answered = match timeout(within, self.service.call_tool_once(params)).await {
            Ok(answered) => answered,
            Err(_) => {
                let (seconds, sent) = (within.as_secs_f64(), self.meter.lines());
                return PluginEnd::without(format!("the plugin gave no answer within {seconds} s{sent}"));
            }
        };
        match answered {
            Ok(CallToolResponse::Complete(result)) => {
                // Cleaning a long text takes a while.
                let end = task::spawn_blocking(move || {
                    PluginEnd::answered(parts(&result), result.is_error == Some(true))
                });
                end.await.unwrap_or_else(|_| PluginEnd::without("the answer could not be read"))
            }
            Ok(_) => PluginEnd::without("the plugin asks for more, which a run does not answer"),
            Err(error) => match failed(&error) {
                Failure::Said(why) => PluginEnd::answered(vec![Part::Text(why)], true),
                Failure::Ended => {
                    PluginEnd::without(format!("the plugin {}", ended(&self.meter, &self.reason).await))
                }
                Failure::Strange => {
                    PluginEnd::without("the plugin gave an answer that is no result of a tool")
                }
            },
        }
    }
}

/// Why a call has no result.
enum Failure {
    /// The plugin says it in these words.
    Said(String),
    /// The plugin has ended, or is cut off.
    Ended,
    /// It does not follow the protocol.
    Strange,
}

fn failed(error: &ServiceError) -> Failure {
    match error {
        ServiceError::McpError(error) => Failure::Said(format!("error {}: {}", error.code.0, error.message)),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
            Failure::Ended
        }
        _ => Failure::Strange,
    }
}

async fn not_begun(error: &ClientInitializeError, meter: &Meter, reason: &Reason) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
            ended(meter, reason).await
        }
        ClientInitializeError::JsonRpcError(_) => "refused to begin".to_owned(),
        _ => "gave an answer to `initialize` that is none".to_owned(),
    }
}

/// Why a plugin is not there any more.
async fn ended(meter: &Meter, reason: &Reason) -> String {
    if meter.is_over.load(Ordering::Relaxed) {
        return format!("sent more than {MAX_SENT} bytes at once, and is ended");
    }
    reason.known().await
}

/// The parts of an answer.
fn parts(result: &CallToolResult) -> Vec<Part> {
    let mut parts: Vec<Part> = result.content.iter().map(part).collect();
    if let (true, Some(value)) = (parts.is_empty(), &result.structured_content) {
        parts.push(Part::Text(value.to_string()));
    }
    parts
}

fn part(block: &ContentBlock) -> Part {
    let other = |kind: &str, mime: &str, bytes: usize| {
        Part::Other(format!("{kind} {}, {bytes} bytes in Base64", one_line_of_chars(mime, 60)))
    };
    match block {
        ContentBlock::Text(text) => Part::Text(text.text.clone()),
        ContentBlock::Image(image) => other("image", &image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => other("audio", &audio.mime_type, audio.data.len()),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Part::Resource { address: uri.clone(), text: text.clone() }
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } => other("file", uri, blob.len()),
            _ => Part::Other("a resource".to_owned()),
        },
        ContentBlock::ResourceLink(link) => {
            Part::Other(format!("a link to {}", one_line_of_chars(&link.uri, 300)))
        }
        _ => Part::Other("a part of another kind".to_owned()),
    }
}

// What a plugin sends, and how it ends.

/// What a plugin sent since the last call.
#[derive(Default)]
struct Meter {
    bytes: AtomicUsize,
    lines: AtomicUsize,
    /// Whether it was too much: then nothing more is read.
    is_over: AtomicBool,
}

impl Meter {
    fn begin(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.lines.store(0, Ordering::Relaxed);
    }

    fn add(&self, more: &[u8]) -> bool {
        let lines = more.iter().filter(|byte| **byte == b'\n').count();
        self.lines.fetch_add(lines, Ordering::Relaxed);
        let bytes = self.bytes.fetch_add(more.len(), Ordering::Relaxed) + more.len();
        if bytes > MAX_SENT {
            self.is_over.store(true, Ordering::Relaxed);
        }
        bytes <= MAX_SENT
    }

    /// What came instead of an answer, as the end of a sentence.
    fn lines(&self) -> String {
        match self.lines.load(Ordering::Relaxed) {
            0 => String::new(),
            1 => "; it sent one line that is no answer".to_owned(),
            lines => format!("; it sent {lines} lines that are no answer"),
        }
    }
}

/// The output of a plugin, up to the most that is read.
struct Metered {
    output: ChildStdout,
    meter: Arc<Meter>,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.meter.is_over.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.output).poll_read(cx, buf);
        if !self.meter.add(&buf.filled()[before..]) {
            // The end: nobody reads on.
            buf.set_filled(before);
        }
        read
    }
}

/// How a plugin ended, in the words of the stage that keeps it.
#[derive(Clone, Default)]
struct Reason {
    text: Arc<Mutex<String>>,
    is_known: CancellationToken,
}

impl Reason {
    /// Listens until the plugin has ended, or is to end and had its time. While the pipe is open,
    /// the plugin lives.
    async fn hear(self, mut errors: ChildStderr, end: CancellationToken) {
        let mut all = Vec::new();
        let grace = async {
            end.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let reading = async {
            let mut piece = [0; 512];
            while let Ok(count @ 1..) = errors.read(&mut piece).await {
                all.extend_from_slice(&piece[..count]);
                all.drain(..all.len().saturating_sub(MAX_REASON));
            }
        };
        tokio::select! {
            () = reading => {}
            () = grace => {}
        }
        let said = one_line_of_chars(&String::from_utf8_lossy(&all), MAX_REASON);
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = said;
        self.is_known.cancel();
    }

    async fn known(&self) -> String {
        let _ = timeout(REASON_WAIT, self.is_known.cancelled()).await;
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if text.is_empty() { "ended".to_owned() } else { text }
    }
}

// A call in the circumstances of its loop.

/// A call in the circumstances of its loop.
pub(super) struct Calling<'c> {
    pub(super) local: &'c Arc<Local>,
    pub(super) work: &'c LoopWork,
    pub(super) plugins: &'c Plugins,
    pub(super) stop: &'c CancellationToken,
}

impl Calling<'_> {
    /// Carries the call out, once. Returns its status; `None` if somebody ended it, or this process
    /// stops.
    pub(super) async fn run(&self, turn: &PluginTurn) -> Result<Option<u16>, Fault> {
        let (work, mark) = (self.work.clone(), turn.clone());
        let start = move |local: &Local| work.start_plugin_call(local.memory(), &mark, nudge_client::now());
        if !super::blocking(self.local, start).await? {
            return Ok(None);
        }
        let end = tokio::select! {
            biased;
            () = self.stop.cancelled() => {
                self.end(turn, PluginEnd::without(SERVER_ENDED)).await?;
                return Ok(None);
            }
            ended = self.ended_by_others(turn) => {
                ended?;
                return Ok(None);
            }
            end = self.plugins.call(turn) => end,
        };
        self.end(turn, end).await.map(Some)
    }

    /// Returns when somebody ended the call or its loop.
    async fn ended_by_others(&self, turn: &PluginTurn) -> Result<(), Fault> {
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let (work, turn) = (self.work.clone(), turn.clone());
            let look = move |local: &Local| work.waits_for_plugin(local.memory(), &turn);
            match super::blocking(self.local, look).await {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(fault) if LoopWork::is_aborted(&fault) => return Ok(()),
                Err(fault) => return Err(fault),
            }
        }
    }

    async fn end(&self, turn: &PluginTurn, end: PluginEnd) -> Result<u16, Fault> {
        let (work, turn) = (self.work.clone(), turn.clone());
        super::blocking(self.local, move |local| {
            work.end_plugin_call(local.memory(), &turn, &end, nudge_client::now())
        })
        .await
    }
}
