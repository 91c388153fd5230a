//! How agents name the tools of MCP servers.

use nudge_core::event::McpName;

/// The format of the name. If the separator may also occur in names, the server ends at its first
/// occurrence; our own server's name is chosen so that this is right.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum McpNaming {
    /// `mcp__server__tool`
    McpDouble,
    /// `mcp_server_tool`
    McpSingle,
    /// `server__tool`
    Double,
    /// `server_tool`
    Single,
    /// `server-tool`, and `server/tool` where permission is asked for
    Dash,
    /// `MCP:tool`, with the server in a separate field
    Colon,
}

impl McpNaming {
    /// The server and the tool in a name; `None` when it is not in this format.
    pub fn split(self, name: &str) -> Option<McpName> {
        let (server, tool) = match self {
            Self::McpDouble => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::McpSingle => name.strip_prefix("mcp_")?.split_once('_')?,
            Self::Double => name.split_once("__")?,
            Self::Single => name.split_once('_')?,
            Self::Dash => name.split_once('/').or_else(|| name.split_once('-'))?,
            Self::Colon => {
                return Some(McpName { server: String::new(), tool: rest_of_colon(name)?.to_owned() });
            }
        };
        (!server.is_empty() && !tool.is_empty())
            .then(|| McpName { server: server.to_owned(), tool: tool.to_owned() })
    }
}

fn rest_of_colon(name: &str) -> Option<&str> {
    name.strip_prefix("MCP:").map(str::trim).filter(|tool| !tool.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_gives_the_same_server_and_tool() {
        let forms = [
            (McpNaming::McpDouble, "mcp__nudge__set_hint"),
            (McpNaming::McpSingle, "mcp_nudge_set_hint"),
            (McpNaming::Double, "nudge__set_hint"),
            (McpNaming::Single, "nudge_set_hint"),
            (McpNaming::Dash, "nudge-set_hint"),
            (McpNaming::Dash, "nudge/set_hint"),
        ];
        let nudge = Some(McpName { server: "nudge".into(), tool: "set_hint".into() });
        for (naming, name) in forms {
            assert_eq!(naming.split(name), nudge, "{naming:?}");
        }
        let apart = McpName { server: String::new(), tool: "set_hint".into() };
        assert_eq!(McpNaming::Colon.split("MCP: set_hint"), Some(apart));
    }

    #[test]
    fn other_names_are_of_no_server() {
        for (naming, name) in [
            (McpNaming::McpDouble, "Bash"),
            (McpNaming::McpDouble, "mcp__alone"),
            (McpNaming::McpSingle, "read_file"),
            (McpNaming::Double, "run_commands"),
            (McpNaming::Single, "bash"),
            (McpNaming::Single, "_x"),
            (McpNaming::Dash, "view"),
            (McpNaming::Colon, "Shell"),
        ] {
            assert_eq!(naming.split(name), None, "{name}");
        }
    }
}
