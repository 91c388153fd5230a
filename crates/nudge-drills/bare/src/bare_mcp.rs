//! A minimal MCP server built on the same library: an echo over stdio or HTTP, and a proxy.
//!
//! `bare-mcp stdio [REPLY]`, `bare-mcp http ADDRESS [REPLY]` and `bare-mcp proxy URL`: the
//! baselines for `get_hint` through PRIMARY and through a PROXY. REPLY is JSON that `echo` returns
//! instead of its own argument, for a reply as large as a hint.

use std::sync::Arc;

use anyhow::Context;
use axum::serve::ListenerExt;
use rmcp::handler::server::{router::tool::ToolRouter, wrapper::Parameters};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::transport::{StreamableHttpClientTransport, stdio_pipes};
use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceError, ServiceExt, tool, tool_handler,
    tool_router,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call_steadily::client_config;

#[derive(Debug, Deserialize, JsonSchema)]
struct EchoArgs {
    /// What to say back.
    text: String,
}

#[derive(Clone)]
struct Echo {
    reply: Option<Arc<Value>>,
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Echo {
    fn new(reply: Option<&str>) -> anyhow::Result<Self> {
        let reply = reply.map(serde_json::from_str).transpose().context("REPLY is not JSON")?.map(Arc::new);
        Ok(Self { reply, tool_router: Self::tool_router() })
    }

    #[tool(name = "echo", description = "Say it back.")]
    async fn echo(&self, Parameters(args): Parameters<EchoArgs>) -> Result<CallToolResult, ErrorData> {
        let value =
            self.reply.as_ref().map_or_else(|| json!({"text": args.text}), |reply| Value::clone(reply));
        Ok(CallToolResult::structured(value))
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        describe("bare-echo")
    }
}

/// Forwards every list and call to a server behind HTTP.
#[derive(Clone)]
struct Proxy {
    upstream: Arc<RunningService<RoleClient, ClientConfig>>,
}

impl ServerHandler for Proxy {
    fn get_info(&self) -> ServerConfig {
        describe("bare-proxy")
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.upstream.peer().list_tools(request).await.map_err(upstream_error)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.upstream.peer().call_tool_once(request).await.map_err(upstream_error)
    }
}

#[tokio::main]
pub(crate) async fn run(args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["stdio"] => stdio(Echo::new(None)?).await,
        ["stdio", reply] => stdio(Echo::new(Some(reply))?).await,
        ["http", address] => http(address, Echo::new(None)?).await,
        ["http", address, reply] => http(address, Echo::new(Some(reply))?).await,
        ["proxy", url] => {
            let transport = StreamableHttpClientTransport::from_uri(url.to_owned());
            let upstream = Arc::new(client_config().serve(transport).await?);
            stdio(Proxy { upstream }).await
        }
        _ => anyhow::bail!("usage: bare-mcp stdio [REPLY] | http ADDRESS [REPLY] | proxy URL"),
    }
}

async fn stdio(handler: impl ServerHandler) -> anyhow::Result<()> {
    handler.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}

/// Serves without sessions and with JSON replies: the fastest mode of this library's HTTP server.
async fn http(address: &str, echo: Echo) -> anyhow::Result<()> {
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(echo.clone()), LocalSessionManager::default().into(), config);
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    // Without it, small replies wait for the other end's delayed acknowledgement.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

fn describe(name: &str) -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
}

fn upstream_error(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(other.to_string(), None),
    }
}
