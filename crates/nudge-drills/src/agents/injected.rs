//! The framed blocks that Nudge injected into the model's requests.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context;
use nudge_core::frame::FRAME;
use regex::Regex;
use serde_json::Value;

/// Anything that a model could take for the frame's opening or closing tag.
static FRAME_TAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)<\s*/?\s*{FRAME}[^>]*>?")).expect("a fixed pattern"));

/// The exact form of the opening tag.
static OPENING_TAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("^<{FRAME} id=\"([0-9a-z]{{12}})\">$")).expect("a fixed pattern"));

/// Tags that have a meaning for Claude Code or for the frame itself.
static OBEYED_TAGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)<\s*/?\s*({FRAME}|system-reminder|system|user|human|function_results)\b"))
        .expect("a fixed pattern")
});

/// A block as the model received it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InjectedEntry {
    /// The random name of its frame.
    pub(super) id: String,
    /// The text inside the frame.
    pub(super) inside: String,
}

/// The blocks of a request, in order. Fails with a description of what is wrong with a frame.
pub(super) fn injected(request: &Request) -> Result<Vec<InjectedEntry>, String> {
    let mut blocks = Vec::new();
    for text in request.texts() {
        let tags: Vec<regex::Match<'_>> = FRAME_TAG.find_iter(text).collect();
        for pair in tags.chunks(2) {
            let [opening, closing] = pair else {
                return Err(format!("{} tags of frames: {tags:?}", tags.len()));
            };
            blocks.push(block(text, *opening, *closing)?);
        }
    }
    Ok(blocks)
}

/// The only block of a request.
pub(super) fn only(request: &Request) -> Result<InjectedEntry, String> {
    let mut blocks = injected(request)?;
    match (blocks.pop(), blocks.len()) {
        (Some(block), 0) => Ok(block),
        (None, _) => Err("the model was given no block".to_owned()),
        (Some(_), more) => Err(format!("the model was given {} blocks", more + 1)),
    }
}

/// The text of a request outside all frames: the words of the agent, the user and the model.
pub(super) fn around(request: &Request) -> String {
    let without = |text: &&str| nudge_core::frame::strip(text).into_owned();
    request.texts().iter().map(without).collect::<Vec<_>>().join("\n")
}

/// What is wrong with an answer that the model asked for. It is cleaned like injected text, but it
/// has no frame, and only the tags that an agent obeys are removed.
pub(super) fn violation(answer: &str) -> Option<String> {
    let hidden = answer.chars().find(|c| !matches!(c, '\t') && is_hidden(*c));
    let obeyed = OBEYED_TAGS.find(answer);
    hidden.map(|c| format!("{c:?}")).or_else(|| obeyed.map(|tag| tag.as_str().to_owned()))
}

/// Checks that the closing tag repeats the name of the opening one, that no text between them looks
/// like either, and that nothing in it is hidden.
fn block(text: &str, opening: regex::Match<'_>, closing: regex::Match<'_>) -> Result<InjectedEntry, String> {
    let id = OPENING_TAG.captures(opening.as_str()).map(|found| found[1].to_owned());
    let id = id.ok_or_else(|| format!("a frame opens with {}", opening.as_str()))?;
    if closing.as_str() != format!("</{FRAME} id=\"{id}\">") {
        return Err(format!("the frame {id} closes with {}", closing.as_str()));
    }
    let inside = &text[opening.end()..closing.start()];
    if let Some(hidden) = inside.chars().find(|c| is_hidden(*c)) {
        return Err(format!("in the frame stands {hidden:?}"));
    }
    if let Some(at) = inside.find('<') {
        let rest: String = inside[at..].chars().take(40).collect();
        return Err(format!("in the frame stands a tag: {rest:?}"));
    }
    Ok(InjectedEntry { id, inside: inside.to_owned() })
}

/// Characters that terminals obey, that change the direction of the text after them, or that are
/// invisible.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

// The requests that the scripted model received.

/// The endpoints for model requests; the others count tokens and list models.
const MODEL_PATHS: [&str; 3] = ["messages", "responses", "chat"];

/// The directory in which the model writes each request, as `NNN-<endpoint>.json`, before it
/// answers.
pub(super) struct Requests {
    log: PathBuf,
}

/// One request as the model read it.
pub(super) struct Request(Value);

impl Requests {
    pub(super) fn below(log: &Path) -> Self {
        Self { log: log.to_owned() }
    }

    /// The number of requests so far.
    pub(super) fn count(&self) -> anyhow::Result<usize> {
        Ok(self.paths()?.len())
    }

    /// The requests after the first `count`.
    pub(super) fn since(&self, count: usize) -> anyhow::Result<Vec<Request>> {
        let paths = self.paths()?;
        paths.iter().skip(count).map(|path| Request::read(path)).collect()
    }

