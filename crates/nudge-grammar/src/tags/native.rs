//! Translates the formats that models learned in training.

use std::ops::Range;

use serde_json::{Map, Value};

use super::lex::{blank_end, floor_boundary, tool_tag_at};
use super::loose::{Found, Loose, Source};
use super::resolve::Raw;
use super::tool::find_native;

/// Elements that only wrap a call.
const WRAPPER_ELEMENTS: [&str; 7] =
    ["tool_call", "tool_calls", "tool_use", "function_calls", "function_call", "tool_code", "tools"];

/// How far the header of a message goes at most, in bytes.
const MAX_HEADER: usize = 256;

/// Reads the native formats of one output.
pub(super) struct Native<'a> {
    text: &'a str,
    source: Source<'a>,
}

impl<'a> Native<'a> {
    /// A reader for one output.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, source: Source::new(text) }
    }

    /// What a `<` begins, if it begins a native format.
    pub(super) fn angle(&mut self, at: usize) -> Option<Found> {
        let rest = &self.text[at..];
        if let Some(length) = ["<|tool_call>", "<|tool_call|>", "<|tool_call_begin|>"]
            .iter()
            .find(|token| rest.starts_with(**token))
            .map(|token| token.len())
        {
            return Some(self.tool_call_token(at, at + length));
        }
        if let Some((name, end)) = pseudo_tag(rest) {
            return Some(self.pseudo_tag(at, name, at + end));
        }
        if rest.starts_with("<invoke ")
            || rest.starts_with("<function=")
            || rest.starts_with("<function name=")
        {
            return Some(invoke(&mut self.source, at));
        }
        let (name, is_close, length) = element(rest)?;
        if name == "invoke" || name == "function" {
            return is_close.then_some(Found::Token(at + length));
        }
        if !WRAPPER_ELEMENTS.contains(&name) {
            return None;
        }
        if is_close {
            return Some(Found::Token(at + length));
        }
        Some(self.wrapped(at, at + length))
    }

    /// What a `{` or `[` begins outside of every wrapper.
    pub(super) fn bracket(&mut self, at: usize) -> Option<Found> {
        let rest = &self.text[at..];
        if rest.starts_with("[TOOL_CALLS]") {
            return Some(self.mistral(at, at + "[TOOL_CALLS]".len()));
        }
        if !begins_object(rest) {
            return None;
        }
        let Some((value, end)) = self.source.value(at) else {
            let message = "the arguments of a native tool call have no end";
            return names_tool(rest).then_some(Found::Broken(at, message));
        };
        let calls = unmarked_calls(&value, at..end);
        Some(if calls.is_empty() { Found::Text(end) } else { Found::Calls(calls, end) })
    }

    /// A Python call at the begin of a line: `print(get(path="…"))`.
    pub(super) fn python(&mut self, at: usize) -> Option<Found> {
        let rest = &self.text[at..];
        let inner = rest.strip_prefix("print(").or_else(|| rest.strip_prefix('[')).unwrap_or(rest);
        let skipped = rest.len() - inner.len();
        let head = &inner.as_bytes()[..inner.len().min(64)];
        let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
        let length = head.iter().take_while(is_part).count();
        let open = at + skipped + length;
        if self.text.as_bytes().get(open) != Some(&b'(') {
            return None;
        }
        let word = find_native(&inner[..length])?;
        let arguments = self.source.read(open + 1, |loose| loose.members(b')', 0));
        let Some((arguments, mut end)) = arguments else {
            return Some(Found::Broken(at, "the arguments of a native tool call have no end"));
        };
        let tail = &self.text.as_bytes()[end..];
        if skipped > 0 && matches!(tail.first(), Some(b')' | b']')) {
            end += 1;
        }
        Some(Found::Calls(vec![Raw::native(word, arguments, at..end)], end))
    }

    /// `<|tool_call>call:NAME{…}`, or the same token before JSON.
    fn tool_call_token(&mut self, at: usize, after: usize) -> Found {
        let bytes = self.text.as_bytes();
        let from = blank_end(bytes, after);
        if matches!(bytes.get(from), Some(b'{' | b'[')) {
            return self.marked(at, from);
        }
        let from = if self.text[from..].starts_with("call:") { from + 5 } else { from };
        let head = &bytes[from..bytes.len().min(from + 64)];
        let length =
            head.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':')).count();
        let open = from + length;
        let close = match bytes.get(open) {
            Some(b'{') => b'}',
            Some(b'(') => b')',
            _ => return Found::Broken(after, "a native tool call has no arguments"),
        };
        let Some(word) = find_native(&self.text[from..open]) else {
            return Found::Broken(after, "a native tool call names no tool of ours");
        };
        match self.source.read(open + 1, |loose| loose.members(close, 0)) {
            Some((arguments, end)) => Found::Calls(vec![Raw::native(word, arguments, at..end)], end),
            None => Found::Broken(after, "the arguments of a native tool call have no end"),
        }
    }

    /// A token such as `<|channel|>` or `<channel|>`, with the header that it begins.
    fn pseudo_tag(&mut self, at: usize, name: &str, end: usize) -> Found {
        if !matches!(name, "channel" | "start" | "im_start" | "start_header_id") {
            return Found::Token(end);
        }
        let limit = floor_boundary(self.text, end + MAX_HEADER);
        let header = &self.text[end..limit];
        let Some(length) = header.find("<|message|>") else {
            return Found::Token(end + role_length(header));
        };
        let message = end + length + "<|message|>".len();
        let Some((_, name)) = header[..length].split_once("to=") else { return Found::Token(message) };
        let name = name.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
        let from = blank_end(self.text.as_bytes(), message);
        let Some(word) = find_native(name) else {
            return Found::Broken(message, "a native tool call names no tool of ours");
        };
        match self.source.value(from) {
            Some((Value::Object(arguments), end)) => {
                Found::Calls(vec![Raw::native(word, arguments, at..end)], end)
            }
            _ => Found::Broken(message, "the arguments of a native tool call have no end"),
        }
    }

    /// What stands in a wrapper: JSON, elements, a Python call, or our own tags.
    fn wrapped(&mut self, at: usize, after: usize) -> Found {
        let bytes = self.text.as_bytes();
        let from = blank_end(bytes, after);
        let rest = &self.text[from..];
        match bytes.get(from) {
            Some(b'{' | b'[') if begins_object(rest) => self.marked(at, from),
            Some(b'<') if rest.starts_with("<name>") => tool_use(&mut self.source, at, from),
            Some(b'<') if tool_tag_at(self.text, from).is_some() => Found::Token(after),
            Some(b'<') if element(rest).is_some() || rest.starts_with("<invoke ") => Found::Token(after),
            Some(b'<') if rest.starts_with("<function") => Found::Token(after),
            _ => match self.python(from) {
                Some(Found::Calls(mut calls, end)) => {
                    calls.iter_mut().for_each(|call| call.span.start = at);
                    Found::Calls(calls, end)
                }
                _ => keyed_arguments(&mut self.source, at, from)
                    .unwrap_or(Found::Broken(after, "a native tool call could not be read")),
            },
        }
    }

    /// JSON after a marker: every object is meant as a call.
    fn marked(&mut self, at: usize, from: usize) -> Found {
        let Some((value, end)) = self.source.value(from) else {
            return Found::Broken(from, "the arguments of a native tool call have no end");
        };
        let calls = named_calls(&value, at..end);
        if calls.is_empty() {
            return Found::Broken(end, "a native tool call names no tool of ours");
        }
        Found::Calls(calls, end)
    }

    /// `[TOOL_CALLS] [{…}]`, or `[TOOL_CALLS]name[ARGS]{…}`.
    fn mistral(&mut self, at: usize, after: usize) -> Found {
        let bytes = self.text.as_bytes();
        let from = blank_end(bytes, after);
        if matches!(bytes.get(from), Some(b'{' | b'[')) {
            return self.marked(at, from);
        }
        let limit = floor_boundary(self.text, from + 64);
        let head = &self.text[from..limit];
        let length = head.find(['[', '{', '<', '\n']).unwrap_or(0);
        let arguments = from + length;
        let skip = if self.text[arguments..].starts_with("[ARGS]") { "[ARGS]".len() } else { 0 };
        let Some(word) = find_native(&head[..length]) else {
            return Found::Broken(after, "a native tool call names no tool of ours");
        };
        match self.source.value(blank_end(bytes, arguments + skip)) {
            Some((Value::Object(arguments), end)) => {
                Found::Calls(vec![Raw::native(word, arguments, at..end)], end)
            }
            _ => Found::Broken(after, "the arguments of a native tool call have no end"),
        }
    }
}

