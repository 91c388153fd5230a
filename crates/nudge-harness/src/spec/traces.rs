//! How an agent shows in the processes it starts and in the connections it makes.

/// The names by which an agent is known outside its hooks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Variables that it sets for the commands it runs. Seen in the captured environments of real
    /// agents, else taken from the agents' own documents. Variables that a person sets for good
    /// (`CODEX_HOME`) or that an editor sets in every terminal (`CURSOR_TRACE_ID`,
    /// `CLAUDE_CODE_SSE_PORT`) are not among them.
    pub variables: &'static [&'static str],
    /// What its program on the command line is called.
    pub programs: &'static [&'static str],
    /// Packages that its script lies in, where an interpreter runs it.
    pub packages: &'static [&'static str],
    /// How the names begin that its MCP client gives itself, in lower case.
    pub clients: &'static [&'static str],
}
