//! Makes a call of what a tag says: which attribute or body is the target, and what is a number.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tool::{Call, TAG_WORDS, Tool};
use super::warning::{TagWarning, WarningKind};

/// The status of an update that names none: the work goes on.
const DEFAULT_STATUS: u16 = 102;

/// Words for `path`, after `path` itself.
const PATH_WORDS: &[&str] = &[
    "path",
    "file",
    "uri",
    "name",
    "key",
    "file_path",
    "filepath",
    "filename",
    "slug",
    "url",
    "pattern",
    "source",
    "from",
    "src",
];
const COMMAND_WORDS: &[&str] = &["command", "cmd", "run", "script"];
const QUESTION_WORDS: &[&str] = &["question", "prompt", "text", "message"];
const OPTIONS_WORDS: &[&str] = &["options", "choices"];
const TOOL_WORDS: &[&str] = &["tool", "name"];
const TO_WORDS: &[&str] = &["to", "destination", "dest", "dst", "target", "new_path"];
const BODY_WORDS: &[&str] =
    &["body", "content", "contents", "text", "value", "message", "file_text", "thought"];
const NUMBER_ATTRIBUTES: [&str; 3] = ["line", "limit", "results"];

/// A call before its attributes mean anything.
pub(super) struct Raw {
    pub(super) word: usize,
    /// In the order of the output. An empty name is a value that stands alone.
    pub(super) attributes: Vec<(String, Value)>,
    pub(super) body: Option<String>,
    pub(super) span: Range<usize>,
}

impl Raw {
    /// A call that a native format makes with these arguments.
    pub(super) fn native(
        word: usize,
        arguments: impl IntoIterator<Item = (String, Value)>,
        span: Range<usize>,
    ) -> Self {
        let attributes =
            arguments.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        Self { word, attributes, body: None, span }
    }
}

/// The attributes of the target of a tool, the best first.
fn target_names(tool: Tool) -> &'static [&'static str] {
    match tool {
        Tool::Think | Tool::Update => &[],
        Tool::Get | Tool::Set | Tool::Rm | Tool::Cp | Tool::Mv => PATH_WORDS,
        Tool::Env | Tool::Sh => COMMAND_WORDS,
        Tool::AskUser => QUESTION_WORDS,
        Tool::Search => &["path", "query", "q", "term", "uri", "url"],
        Tool::Mcp => TOOL_WORDS,
    }
}

/// Whether the attributes alone make the call, so that it needs no body.
pub(super) fn is_complete<'a>(word: usize, mut names: impl Iterator<Item = &'a str> + Clone) -> bool {
    let tool = TAG_WORDS[word].tool;
    let has = |wanted: &[&str]| names.clone().any(|name| wanted.contains(&name));
    match tool {
        Tool::Think | Tool::Update | Tool::Set | Tool::Mcp => false,
        Tool::Cp | Tool::Mv => has(PATH_WORDS) && has(TO_WORDS),
        Tool::AskUser => has(QUESTION_WORDS) && has(OPTIONS_WORDS),
        _ => has(target_names(tool)) || names.any(str::is_empty),
    }
}

/// Makes the call, and says what it had to recover.
pub(super) fn resolve(raw: Raw, warnings: &mut Vec<TagWarning>) -> Call {
    let word = &TAG_WORDS[raw.word];
    let mut fields = Fields::new(word.tool, raw, warnings);
    fields.read_children();
    let target = fields.target();
    let to = fields.to();
    let body = fields.body();
    let status = fields.status();
    let mut call = fields.finish(target, to, body, status);
    if let Some(scheme) = word.scheme
        && !call.target.is_empty()
        && !call.target.contains("://")
    {
        call.target = format!("{scheme}://{}", call.target.trim_start_matches('/'));
    }
    check_target(&call, warnings);
    call
}

