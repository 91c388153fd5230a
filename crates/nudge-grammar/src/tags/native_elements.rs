//! Reads calls that are written as elements: names, inputs and parameters.

use serde_json::{Map, Value};

use super::resolve::Raw;
use super::source::{Found, Source};
use super::start::{blank_end, floor_boundary};
use super::tool::find_native;

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
pub(super) fn keyed_arguments(source: &mut Source<'_>, at: usize, from: usize) -> Option<Found> {
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
