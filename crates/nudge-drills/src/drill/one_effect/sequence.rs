//! Makes up verbs: few paths, so that verbs meet what others left, and every kind of edit, pattern
//! and view.

use std::fmt;

use serde_json::{Map, Value};

use crate::drill::capture::Random;

/// The words that bodies are made of.
const WORDS: [&str; 12] = [
    "router", "token", "cache", "deploy", "ledger", "parser", "window", "ticket", "signal", "bucket",
    "worker", "schema",
];

/// Patterns over entries; `{}` is a number.
const PATTERNS: [&str; 10] = [
    "known://**",
    "known://area-{}/*",
    "known://*/note-{}",
    "unknown://*",
    "unknown://question-[0{}]",
    "skill://**",
    "log://**",
    "/^skill:.*{}$/",
    "/known:.*note-[0-{}]/i",
    "update://**",
];

/// Filters over bodies; `{}` is a word.
const FILTERS: [&str; 4] = ["{}", "/{}\\s/", "/^{}/i", "*{}*"];

/// A text that the detector takes for a credential, in two parts, so that it is none here.
const CREDENTIAL: [&str; 2] = ["ghp_", "k3Jx9QmZ7vTn2LrW8sYb5HdGfC4pAe1uRo6X"];

/// A sequence that never ends.
pub(super) struct Sequence(Random);

impl Sequence {
    pub(super) const fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.0.below(100) < percent
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.0.below(of.len() as u64) as usize]
    }

    fn word(&mut self) -> &'static str {
        self.one(&WORDS)
    }

    fn words(&mut self, most: u64) -> String {
        let count = 1 + self.0.below(most);
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn path(&mut self) -> String {
        match self.0.below(10) {
            0..5 => format!("known://area-{}/note-{}", self.0.below(3), self.0.below(4)),
            5..7 => format!("unknown://question-{}", self.0.below(4)),
            7 => format!("skill://tool-{}", self.0.below(4)),
            8 => format!("log://day-{}/{}", self.0.below(2), self.0.below(4)),
            _ => format!("update://{}-{}", self.word(), self.word()),
        }
    }

    fn pattern(&mut self) -> String {
        let number = self.0.below(4).to_string();
        self.one(&PATTERNS).replace("{}", &number)
    }

    fn target(&mut self, patterns: u64) -> String {
        if self.chance(patterns) { self.pattern() } else { self.path() }
    }

    fn filter(&mut self) -> String {
        let word = self.word();
        self.one(&FILTERS).replace("{}", word)
    }

    /// Adds a parameter to some of the calls.
    fn sometimes(
        &mut self,
        percent: u64,
        verb: Verb,
        name: &str,
        value: impl FnOnce(&mut Self) -> Value,
    ) -> Verb {
        if self.chance(percent) {
            let value = value(self);
            return verb.with(name, value);
        }
        verb
    }

    fn visibility(&mut self) -> Value {
        self.one(&["visible", "summarized", "archived"]).into()
    }

    fn get(&mut self) -> Verb {
        let is_pattern = self.chance(40);
        let path = if is_pattern { self.pattern() } else { self.path() };
        let mut verb = Verb::new("get").with("path", path);
        verb = self.sometimes(30, verb, "body", |this| this.filter().into());
        verb = self.sometimes(30, verb, "visibility", Self::visibility);
        verb = self.sometimes(15, verb, "max", |this| (1 + this.0.below(5)).into());
        verb = self.sometimes(15, verb, "preview", |_| true.into());
        if !is_pattern && !verb.params.contains_key("body") {
            verb = self.sometimes(15, verb, "line", |this| (1 + this.0.below(3)).into());
            verb = self.sometimes(15, verb, "limit", |this| (1 + this.0.below(3)).into());
        }
        verb
    }

    fn set(&mut self) -> Verb {
        let path = self.target(20);
        let mut verb = Verb::new("set").with("path", path);
        verb = self.sometimes(75, verb, "body", |this| this.body().into());
        verb = self.sometimes(20, verb, "attributes", Self::attributes);
        verb = self.sometimes(20, verb, "visibility", Self::visibility);
        verb = self.sometimes(15, verb, "summary", |this| this.words(4).into());
        verb = self.sometimes(10, verb, "filter", |this| this.filter().into());
        verb = self.sometimes(5, verb, "preview", |_| true.into());
        verb = self.sometimes(5, verb, "raw", |_| true.into());
        if self.chance(20) {
            let state = self.one(&["proposed", "streaming", "streaming", "resolved", "failed", "cancelled"]);
            verb = verb.with("state", state);
            verb = self.sometimes(40, verb, "outcome", |this| this.word().into());
        }
        verb
    }

    fn attributes(&mut self) -> Value {
        let mut facts = Map::new();
        for name in ["owner", "area", "rank"] {
            if self.chance(50) {
                facts.insert(name.to_owned(), self.word().into());
            }
        }
        facts.entry("kind").or_insert_with(|| "made".into());
        Value::Object(facts)
    }

    /// A new body, or an edit of the present one.
    fn body(&mut self) -> String {
        let (one, other, text) = (self.word(), self.word(), self.words(8));
        match self.0.below(16) {
            0..5 => format!("{text}\n{}\n", self.words(8)),
            5 => text,
            6 | 7 => format!("<<APPEND\n{text}\nAPPEND"),
            8 => format!("<<PREPEND\n{text}\nPREPEND"),
            9 => format!("<<SEARCH\n{one}\nSEARCH\n<<REPLACE\n{other}\nREPLACE"),
            10 => format!("<<DELETE\n{one}\nDELETE"),
            11 | 12 => format!("s/{one}/{other}/g"),
            13 => format!("@@ -1 +1 @@\n-{one}\n+{other}\n"),
            14 => format!("<b>{one}</b> & \"{other}\" é \\n 'x' <get path=\"known://{one}\"/>\n\n  {text}"),
            _ => self.rare_body(one, other),
        }
    }

    fn rare_body(&mut self, one: &str, other: &str) -> String {
        match self.0.below(4) {
            // It is refused wherever it would stand after the edit.
            0 => format!("s/{one}/{}/", CREDENTIAL.concat()),
            1 => format!("key {}", CREDENTIAL.concat()),
            2 => format!("<<<<<<< SEARCH\n{one}\n=======\n{other}\n>>>>>>> REPLACE\n"),
            _ => format!("<<APPEND\n{one}"),
        }
    }

    fn rm(&mut self) -> Verb {
        let path = self.target(12);
        let mut verb = Verb::new("rm").with("path", path);
        verb = self.sometimes(25, verb, "filter", |this| this.filter().into());
        self.sometimes(15, verb, "manifest", |_| true.into())
    }

    fn transfer(&mut self, name: &'static str) -> Verb {
        let (path, to) = match self.0.below(8) {
            0 => {
                (format!("known://area-{}/*", self.0.below(3)), format!("known://area-{}/*", self.0.below(3)))
            }
            1 => ("unknown://*".to_owned(), "skill://from/*".to_owned()),
            2 => (self.pattern(), format!("log://kept-{}/", self.0.below(20))),
            _ => (self.path(), self.path()),
        };
        let mut verb = Verb::new(name).with("path", path).with("to", to);
        verb = self.sometimes(15, verb, "filter", |this| this.filter().into());
        verb = self.sometimes(20, verb, "visibility", Self::visibility);
        self.sometimes(10, verb, "preview", |_| true.into())
    }

    fn update(&mut self) -> Verb {
        let verb = Verb::new("update").with("body", self.words(3));
        let status = |this: &mut Self| [102, 200, 204, 422, 418][this.0.below(5) as usize].into();
        self.sometimes(60, verb, "status", status)
    }
}