/// Whether JSON that can be a call begins here: an object with a quoted key, or a list of them.
fn begins_object(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    let open = if bytes[0] == b'[' { blank_end(bytes, 1) } else { 0 };
    bytes.get(open) == Some(&b'{') && matches!(bytes.get(blank_end(bytes, open + 1)), Some(b'"' | b'\''))
}

/// Whether JSON begins with the name of a tool: `{"name":"get"`.
pub(super) fn names_tool(rest: &str) -> bool {
    let near = &rest[..floor_boundary(rest, 80)];
    let mut strings = near.split('"').skip(1).step_by(2);
    strings.next() == Some("name") && strings.next().is_some_and(|name| find_native(name).is_some())
}

/// `<|name|>`, `<|name>`, `<|/name|>` or `<name|>`, with its length.
fn pseudo_tag(rest: &str) -> Option<(&str, usize)> {
    let inner = rest.strip_prefix('<')?;
    let is_marked = inner.starts_with('|');
    let inner = inner.strip_prefix('|').unwrap_or(inner);
    let from = rest.len() - inner.len();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'"');
    let length = inner.bytes().take(40).take_while(is_part).count();
    let after = &inner[length..];
    let end = if after.starts_with("|>") {
        2
    } else if after.starts_with('>') && is_marked {
        1
    } else {
        return None;
    };
    (length > 0).then(|| (&inner[..length], from + length + end))
}