fn check_target(call: &Call, warnings: &mut Vec<TagWarning>) {
    let name = call.tool.name();
    let mut warn = |kind, message: String| warnings.push(TagWarning::new(kind, call.span.start, message));
    if matches!(call.tool, Tool::Think | Tool::Update) {
        return;
    }
    if call.target.is_empty() {
        let wanted = target_names(call.tool).first().copied().unwrap_or("path");
        warn(WarningKind::MissingTarget, format!("{name} has no {wanted}"));
    } else if call.target.contains('\n') && target_names(call.tool) == PATH_WORDS {
        warn(WarningKind::MultiLineTarget, format!("the path of {name} has several lines"));
    }
    if matches!(call.tool, Tool::Cp | Tool::Mv) && call.to.is_none() {
        warn(WarningKind::MissingTarget, format!("{name} has no destination"));
    }
}

/// The attributes and the body while they are given out.
struct Fields<'w> {
    tool: Tool,
    attributes: Map<String, Value>,
    bare: Vec<String>,
    text: Option<String>,
    span: Range<usize>,
    warnings: &'w mut Vec<TagWarning>,
}

impl<'w> Fields<'w> {
    fn new(tool: Tool, raw: Raw, warnings: &'w mut Vec<TagWarning>) -> Self {
        let Raw { attributes, body, span, .. } = raw;
        let mut fields = Self { tool, attributes: Map::new(), bare: vec![], text: body, span, warnings };
        for (name, value) in attributes {
            fields.add(name, value);
        }
        fields
    }

    fn add(&mut self, name: String, value: Value) {
        if name.is_empty() {
            self.bare.push(plain(value));
        } else if self.attributes.contains_key(&name) {
            let message = format!("{} has {name} twice; the first one counts", self.tool.name());
            self.warn(WarningKind::DuplicateAttribute, message);
        } else {
            self.attributes.insert(name, value);
        }
    }

    fn warn(&mut self, kind: WarningKind, message: String) {
        self.warnings.push(TagWarning::new(kind, self.span.start, message));
    }

    /// Takes parameters that were written as elements: `<get><path>…</path></get>`.
    fn read_children(&mut self) {
        let names = target_names(self.tool);
        if names.is_empty()
            || self.tool == Tool::Mcp
            || names.iter().any(|name| self.attributes.contains_key(*name))
        {
            return;
        }
        let Some(children) = self.text.as_deref().and_then(|body| children(body, names)) else { return };
        self.text = None;
        let message = format!("the parameters of {} were elements and not attributes", self.tool.name());
        self.warn(WarningKind::ChildElements, message);
        for (name, value) in children {
            self.add(name, Value::String(value));
        }
    }

    /// Takes the first of these attributes. Only the first name is the right one, for a search the
    /// first two.
    fn take(&mut self, names: &[&str]) -> Option<String> {
        let index = names.iter().position(|name| self.attributes.contains_key(*name))?;
        let value = self.attributes.shift_remove(names[index])?;
        let right = if self.tool == Tool::Search { 2 } else { 1 };
        if index >= right {
            let message = format!("{} of {} is called {}", names[index], self.tool.name(), names[0]);
            self.warn(WarningKind::RenamedAttribute, message);
        }
        Some(plain(value))
    }

    /// The attribute, then a value without a name, then the body.
    fn target(&mut self) -> String {
        let names = target_names(self.tool);
        if names.is_empty() {
            return String::new();
        }
        if let Some(target) = self.take(names) {
            return target.trim().to_owned();
        }
        if !self.bare.is_empty() {
            return self.bare.remove(0).trim().to_owned();
        }
        if matches!(self.tool, Tool::Set | Tool::Cp | Tool::Mv | Tool::Mcp) {
            return String::new();
        }
        self.text.take().map(|body| body.trim().to_owned()).unwrap_or_default()
    }

    fn to(&mut self) -> Option<String> {
        if !matches!(self.tool, Tool::Cp | Tool::Mv) {
            return None;
        }
        let to = self.take(TO_WORDS).or_else(|| (!self.bare.is_empty()).then(|| self.bare.remove(0)));
        let to = to.or_else(|| self.text.take())?;
        Some(to.trim().to_owned()).filter(|to| !to.is_empty())
    }

