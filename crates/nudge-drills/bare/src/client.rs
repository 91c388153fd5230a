//! A client built on the official MCP library that starts its own stdio server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::Context;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::process::{Child, Command};

/// How to start a server. Its environment has exactly the variables named here.
#[derive(Clone, Debug, Deserialize)]
pub struct ServerSpec {
    /// The program.
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
