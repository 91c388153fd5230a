//! Which agent an MCP client is, by the name it gives itself.

use crate::Harness;

/// How the names begin that agents' clients give themselves, in lower case. Claude Desktop (`claude-ai`) and other programs
/// that fire no hooks are nobody here.
const CLIENTS: [(&str, Harness); 9] = [
    ("claude-code", Harness::Claude),
    ("codex", Harness::Codex),
    ("opencode", Harness::Opencode),
    ("copilot", Harness::Copilot),
    ("gemini-cli", Harness::Gemini),
    ("qwen", Harness::Qwen),
    ("@cline/", Harness::Cline),
    ("cline", Harness::Cline),
    ("cursor", Harness::Cursor),
];

impl Harness {
    /// The agent that an MCP client belongs to.
    pub fn of_client(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        CLIENTS.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, harness)| *harness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_the_names_they_send() {
        for (name, harness) in [
            ("claude-code", Some(Harness::Claude)),
            ("codex-mcp-client", Some(Harness::Codex)),
            ("copilot-cli", Some(Harness::Copilot)),
            ("gemini-cli-mcp-client", Some(Harness::Gemini)),
            ("opencode", Some(Harness::Opencode)),
            ("qwen-cli-mcp-client-probe", Some(Harness::Qwen)),
            ("@cline/core", Some(Harness::Cline)),
            ("Cursor", Some(Harness::Cursor)),
            ("claude-ai", None),
            ("curl", None),
            ("", None),
        ] {
            assert_eq!(Harness::of_client(name), harness, "{name}");
        }
    }
}
