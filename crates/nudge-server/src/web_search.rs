//! The plugin `web_search`: an MCP server over stdio that asks a SearXNG server, and fetches pages
//! that it found. This program starts itself as one, so that the web is a plugin like any other.

mod text;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use nudge_core::text::{first_bytes, one_line_of_chars};
use nudge_home::settings::WebSearchSettings;
use nudge_models::{Fetched, Fetcher};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ResourceContents, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

/// The name of the plugin.
pub(crate) const NAME: &str = "web_search";

/// The hidden argument by which this program becomes the plugin.
pub const WORD: &str = "__web_search";

/// Its only tool. It changes nothing.
pub(crate) const TOOL: &str = "search";

/// The variables with its settings.
const URL: &str = "NUDGE_WEB_SEARCH_URL";
const TIMEOUT: &str = "NUDGE_WEB_SEARCH_TIMEOUT_S";
const PAGES: &str = "NUDGE_WEB_SEARCH_PAGES";

/// How many results are listed if the model does not say it, and at most.
const RESULTS: usize = 8;
const MAX_RESULTS: usize = 20;

/// The longest query, in characters.
const MAX_QUERY_CHARS: usize = 400;

/// How much of an answer of the search, and of a page, is read.
const MAX_ANSWER_BYTES: usize = 2 << 20;
const MAX_PAGE_BYTES: usize = 1 << 20;

/// How much text of a page is passed on.
const MAX_TEXT_BYTES: usize = 24 << 10;

/// The longest title, address and preview.
const MAX_TITLE: usize = 160;
const MAX_ADDRESS: usize = 500;
const MAX_PREVIEW: usize = 400;

/// The settings as the plugin gets them.
pub(crate) fn variables(settings: &WebSearchSettings) -> Vec<(OsString, OsString)> {
    let WebSearchSettings { url, timeout_s, pages } = settings;
    let all = [(URL, url.clone()), (TIMEOUT, timeout_s.to_string()), (PAGES, pages.to_string())];
    all.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Serves the plugin over stdin and stdout, until its caller closes them.
pub fn web_search() -> ExitCode {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let default = WebSearchSettings::default();
    let settings = WebSearchSettings {
        url: variable(URL),
        timeout_s: variable(TIMEOUT).parse().unwrap_or(default.timeout_s),
        pages: variable(PAGES).parse().unwrap_or(default.pages),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Ok(runtime), Ok(fetcher)) = (runtime, Fetcher::new(&settings.url)) else { return ExitCode::FAILURE };
    runtime.block_on(async {
        let served = (WebSearch { settings, fetcher }).serve(rmcp::transport::stdio()).await;
        let Ok(service) = served else { return ExitCode::FAILURE };
        service.waiting().await.map_or(ExitCode::FAILURE, |_| ExitCode::SUCCESS)
    })
}

/// A search of the web.
struct WebSearch {
    settings: WebSearchSettings,
    fetcher: Fetcher,
}

impl ServerHandler for WebSearch {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("nudge-web-search", nudge_client::VERSION))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to search the web for"},
                "limit": {"type": "integer", "description": "Maximum number of results"},
            },
            "required": ["query"],
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let about = "Search the web: titles, addresses and previews of pages.";
        Ok(ListToolsResult::with_all_items(vec![Tool::new(TOOL, about, schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != TOOL {
            let why = format!("there is no tool {}", request.name);
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, why, None));
        }
        let answered = match Query::read(&request.arguments.unwrap_or_default()) {
            Ok(query) => self.answer(&query).await,
            Err(why) => Err(why),
        };
        Ok(match answered {
            Ok(parts) => CallToolResult::success(parts),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        }
        .into())
    }
}

/// What is searched for.
#[derive(Debug, PartialEq, Eq)]
struct Query {
    words: String,
    limit: usize,
}

impl Query {
    /// Reads the arguments of a call. Words that look like a credential stay on this machine.
    fn read(arguments: &Map<String, Value>) -> Result<Self, String> {
        let words = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return Err("query is missing: what is to be searched for?".to_owned());
        }
        if words.chars().count() > MAX_QUERY_CHARS {
            return Err(format!("the query is limited to {MAX_QUERY_CHARS} characters"));
        }
        if nudge_secrets::redact(&words) != words {
            return Err("the query has what looks like a credential; nothing was sent".to_owned());
        }
        let limit =
            arguments.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        Ok(Self { words, limit: limit.unwrap_or(RESULTS).clamp(1, MAX_RESULTS) })
    }
}

/// A page that was found.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    title: String,
    address: String,
    preview: String,
}

impl WebSearch {
    async fn answer(&self, query: &Query) -> Result<Vec<ContentBlock>, String> {
        let found = self.search(query).await?;
        if found.is_empty() {
            return Ok(vec![ContentBlock::text("The search found nothing.")]);
        }
        let mut lines: Vec<String> = Vec::new();
        for (place, one) in found.iter().enumerate() {
            lines.push(format!("{}. {}\n   {}\n   {}", place + 1, one.title, one.address, one.preview));
        }
        let mut pages = Vec::new();
        let wanted = usize::try_from(self.settings.pages).unwrap_or(0);
        for one in found.iter().take(wanted) {
            match self.page(&one.address).await {
                Ok(text) => {
                    let address = one.address.clone();
                    pages.push(ContentBlock::resource(ResourceContents::text(text, address)));
                }
                Err(why) => lines.push(format!("{} was not fetched: {why}", one.address)),
            }
        }
        let mut parts = vec![ContentBlock::text(lines.join("\n"))];
        parts.extend(pages);
        Ok(parts)
    }

