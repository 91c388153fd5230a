//! The call that a tag makes.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tool::Tool;

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which tool.
    pub tool: Tool,
    /// The path, command or question, from an attribute or the body. Empty when there is none.
    pub target: String,
    /// Where a copy or a move goes.
    pub to: Option<String>,
    /// The body: content, report, thoughts, body filter or options. One newline after the open tag
    /// and one before the close tag are not part of it; every other byte is as written.
    pub body: Option<String>,
    /// All other attributes. `line`, `limit` and `results` are numbers, flags are booleans.
    pub attributes: Map<String, Value>,
    /// The status; an update that names none has 102.
    pub status: Option<u16>,
    /// The bytes of the output that the call came from.
    pub span: Range<usize>,
}