/// `<name>` or `</name>` without attributes, and a prefix cut off.
fn element(rest: &str) -> Option<(&str, bool, usize)> {
    let inner = rest.strip_prefix('<')?;
    let is_close = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':');
    let length = inner.bytes().take(40).take_while(is_part).count();
    if !inner[length..].starts_with('>') {
        return None;
    }
    let name = inner[..length].rsplit(':').next().unwrap_or_default();
    Some((name, is_close, rest.len() - inner.len() + length + 1))
}

/// The length of the role or channel that follows a token.
fn role_length(header: &str) -> usize {
    let roles = ["analysis", "commentary", "final", "thought", "assistant", "user", "system", "tool"];
    roles.iter().find(|role| header.starts_with(**role)).map_or(0, |role| role.len())
}

// Reads calls that are written as elements: names, inputs and parameters.

/// `<name>…</name><input>{…}</input></tool_use>`.
pub(super) fn tool_use(source: &mut Source<'_>, at: usize, from: usize) -> Found {
    let broken = Found::Broken(from, "a native tool call could not be read");
    let name_from = from + "<name>".len();
    let Some(name_end) = source.find(name_from, "</name>") else { return broken };
    let Some(word) = find_native(&source.text[name_from..name_end]) else {
        let end = name_end + "</name>".len();
        return Found::Broken(end, "a native tool call names no tool of ours");
    };
    let input = blank_end(source.text.as_bytes(), name_end + "</name>".len());
    let tag = ["<input>", "<arguments>", "<parameters>"]
        .into_iter()
        .find(|tag| source.text[input..].starts_with(tag));
    let Some(tag) = tag else { return broken };
    let Some((Value::Object(arguments), end)) = source.value(input + tag.len()) else { return broken };
    let close = format!("</{}", &tag[1..]);
    let after = blank_end(source.text.as_bytes(), end);
    let end = if source.text[after..].starts_with(&close) { after + close.len() } else { end };
    Found::Calls(vec![Raw::native(word, arguments, at..end)], end)
}

/// `<invoke name="…"><parameter name="…">…</parameter></invoke>` and `<function=…>`.
pub(super) fn invoke(source: &mut Source<'_>, at: usize) -> Found {
    let Some(head) = source.find(at, ">") else {
        return Found::Broken(at + 1, "a native tool call has no end");
    };
    let Some(word) = find_native(head_name(&source.text[at..head])) else {
        return Found::Broken(head + 1, "a native tool call names no tool of ours");
    };
    let mut arguments = Map::new();
    let mut pos = blank_end(source.text.as_bytes(), head + 1);
    while source.text[pos..].starts_with("<parameter") {
        let Some(head) = source.find(pos, ">") else { break };
        let name = head_name(&source.text[pos..head]).to_owned();
        let Some(end) = source.find(head + 1, "</parameter>") else { break };
        let value = one_line_off(&source.text[head + 1..end]);
        arguments.entry(name).or_insert_with(|| Value::String(value.to_owned()));
        pos = blank_end(source.text.as_bytes(), end + "</parameter>".len());
    }
    let close = ["</invoke>", "</function>"].into_iter().find(|tag| source.text[pos..].starts_with(tag));
    match close {
        Some(tag) => {
            let end = pos + tag.len();
            Found::Calls(vec![Raw::native(word, arguments, at..end)], end)
        }
        None => Found::Broken(head + 1, "a native tool call has no end"),
    }
}

