//! A client built on the official MCP library that starts its own stdio server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::Context;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde::Deserialize;
use serde_json::{Map, Value};

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
    pid: u32,
}

impl McpClient {
    /// Starts the server and completes the MCP handshake.
    pub async fn start(spec: &ServerSpec) -> anyhow::Result<Self> {
        let mut command = tokio::process::Command::new(&spec.program);
        command.args(&spec.args).env_clear().envs(&spec.env);
        if let Some(cwd) = &spec.cwd {
            command.current_dir(cwd);
        }
        let (transport, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn()?;
        let pid = transport.id().context("a started server has a process id")?;
        let service = client_config().serve(transport).await?;
        Ok(Self { service, pid })
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
    pub async fn hang_up(self) -> anyhow::Result<()> {
        self.service.cancel().await?;
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