impl Iterator for Sequence {
    type Item = Verb;

    fn next(&mut self) -> Option<Verb> {
        let verb = match self.0.below(100) {
            0..20 => self.get(),
            20..70 => self.set(),
            70..78 => self.rm(),
            78..85 => self.transfer("cp"),
            85..92 => self.transfer("mv"),
            _ => self.update(),
        };
        Some(self.sometimes(35, verb, "run", |this| this.one(&["alpha", "beta"]).into()))
    }
}

// One call of a verb, with its parameters as they stand in JSON.

/// The session that a call over HTTP names.
pub(super) const SESSION: &str = "one-effect";

/// One call.
#[derive(Clone, Debug)]
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) params: Map<String, Value>,
}

impl Verb {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, params: Map::new() }
    }

    /// The call with one more parameter.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// The parameters, with the session of the call.
    pub(super) fn in_session(&self) -> Value {
        let mut params = self.params.clone();
        params.insert("session".to_owned(), SESSION.into());
        Value::Object(params)
    }

    /// A parameter that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }

    /// Whether a parameter is set to true.
    pub(super) fn is(&self, name: &str) -> bool {
        self.params.get(name) == Some(&Value::Bool(true))
    }

    /// The facts of a `set`.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.params.get("attributes").and_then(Value::as_object);
        all.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, Value::Object(self.params.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_sequence() {
        let made = |seed| Sequence::new(seed).take(50).map(|verb| verb.to_string()).collect::<Vec<_>>();
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }
}
