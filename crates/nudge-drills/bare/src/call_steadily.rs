//! One client of the failover drill: fifty calls a second on its own server, and a ledger.
//!
//! `call-steadily SPEC` with `{"server", "component", "key", "per_second"}`. Reads and bumps its
//! key in turn, one call at a time, until a line or the end of input arrives, or until its server
//! is gone. No other client bumps that key, so every answer must show exactly what was acknowledged
//! before. Prints `{"pid"}` when it begins and its ledger when it ends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::MissedTickBehavior;

use crate::figures::{Figures, Latencies};

/// Longer than any failover; a call that takes longer counts as lost.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// A server exits as soon as its input ends; on a busy machine it takes a little longer.
const LEAVE_WITHIN: Duration = Duration::from_millis(2_500);

#[derive(Deserialize)]
struct Spec {
    server: ServerSpec,
    component: String,
    key: String,
    per_second: u32,
}

/// The calls and answers that this client saw.
#[derive(Default, Serialize)]
struct Ledger {
    reads: u64,
    bumps: u64,
    /// Bumps that were sent and never answered: at most one, if the server died.
    unanswered: u64,
    /// How the server went away; `None` if it did not.
    lost: Option<String>,
    errors: Vec<String>,
    figures: Figures,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: call-steadily SPEC")?)?;
    let client = McpClient::start(&spec.server).await?;
    println!("{}", json!({"pid": client.pid()}));
    let mut stop = tokio::spawn(async { tokio::io::stdin().read(&mut [0; 1]).await });
    let mut tick = tokio::time::interval(Duration::from_secs(1) / spec.per_second);
    // After a slow call the client catches up, so that the rate is right over the whole drill.
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut ledger = Ledger::default();
    let mut latencies = Latencies::default();
    for turn in 0_u64.. {
        tokio::select! {
            biased;
            _ = &mut stop => break,
            _ = tick.tick() => {}
        }
        let start = Instant::now();
        ledger.turn(&client, &spec, turn % 2 == 1).await;
        if ledger.lost.is_some() {
            break;
        }
        latencies.push(start.elapsed());
    }
    ledger.figures = latencies.figures();
    if ledger.lost.is_none() {
        ledger.hang_up(client).await;
    }
    println!("{}", serde_json::to_string(&ledger)?);
    // The reader of stdin cannot be cancelled, and the exit must not wait for it.
    #[allow(
        clippy::exit,
        clippy::disallowed_methods,
        reason = "the runtime would wait for a read of stdin that never ends"
    )]
    std::process::exit(0)
}

impl Ledger {
    /// Ends the server's input. The library kills a server that does not exit within three seconds,
    /// so a slow exit counts as no exit.
    async fn hang_up(&mut self, client: McpClient) {
        let start = Instant::now();
        if let Err(error) = client.hang_up().await {
            self.errors.push(format!("hanging up: {error:#}"));
        }
        if start.elapsed() >= LEAVE_WITHIN {
            self.errors.push("the server did not leave when its input ended".to_owned());
        }
    }

    async fn turn(&mut self, client: &McpClient, spec: &Spec, bump: bool) {
        let tool = if bump { "bump" } else { "get_hint" };
        let mut arguments = Map::new();
        arguments.insert("component".into(), spec.component.clone().into());
        arguments.insert("key".into(), spec.key.clone().into());
        let answer = match tokio::time::timeout(ANSWER_WITHIN, client.call(tool, arguments)).await {
            Ok(answer) => answer,
            Err(_) => return self.errors.push(format!("{tool}: no answer within {ANSWER_WITHIN:?}")),
        };
        match answer {
            Ok(result) if result.is_error == Some(true) => {
                self.errors.push(format!("{tool}: {:?} {:?}", result.structured_content, result.content));
            }
            Ok(result) => self.check(tool, bump, result.structured_content.as_ref()),
            Err(error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                self.unanswered += u64::from(bump);
                self.lost = Some(format!("{tool}: {error}"));
            }
            Err(error) => self.errors.push(format!("{tool}: {error}")),
        }
    }

