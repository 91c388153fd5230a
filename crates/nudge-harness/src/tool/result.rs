//! Results of MCP calls, which agents pass on in the protocol's own format.

use nudge_core::event::Outcome;
use serde_json::Value;

/// How an MCP call ended, if the result says so.
pub(crate) fn mcp_outcome(result: Option<&Value>) -> Option<Outcome> {
    match result?.get("isError")?.as_bool()? {
        true => Some(Outcome::Failed { exit: None }),
        false => Some(Outcome::Success),
    }
}