    async fn search(&self, query: &Query) -> Result<Vec<Found>, String> {
        let base = self.settings.url.trim_end_matches('/');
        let base = base.strip_suffix("/search").unwrap_or(base);
        let words = utf8_percent_encode(&query.words, NON_ALPHANUMERIC);
        let address = format!("{base}/search?q={words}&format=json");
        let fetched = self.fetcher.get(&address, MAX_ANSWER_BYTES, self.timeout()).await;
        let fetched = fetched.map_err(|why| format!("SearXNG cannot be asked: {why}"))?;
        results(&fetched, query.limit)
    }

    /// The text of a page.
    async fn page(&self, address: &str) -> Result<String, String> {
        let Fetched { status, content_type, body } =
            self.fetcher.get(address, MAX_PAGE_BYTES, self.timeout()).await?;
        if !(200..300).contains(&status) {
            return Err(format!("it answers with status {status}"));
        }
        let raw = String::from_utf8_lossy(&body);
        let text = match content_type.as_str() {
            "text/html" | "application/xhtml+xml" => text::of_html(&raw),
            "text/plain" | "text/markdown" | "application/json" => raw.into_owned(),
            other => return Err(format!("it is no text but {}", one_line_of_chars(other, 60))),
        };
        let kept = first_bytes(&text, MAX_TEXT_BYTES);
        let cut = text.len() - kept.len();
        Ok(if cut > 0 { format!("{kept}\n[{cut} more bytes were left out]") } else { text })
    }

    const fn timeout(&self) -> Duration {
        Duration::from_secs(self.settings.timeout_s)
    }
}

/// The results in an answer of SearXNG, each address once.
fn results(fetched: &Fetched, limit: usize) -> Result<Vec<Found>, String> {
    match fetched.status {
        200 => {}
        403 => {
            return Err(
                "SearXNG refuses to answer in JSON: add `json` to `search.formats` in its settings.yml"
                    .to_owned(),
            );
        }
        status => return Err(format!("SearXNG answers with status {status}")),
    }
    let answer: Value = serde_json::from_slice(&fetched.body)
        .map_err(|_| "SearXNG gave an answer that is no JSON, or too long".to_owned())?;
    let listed = answer.get("results").and_then(Value::as_array);
    let listed = listed.ok_or("SearXNG gave an answer without results")?;
    let text = |one: &Value, name: &str, most| {
        one_line_of_chars(one.get(name).and_then(Value::as_str).unwrap_or_default(), most)
    };
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for one in listed {
        let address = one.get("url").and_then(Value::as_str).unwrap_or_default();
        let is_web = address.starts_with("http://") || address.starts_with("https://");
        let fits =
            address.len() <= MAX_ADDRESS && !address.contains(|c: char| c.is_whitespace() || c.is_control());
        if is_web && fits && seen.insert(address.to_owned()) {
            all.push(Found {
                title: text(one, "title", MAX_TITLE),
                address: address.to_owned(),
                preview: text(one, "content", MAX_PREVIEW),
            });
        }
        if all.len() == limit {
            break;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Value) -> Result<Query, String> {
        Query::read(arguments.as_object().expect("an object"))
    }

    #[test]
    fn a_query_has_words_a_limit_and_no_credential() {
        let query = |words: &str, limit| Ok(Query { words: words.to_owned(), limit });
        assert_eq!(read(json!({"query": " green\n tea "})), query("green tea", RESULTS));
        assert_eq!(read(json!({"query": "tea", "limit": 900})), query("tea", MAX_RESULTS));
        let secret = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
        assert!(read(json!({"query": format!("what is {secret}")})).is_err_and(|why| !why.contains(&secret)));
        for wrong in
            [json!({}), json!({"query": 1}), json!({"query": " "}), json!({"query": "x".repeat(401)})]
        {
            assert!(read(wrong).is_err());
        }
    }

    fn of(status: u16, body: &str) -> Result<Vec<Found>, String> {
        let content_type = "application/json".to_owned();
        results(&Fetched { status, content_type, body: body.as_bytes().to_vec() }, 2)
    }

    #[test]
    fn results_are_pages_of_the_web_each_once() {
        let body = json!({"results": [
            {"url": "https://a.example/", "title": "A\nA", "content": "one"},
            {"url": "https://a.example/", "title": "again"},
            {"url": "javascript:alert(1)", "title": "no"},
            {"url": "file:///etc/passwd", "title": "no"},
            {"title": "none"},
            {"url": "http://b.example/x y", "title": "no"},
            {"url": "http://b.example/", "title": "B"},
            {"url": "http://c.example/", "title": "C"},
        ]});
        let found = of(200, &body.to_string()).expect("results");
        let shown: Vec<(&str, &str)> =
            found.iter().map(|one| (one.address.as_str(), one.title.as_str())).collect();
        assert_eq!(shown, [("https://a.example/", "A A"), ("http://b.example/", "B")]);
    }

    #[test]
    fn an_answer_that_is_none_says_why() {
        assert!(of(403, "").is_err_and(|why| why.contains("search.formats")));
        assert!(of(500, "").is_err_and(|why| why.contains("500")));
        assert!(of(200, "<html>").is_err_and(|why| why.contains("no JSON")));
        assert!(of(200, "{}").is_err_and(|why| why.contains("without results")));
    }
}
