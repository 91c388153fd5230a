//! A server with its loopback port and token.

use nudge_testkit::raw_http::{Reply, Request, free_port};
use nudge_testkit::{Server, TestHome};
use serde_json::{Value, json};

/// A fresh home with the binary of this build.
pub(crate) fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}

/// The server of a home, as strangers reach it.
pub(crate) struct HttpServer<'a> {
    pub(crate) home: &'a TestHome,
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) server: Server<'a>,
}

impl<'a> HttpServer<'a> {
    /// Starts a server on a port that no other test uses.
    pub(crate) fn open(home: &'a TestHome, args: &[&str]) -> Self {
        let port = free_port();
        let number = port.to_string();
        let mut words = vec!["--port", &number];
        words.extend(args);
        let server = home.daemon(&words);
        let token = std::fs::read_to_string(home.memory().join("run/token")).expect("a server has a token");
        Self { home, port, token: token.trim().to_owned(), server }
    }

    /// A valid request without a token.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path, self.port)
    }

    /// Posts to a path with the token.
    pub(crate) fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Reply {
        self.request("POST", path)
            .token(&self.token)
            .header("Content-Type", "application/json")
            .body(body)
            .send(self.port)
    }

    /// Calls an operation; asserts success and returns its result.
    pub(crate) fn call(&self, method: &str, params: &Value) -> Value {
        let reply = self.post("/rpc", call(method, params).to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["result"].clone()
    }

    /// Asserts that the same server still answers, on the port and on the socket.
    pub(crate) fn assert_alive(&self) {
        assert!(self.server.is_alive(), "the server is gone");
        assert_eq!(self.request("GET", "/health").send(self.port).json()["status"], "healthy");
        self.call("list_components", &json!({}));
        self.home.run(["ls"]).ok();
        let log = log_text(self.home);
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// A JSON-RPC call.
pub(crate) fn call(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Everything that the servers of a home have logged.
pub(crate) fn log_text(home: &TestHome) -> String {
    let files = std::fs::read_dir(home.memory().join("logs")).into_iter().flatten().flatten();
    files
        .map(|file| String::from_utf8_lossy(&std::fs::read(file.path()).unwrap_or_default()).into_owned())
        .collect()
}
