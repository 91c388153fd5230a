//! Tags as a model writes them, carried out by `apply_tags` over MCP.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::stdio::Stdio;
use super::surface::Surface;
use super::verb::Verb;
use crate::stage::Home;

/// A server that gets a model's output.
pub(super) struct Tags(Stdio);

impl Tags {
    pub(super) fn open(home: &Home) -> anyhow::Result<Self> {
        Ok(Self(Stdio::open(home)?))
    }
}

impl Surface for Tags {
    fn name(&self) -> &'static str {
        "tags"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let mut arguments = json!({"text": format!("I go on.\n\n{}\n", written(verb))});
        if let Some(run) = verb.text("run") {
            arguments["run"] = run.into();
        }
        let answer = self.0.tool("apply_tags", arguments)?;
        let answer = &answer["result"]["structuredContent"];
        let calls = answer["calls"].as_array().map_or(0, Vec::len);
        anyhow::ensure!(calls == 1, "{} is read as {calls} calls: {answer}", written(verb));
        Ok(answer["calls"][0].get("why").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.0.hang_up()
    }
}

/// The tag of a verb.
fn written(verb: &Verb) -> String {
    let name = verb.name;
    let mut tag = format!("<{name}");
    // `get` has its filter as the body; for the others it is an attribute.
    for (field, value) in &verb.params {
        match value {
            Value::String(text) if !matches!(field.as_str(), "body" | "run") => {
                attribute(&mut tag, field, text);
            }
            Value::Number(number) => attribute(&mut tag, field, &number.to_string()),
            Value::Bool(true) => attribute(&mut tag, field, "true"),
            _ => {}
        }
    }
    for (fact, value) in verb.attributes() {
        attribute(&mut tag, fact, value);
    }
    match verb.text("body") {
        Some(body) if name == "get" => format!("{tag}>{body}</{name}>"),
        // One newline after the open tag and one before the close tag are not part of a body.
        Some(body) => format!("{tag}>\n{body}\n</{name}>"),
        None => format!("{tag}/>"),
    }
}

fn attribute(tag: &mut String, name: &str, value: &str) {
    let value = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    // Writing to a string does not fail.
    let _ = write!(tag, " {name}=\"{value}\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_written_as_a_tag() {
        let set = Verb::new("set")
            .with("path", "known://a")
            .with("body", "two\nlines")
            .with("raw", true)
            .with("run", "alpha")
            .with("attributes", json!({"owner": "\"ada\""}));
        assert_eq!(
            written(&set),
            "<set path=\"known://a\" raw=\"true\" owner=\"&quot;ada&quot;\">\ntwo\nlines\n</set>"
        );
        let get = Verb::new("get").with("path", "known://**").with("body", "token").with("max", 2);
        assert_eq!(written(&get), "<get path=\"known://**\" max=\"2\">token</get>");
    }
}
