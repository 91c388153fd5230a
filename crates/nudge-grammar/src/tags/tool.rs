//! The tools, every word that models write for them, and the call that a tag makes.

use std::ops::Range;

use serde_json::{Map, Value};

nudge_core::named_enum! {
    /// A tool that a model may call with a tag.
    pub enum Tool {
        /// Notes to itself.
        Think => "think",
        /// Reads entries.
        Get => "get",
        /// Writes or edits an entry.
        Set => "set",
        /// Runs a command that only looks.
        Env => "env",
        /// Runs a command that may change things.
        Sh => "sh",
        /// Removes entries.
        Rm => "rm",
        /// Copies entries.
        Cp => "cp",
        /// Moves entries.
        Mv => "mv",
        /// Asks the person.
        AskUser => "ask_user",
        /// Reports progress or the end of the work.
        Update => "update",
        /// Searches memory and files.
        Search => "search",
        /// Calls a tool of a plugin.
        Mcp => "mcp",
    }
}

/// One word that names a tool: its own name or an alias.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: &'static str,
    pub(super) tool: Tool,
    /// The scheme of the path, when the word is one (`<known …>`).
    pub(super) scheme: Option<&'static str>,
}

impl Word {
    /// Whether it is not the name of the tool itself.
    pub(super) fn is_alias(&self) -> bool {
        self.text != self.tool.name()
    }
}

const fn word(text: &'static str, tool: Tool) -> Word {
    Word { text, tool, scheme: None }
}

/// Every word; a token keeps the index.
pub(super) static TAG_WORDS: [Word; 33] = [
    word("think", Tool::Think),
    word("get", Tool::Get),
    word("set", Tool::Set),
    word("env", Tool::Env),
    word("sh", Tool::Sh),
    word("rm", Tool::Rm),
    word("cp", Tool::Cp),
    word("mv", Tool::Mv),
    word("ask_user", Tool::AskUser),
    word("update", Tool::Update),
    word("search", Tool::Search),
    word("mcp", Tool::Mcp),
    word("thinking", Tool::Think),
    word("thought", Tool::Think),
    word("read", Tool::Get),
    word("read_file", Tool::Get),
    // A skill that is not there yet is a file.
    word("skill", Tool::Get),
    word("write", Tool::Set),
    word("write_file", Tool::Set),
    word("create", Tool::Set),
    word("store", Tool::Set),
    word("delete", Tool::Rm),
    word("remove", Tool::Rm),
    word("copy", Tool::Cp),
    word("move", Tool::Mv),
    word("rename", Tool::Mv),
    word("bash", Tool::Sh),
    word("shell", Tool::Sh),
    word("askuser", Tool::AskUser),
    word("ask", Tool::AskUser),
    word("web_search", Tool::Search),
    Word { text: "known", tool: Tool::Set, scheme: Some("known") },
    Word { text: "unknown", tool: Tool::Set, scheme: Some("unknown") },
];

/// The longest word, in bytes.
pub(super) const MAX_WORD_BYTES: usize = 10;

/// The index of a word, in any case.
pub(super) fn find_word(text: &str) -> Option<usize> {
    if text.len() > MAX_WORD_BYTES {
        return None;
    }
    TAG_WORDS.iter().position(|word| word.text.eq_ignore_ascii_case(text))
}

/// The index of a word that a native format names, such as `functions.get` or `nudge__get`.
pub(super) fn find_native(text: &str) -> Option<usize> {
    let text = text.trim();
    find_word(text).or_else(|| {
        let short = text.rsplit(['.', ':', '/']).next().unwrap_or(text);
        find_word(short.rsplit("__").next().unwrap_or(short))
    })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tools_are_one_to_one() {
        for tool in Tool::ALL {
            assert_eq!(Tool::from_name(tool.name()), Some(tool));
        }
        assert_eq!(Tool::from_name("read"), None);
    }

    #[test]
    fn no_word_is_longer_than_the_limit() {
        assert!(TAG_WORDS.iter().all(|word| word.text.len() <= MAX_WORD_BYTES));
    }

    #[test]
    fn a_native_name_may_carry_a_prefix() {
        for name in ["get", "functions.get", "nudge__get", "mcp__nudge__get", "default_api.GET"] {
            assert_eq!(find_native(name).map(|index| TAG_WORDS[index].tool), Some(Tool::Get), "{name}");
        }
        assert_eq!(find_native("get_weather"), None);
    }
}