/// `name` and then pairs of `<arg_key>…</arg_key>` and `<arg_value>…</arg_value>`.
fn keyed_arguments(source: &mut Source<'_>, at: usize, from: usize) -> Option<Found> {
    let text = source.text;
    let near = &text[from..floor_boundary(text, from + 64)];
    let length = near.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')?;
    let word = find_native(&near[..length])?;
    let mut arguments = Vec::new();
    let mut pos = blank_end(text.as_bytes(), from + length);
    while text[pos..].starts_with("<arg_key>") {
        let key_end = source.find(pos, "</arg_key>")?;
        let key = text[pos + "<arg_key>".len()..key_end].trim().to_owned();
        let value = blank_end(text.as_bytes(), key_end + "</arg_key>".len());
        let value = value + text[value..].strip_prefix("<arg_value>").map(|_| "<arg_value>".len())?;
        let end = source.find(value, "</arg_value>")?;
        arguments.push((key, Value::String(text[value..end].to_owned())));
        pos = blank_end(text.as_bytes(), end + "</arg_value>".len());
    }
    (!arguments.is_empty()).then(|| Found::Calls(vec![Raw::native(word, arguments, at..pos)], pos))
}

/// The name in the head of an element: `name="…"` or `element=…`.
fn head_name(head: &str) -> &str {
    let value = head.split_once('=').map_or("", |(_, value)| value);
    value.trim().trim_matches(['"', '\'']).trim()
}

fn one_line_off(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

// Finds the calls in JSON: every maker of models names the same things in another way.

const NAME_KEYS: [&str; 5] = ["name", "tool", "tool_name", "function", "action"];

const ARGUMENT_KEYS: [&str; 7] =
    ["arguments", "parameters", "input", "args", "params", "action_input", "kwargs"];

/// The calls of JSON that a marker announced; the arguments may be missing.
fn named_calls(value: &Value, span: Range<usize>) -> Vec<Raw> {
    Reader { is_marked: true, span }.calls(value)
}

/// The calls of JSON that stands in the text: name and arguments must both be there.
fn unmarked_calls(value: &Value, span: Range<usize>) -> Vec<Raw> {
    Reader { is_marked: false, span }.calls(value)
}

struct Reader {
    is_marked: bool,
    span: Range<usize>,
}

impl Reader {
    /// All calls share the text; the first takes all of it, so that spans do not overlap.
    fn calls(&self, value: &Value) -> Vec<Raw> {
        let mut calls = Vec::new();
        self.collect(value, &mut calls);
        for call in calls.iter_mut().skip(1) {
            call.span = self.span.end..self.span.end;
        }
        calls
    }

    fn collect(&self, value: &Value, calls: &mut Vec<Raw>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, calls)),
            Value::Object(object) => {
                if let Some(list @ Value::Array(_)) = object.get("tool_calls") {
                    self.collect(list, calls);
                } else if let Some(inner) = inner_call(object) {
                    self.collect(inner, calls);
                } else {
                    calls.extend(self.call(object));
                }
            }
            _ => {}
        }
    }

    fn call(&self, object: &Map<String, Value>) -> Option<Raw> {
        let key = NAME_KEYS.into_iter().find(|key| object.get(*key).is_some_and(Value::is_string))?;
        let word = find_native(object[key].as_str()?)?;
        let arguments = ARGUMENT_KEYS.into_iter().find_map(|key| object.get(key));
        let arguments = match arguments {
            Some(arguments) => from_arguments(arguments),
            None if self.is_marked || key.starts_with("tool") => {
                object.iter().filter(|(name, _)| *name != key).map(|(n, v)| (n.clone(), v.clone())).collect()
            }
            None => return None,
        };
        Some(Raw::native(word, arguments, self.span.clone()))
    }
}

/// The object that holds name and arguments one level down.
fn inner_call(object: &Map<String, Value>) -> Option<&Value> {
    ["function_call", "function", "tool_call", "tool_use"]
        .into_iter()
        .find_map(|key| object.get(key).filter(|value| value.is_object()))
}

/// Arguments are an object, JSON in a string, or one plain text.
fn from_arguments(arguments: &Value) -> Map<String, Value> {
    match arguments {
        Value::Object(map) => map.clone(),
        Value::String(text) => match Loose::new(text, 0).value() {
            Some(Value::Object(map)) => map,
            _ => Map::from_iter([(String::new(), Value::String(text.clone()))]),
        },
        Value::Null => Map::new(),
        other => Map::from_iter([(String::new(), other.clone())]),
    }
}