    fn check(&mut self, tool: &str, bump: bool, answer: Option<&Value>) {
        self.bumps += u64::from(bump);
        self.reads += u64::from(!bump);
        let seen = answer.and_then(|answer| answer["hint"]["use_count"].as_u64());
        if seen != Some(self.bumps) {
            self.errors.push(format!("{tool} shows {seen:?} uses, {} are acknowledged", self.bumps));
        }
    }
}

// A client built on the official MCP library that starts its own stdio server.

/// How to start a server. Its environment has exactly the variables named here.
#[derive(Clone, Debug, Deserialize)]
pub struct ServerSpec {
    pub program: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its whole environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its working directory.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
}

/// A running server and the client that talks to it.
pub struct McpClient {
    service: RunningService<RoleClient, ClientConfig>,
    server: Child,
    pid: u32,
}

impl McpClient {
    /// Starts the server and completes the MCP handshake.
    pub async fn start(spec: &ServerSpec) -> anyhow::Result<Self> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).env_clear().envs(&spec.env);
        if let Some(cwd) = &spec.cwd {
            command.current_dir(cwd);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut server = command.spawn()?;
        let pid = server.id().context("a started server has a process id")?;
        let pipes = server.stdout.take().zip(server.stdin.take()).context("both pipes are ours")?;
        let service = client_config().serve(pipes).await?;
        Ok(Self { service, server, pid })
    }

    /// The server's process id.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResult, ServiceError> {
        self.service.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)).await
    }

    /// Closes the server's input and waits until it exits.
    pub async fn hang_up(mut self) -> anyhow::Result<()> {
        self.service.cancel().await?;
        self.server.wait().await?;
        Ok(())
    }
}

/// The client's name and version in the handshake.
pub fn client_config() -> ClientConfig {
    ClientConfig::new(
        ClientCapabilities::default(),
        Implementation::new("nudge-bare", env!("CARGO_PKG_VERSION")),
    )
}

// Times the same kind of call on several stdio servers, in alternating rounds.
//
// `time-mcp SPEC`, where SPEC is `{"rounds", "calls", "sides": [{"server", "tool",
// "arguments"}]}`. Prints the figures of each side as a JSON list. Rounds alternate so that noise
// on the machine affects every side alike.

/// Calls before the first measured one, so that no side pays for a cold start.
const WARM_UP: usize = 100;

#[derive(Deserialize)]
struct TimedSpec {
    rounds: usize,
    calls: usize,
    sides: Vec<Side>,
}

#[derive(Deserialize)]
struct Side {
    server: ServerSpec,
    tool: String,
    arguments: Map<String, Value>,
}

struct Contestant {
    side: Side,
    client: McpClient,
    latencies: Latencies,
}

#[tokio::main]
pub(crate) async fn run_time(args: &[String]) -> anyhow::Result<()> {
    let spec: TimedSpec = serde_json::from_str(args.first().context("usage: time-mcp SPEC")?)?;
    let mut contestants = Vec::new();
    for side in spec.sides {
        let client = McpClient::start(&side.server).await?;
        contestants.push(Contestant { side, client, latencies: Latencies::default() });
    }
    for contestant in &mut contestants {
        contestant.round(WARM_UP).await?;
        contestant.latencies = Latencies::default();
    }
    for _ in 0..spec.rounds {
        for contestant in &mut contestants {
            contestant.round(spec.calls).await?;
        }
    }
    let figures: Vec<Figures> = contestants.iter().map(|contestant| contestant.latencies.figures()).collect();
    for contestant in contestants {
        contestant.client.hang_up().await?;
    }
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

impl Contestant {
    async fn round(&mut self, calls: usize) -> anyhow::Result<()> {
        for _ in 0..calls {
            let arguments = self.side.arguments.clone();
            let start = Instant::now();
            let result = self.client.call(&self.side.tool, arguments).await?;
            self.latencies.push(start.elapsed());
            anyhow::ensure!(result.is_error != Some(true), "{} failed: {:?}", self.side.tool, result.content);
        }
        Ok(())
    }
}
