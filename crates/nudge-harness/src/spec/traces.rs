//! How to recognise an agent in the processes it starts and the connections it makes.

/// The names by which an agent is known outside its hooks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Variables that it sets for the commands it runs. Taken from captured environments of real
    /// agents, else from the agents' documentation. Variables that a user sets permanently
    /// (`CODEX_HOME`) or that an editor sets in every terminal (`CURSOR_TRACE_ID`,
    /// `CLAUDE_CODE_SSE_PORT`) are not included.
    pub variables: &'static [&'static str],
    /// The names of its command-line program.
    pub programs: &'static [&'static str],
    /// Packages with its script, for agents that an interpreter runs.
    pub packages: &'static [&'static str],
    /// Prefixes of the names its MCP client reports, in lower case.
    pub clients: &'static [&'static str],
}