    fn body(&mut self) -> Option<String> {
        match self.tool {
            Tool::Set | Tool::Update | Tool::Think => {
                let is_blank = self.text.as_deref().is_none_or(|body| body.trim().is_empty());
                let attribute = if is_blank { self.take(BODY_WORDS) } else { None };
                let bare = || (!self.bare.is_empty()).then(|| self.bare.remove(0));
                attribute.or_else(|| self.text.take()).or_else(bare)
            }
            Tool::AskUser => self.take(OPTIONS_WORDS).or_else(|| self.other_body()),
            Tool::Mcp => self.other_body().or_else(|| self.arguments()),
            _ => self.other_body(),
        }
    }

    /// The arguments of a call that were written as attributes, as one object.
    fn arguments(&mut self) -> Option<String> {
        if let Some(given) = self.attributes.shift_remove("arguments") {
            return Some(plain(given));
        }
        let all = std::mem::take(&mut self.attributes);
        (!all.is_empty()).then(|| Value::Object(all).to_string())
    }

    fn other_body(&mut self) -> Option<String> {
        self.text.take().filter(|body| !body.trim().is_empty())
    }

    fn status(&mut self) -> Option<u16> {
        let given = self.attributes.get("status").map(|value| plain(value.clone()));
        match given.as_deref().map(|text| text.trim().parse().ok()) {
            Some(Some(status)) => {
                self.attributes.shift_remove("status");
                return Some(status);
            }
            Some(None) => {
                let message = format!("the status of {} is no number", self.tool.name());
                self.warn(WarningKind::BadNumber, message);
            }
            None => {}
        }
        (self.tool == Tool::Update).then_some(DEFAULT_STATUS)
    }

    fn finish(
        mut self,
        target: String,
        to: Option<String>,
        body: Option<String>,
        status: Option<u16>,
    ) -> Call {
        let mut attributes = std::mem::take(&mut self.attributes);
        for name in NUMBER_ATTRIBUTES {
            let Some(Value::String(text)) = attributes.get(name) else { continue };
            if let Ok(number) = text.trim().parse::<i64>() {
                attributes.insert(name.to_owned(), number.into());
            } else {
                let message = format!("{name} of {} is no number", self.tool.name());
                self.warn(WarningKind::BadNumber, message);
            }
        }
        for (name, value) in &mut attributes {
            let flag = value.as_str().and_then(|text| flag(name, text));
            if let Some(flag) = flag {
                *value = Value::Bool(flag);
            }
        }
        Call { tool: self.tool, target, to, body, attributes, status, span: self.span }
    }
}

/// The truth of a flag that was written as text.
fn flag(name: &str, text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        "" if matches!(name, "preview" | "manifest") => Some(true),
        _ if text == name => Some(true),
        _ => None,
    }
}

/// A value as the text of an attribute.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.into_iter().map(plain).collect::<Vec<_>>().join(";")
        }
        other => other.to_string(),
    }
}

/// The elements of a body that holds only parameters, the first of which is the target.
fn children(body: &str, targets: &[&str]) -> Option<Vec<(String, String)>> {
    let mut rest = body.trim();
    let mut found: Vec<(String, String)> = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix('<')?.split_once('>')?;
        let is_first = found.is_empty();
        let is_known = targets.contains(&name) || TO_WORDS.contains(&name) || BODY_WORDS.contains(&name);
        if is_first && !targets.contains(&name)
            || !is_first && !is_known && !NUMBER_ATTRIBUTES.contains(&name)
        {
            return None;
        }
        let close = format!("</{name}>");
        let end = if BODY_WORDS.contains(&name) { after.rfind(&close) } else { after.find(&close) }?;
        found.push((name.to_owned(), after[..end].to_owned()));
        rest = after[end + close.len()..].trim_start();
    }
    (!found.is_empty()).then_some(found)
}