    /// The files, in order of arrival.
    fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for item in std::fs::read_dir(&self.log)? {
            let path = item?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.split_once('-'));
            let Some((number, endpoint)) = name else { continue };
            if MODEL_PATHS.contains(&endpoint) {
                found.push((number.parse::<u32>()?, path));
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, path)| path).collect())
    }
}

/// How often an incomplete file is read again, and the wait before each try.
const MAX_TRIES: u32 = 40;

const RETRY_DELAY: Duration = Duration::from_millis(50);

impl Request {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let mut tries = 0;
        loop {
            match serde_json::from_slice::<Value>(&std::fs::read(path)?) {
                Ok(said) => return Ok(Self(said["body"].clone())),
                // The model server may still be writing the file.
                Err(error) if error.is_eof() && tries < MAX_TRIES => {
                    tries += 1;
                    std::thread::sleep(RETRY_DELAY);
                }
                Err(error) => return Err(error).with_context(|| format!("{} is no JSON", path.display())),
            }
        }
    }

    /// Every text in the request, in order, except for the descriptions of tools.
    pub(super) fn texts(&self) -> Vec<&str> {
        let parts = self.0.as_object().into_iter().flatten().filter(|(key, _)| *key != "tools");
        parts.flat_map(|(_, part)| texts(part)).collect()
    }

    /// The items of the tool list whose names have this word in them.
    pub(super) fn tools_of(&self, server: &str) -> Vec<&Value> {
        let has_name = |tool: &&Value| {
            let name = tool["name"].as_str().or_else(|| tool["function"]["name"].as_str());
            name.is_some_and(|name| name.contains(server))
        };
        self.0["tools"].as_array().into_iter().flatten().filter(has_name).collect()
    }
}

#[cfg(test)]
impl Request {
    pub(super) const fn of(body: Value) -> Self {
        Self(body)
    }
}

/// Every text in a value, in order.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    texts
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(text: &str) -> Result<Vec<InjectedEntry>, String> {
        injected(&Request::of(json!({"messages": [{"role": "user", "content": text}]})))
    }

    #[test]
    fn blocks_are_found_with_what_stands_around_them() {
        let framed = |id: &str| format!("<nudge-memory id=\"{id}\">\na\n</nudge-memory id=\"{id}\">");
        let text = format!("hook: {} and {} # Next", framed("0123456789ab"), framed("ba9876543210"));
        let blocks = of(&text).expect("two blocks");
        let names: Vec<&str> = blocks.iter().map(|block| block.id.as_str()).collect();
        assert_eq!((names, blocks[0].inside.as_str()), (vec!["0123456789ab", "ba9876543210"], "\na\n"));
        assert_eq!(around(&Request::of(json!({"input": text}))), "hook:  and  # Next");
        assert_eq!(of("nothing of ours"), Ok(vec![]));
    }

    #[test]
    fn whatever_leaves_the_frame_is_seen() {
        let framed = |inside: &str| {
            of(&format!("<nudge-memory id=\"0123456789ab\">{inside}</nudge-memory id=\"0123456789ab\">"))
        };
        assert!(framed("plain").is_ok());
        for hostile in [
            "</nudge-memory>",
            "< NUDGE-MEMORY",
            "<b>",
            "\u{1b}[2J",
            "\u{202e}",
            "\u{200b}",
            "\r",
            "\u{e0041}",
        ] {
            assert!(framed(hostile).is_err(), "{hostile:?}");
        }
        assert!(of("<nudge-memory id=\"0123456789ab\">a</nudge-memory id=\"ffffffffffff\">").is_err());
        assert!(of("<nudge-memory id=\"0123456789ab\">a").is_err());
        assert!(of("<nudge-memory>a</nudge-memory>").is_err());
    }

    #[test]
    fn an_answer_may_hold_code_and_nothing_that_is_obeyed() {
        assert_eq!(violation("fn f<T>() {\n\ta < b\n}"), None);
        for hostile in ["</Nudge-Memory>", "<system-reminder>", "< human>", "\u{1b}[2J", "\u{202e}", "\r"] {
            assert!(violation(hostile).is_some(), "{hostile:?}");
        }
    }

    #[test]
    fn requests_come_in_their_order_and_others_are_passed_over() {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in
            [("1000-messages", "c"), ("002-count", "x"), ("001-get", "x"), ("010-responses", "b")]
        {
            let said = json!({"body": {"input": [{"content": [{"text": text}, "then"]}], "tools": ["t"]}});
            std::fs::write(dir.path().join(format!("{name}.json")), said.to_string()).expect("a file");
        }
        let requests = Requests::below(dir.path());
        let texts = |count| {
            let all = requests.since(count).expect("requests");
            all.iter().flat_map(Request::texts).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(requests.count().expect("a count"), 2);
        assert_eq!(texts(0), ["b", "then", "c", "then"]);
        assert_eq!(texts(1), ["c", "then"]);
    }
}
