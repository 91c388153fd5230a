//! A text as an agent would send it, with the credentials in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::stage::Home;

nudge_core::named_enum! {
    /// The part of an agent's message that contains the text.
    pub(super) enum Part {
        Prompt => "prompt",
        Command => "command",
        File => "file",
        Path => "path",
        Url => "url",
        Json => "json",
        Thinking => "thinking",
        Output => "output",
        Header => "header",
        Env => "env",
    }
}

impl Part {
    /// The part whose name this text begins with; a prompt for an unknown one.
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        Self::ALL.into_iter().find(|part| lower.starts_with(part.name())).unwrap_or(Self::Prompt)
    }
}

/// One case; without secrets it is a look-alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) part: Part,
    /// Whether a vendor or a standard publishes the format of the credential.
    pub(super) named: bool,
    pub(super) text: String,
    pub(super) secrets: Vec<String>,
}

impl Case {
    pub(super) fn is_look_alike(&self) -> bool {
        self.secrets.is_empty()
    }

    fn from_json(value: &Value, otherwise: &str) -> anyhow::Result<Self> {
        let word = |name: &str| value[name].as_str().map(str::to_owned);
        let text = joined(value.get("text").or_else(|| value.get("value")).context("no `text`")?)
            .context("`text` is no text")?;
        let label = word("label").unwrap_or_default().to_lowercase();
        let innocent = value["lookalike"] == true
            || value["look_alike"] == true
            || label.starts_with("look")
            || label == "clean";
        let mut secrets: Vec<String> = match (&value["secrets"], &value["secret"]) {
            (Value::Array(list), _) | (_, Value::Array(list)) => list.iter().filter_map(joined).collect(),
            (_, Value::Null | Value::Bool(_)) => Vec::new(),
            (_, secret) => joined(secret).into_iter().collect(),
        };
        if innocent {
            secrets.clear();
        }
        for secret in &secrets {
            if secret.is_empty() || !text.contains(secret.as_str()) {
                bail!("a secret of {} is not in its text", word("id").as_deref().unwrap_or(otherwise));
            }
        }
        Ok(Self {
            id: word("id").unwrap_or_else(|| otherwise.to_owned()),
            kind: word("kind").unwrap_or_else(|| "unsaid".to_owned()),
            part: Part::of(value["place"].as_str().unwrap_or("prompt")),
            named: value["named"].as_bool().unwrap_or(true),
            text,
            secrets,
        })
    }
}

/// A string, or a list of pieces joined into one.
fn joined(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(pieces) => {
            pieces.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|pieces| pieces.concat())
        }
        _ => None,
    }
}

/// The cases of a file: JSON lines, or one array.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Case>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("in {}", path.display()))
}

fn parse(text: &str) -> anyhow::Result<Vec<Case>> {
    let values: Vec<Value> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)?
    } else {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(serde_json::from_str).collect::<Result<_, _>>()?
    };
    let numbered = values.iter().enumerate();
    numbered.map(|(number, value)| Case::from_json(value, &format!("case-{}", number + 1))).collect()
}

// Searches for credentials in all stored data.
//
// A credential counts as present if half of it, and at least eight characters, is there: all
// pieces of that length are searched in one pass. Shorter credentials, and pieces that also occur
// elsewhere in the texts, are searched together with the text before them.

/// Directories that the bench itself wrote into a home.
const INPUT_DIRS: [&str; 2] = ["transcripts", "project"];

/// The shortest piece: every piece begins with a key of this length.
const MIN_PIECE: usize = 8;

/// How much of the text before a short credential is searched with it.
const CHARS_BEFORE: usize = 12;

/// Pieces of credentials, by their first characters.
#[derive(Debug, Default)]
pub(super) struct Needles {
    pieces: BTreeMap<[u8; MIN_PIECE], Vec<(usize, Vec<u8>)>>,
}

impl Needles {
    /// The pieces of all credentials in the cases. Pieces that also occur elsewhere in the texts
    /// are left out, because finding them proves nothing.
    pub(super) fn of(cases: &[Case]) -> Self {
        let mut blank = Vec::new();
        for case in cases {
            let mut text = case.text.clone();
            for secret in &case.secrets {
                text = text.replace(secret.as_str(), "\u{1}");
            }
            blank.extend_from_slice(text.as_bytes());
            blank.push(0);
        }
        let mut all = Self::default();
        for (number, case) in cases.iter().enumerate() {
            for secret in &case.secrets {
                all.add_pieces(number, secret.as_bytes());
            }
        }
        let common = all.found_pieces(&blank);
        for pieces in all.pieces.values_mut() {
            pieces.retain(|(_, piece)| !common.contains(piece));
        }
        for (number, case) in cases.iter().enumerate() {
            for secret in &case.secrets {
                all.add_with_text(number, &case.text, secret);
            }
        }
        all
    }

    fn add_pieces(&mut self, number: usize, secret: &[u8]) {
        let length = MIN_PIECE.max(secret.len().div_ceil(2));
        for form in [secret.to_vec(), escaped(secret)] {
            for piece in form.windows(length.min(form.len())).filter(|piece| piece.len() >= MIN_PIECE) {
                self.add(number, piece);
            }
        }
    }

    /// Adds the whole credential with the text before it, for credentials too short to be
    /// recognised alone.
    fn add_with_text(&mut self, number: usize, text: &str, secret: &str) {
        let Some(at) = text.find(secret).filter(|_| secret.len() < MIN_PIECE) else { return };
        let from = text.floor_char_boundary(at.saturating_sub(CHARS_BEFORE));
        for form in [
            text.as_bytes()[from..at + secret.len()].to_vec(),
            escaped(&text.as_bytes()[from..at + secret.len()]),
        ] {
            if form.len() >= MIN_PIECE {
                self.add(number, &form);
            }
        }
    }

    fn add(&mut self, number: usize, piece: &[u8]) {
        let Some(key) = piece.first_chunk::<MIN_PIECE>() else { return };
        let list = self.pieces.entry(*key).or_default();
        if !list.iter().any(|(owner, known)| *owner == number && known == piece) {
            list.push((number, piece.to_vec()));
        }
    }

    /// The cases with a piece in these bytes.
    pub(super) fn found(&self, bytes: &[u8]) -> BTreeSet<usize> {
        self.hits(bytes).map(|(number, _)| number).collect()
    }

    fn found_pieces(&self, bytes: &[u8]) -> BTreeSet<Vec<u8>> {
        self.hits(bytes).map(|(_, piece)| piece.to_vec()).collect()
    }

    fn hits<'n>(&'n self, bytes: &'n [u8]) -> impl Iterator<Item = (usize, &'n [u8])> + 'n {
        // Most positions start no piece; a two-byte table rules them out quickly.
        let mut begins = vec![false; 1 << 16];
        for key in self.pieces.keys() {
            begins[usize::from(u16::from_be_bytes([key[0], key[1]]))] = true;
        }
        bytes.windows(MIN_PIECE).enumerate().flat_map(move |(at, key)| {
            let likely = begins[usize::from(u16::from_be_bytes([key[0], key[1]]))];
            let list = likely.then(|| self.pieces.get(key)).flatten().map_or(&[][..], Vec::as_slice);
            list.iter()
                .filter(move |(_, piece)| bytes[at..].starts_with(piece))
                .map(|(number, piece)| (*number, piece.as_slice()))
        })
    }
}

/// The same text with JSON escapes.
fn escaped(text: &[u8]) -> Vec<u8> {
    let quoted = serde_json::Value::String(String::from_utf8_lossy(text).into_owned()).to_string();
    quoted.as_bytes()[1..quoted.len() - 1].to_vec()
}

/// Whether a directory of a home was written by the bench itself.
pub(super) fn is_input(home: &Home, path: &Path) -> bool {
    INPUT_DIRS.iter().any(|input| path == home.path().join(input))
}

#[cfg(test)]
mod tests {
    use super::super::case::Case;
    use super::{Part, parse};

    #[test]
    fn lines_and_arrays_of_strings_and_pieces_are_read() {
        let lines = "{\"id\":\"a\",\"place\":\"url\",\"text\":[\"x=\",\"ab\"],\"secrets\":[[\"a\",\"b\"]]}\n\n{\"text\":\"ab\",\"secret\":\"b\"}";
        let array =
            "[{\"text\": \"ab\", \"secrets\": [\"ab\"], \"label\": \"lookalike\"}, {\"text\": \"ab\"}]";
        let cases = parse(lines).expect("lines");
        assert_eq!((cases[0].text.as_str(), cases[0].part), ("x=ab", Part::Url));
        assert_eq!(
            (cases[0].secrets.clone(), cases[1].secrets.clone()),
            (vec!["ab".to_owned()], vec!["b".to_owned()])
        );
        assert_eq!(cases[1].id, "case-2");
        assert!(parse(array).expect("an array").iter().all(super::Case::is_look_alike));
    }

    #[test]
    fn a_secret_that_is_not_in_its_text_is_refused() {
        assert!(parse("{\"text\": \"ab\", \"secrets\": [\"c\"]}").is_err());
        assert!(parse("{\"secrets\": [\"c\"]}").is_err());
    }

    fn case(text: &str, secret: &str) -> Case {
        Case {
            id: "a".to_owned(),
            kind: "k".to_owned(),
            part: Part::Prompt,
            named: true,
            text: text.to_owned(),
            secrets: vec![secret.to_owned()],
        }
    }

    fn is_found(text: &str, secret: &str, kept: &str) -> bool {
        !super::Needles::of(&[case(text, secret)]).found(kept.as_bytes()).is_empty()
    }

    #[test]
    fn a_credential_that_is_kept_is_found() {
        assert!(is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "pw: hunter2hunter2 ok"));
        assert!(
            is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "binary \u{0}r2hunter rest"),
            "half of it is enough"
        );
        assert!(is_found(
            "say \"a quoted one\" now",
            "\"a quoted one\"",
            r#"{"x": "say \"a quoted one\" now"}"#
        ));
        assert!(is_found("the pin is 4711 today", "4711", "the pin is 4711 today"));
    }

    #[test]
    fn what_is_gone_or_stands_elsewhere_is_not() {
        assert!(!is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "pw: [REDACTED] ok"));
        assert!(!is_found("the pin is 4711 today", "4711", "row 4711 of 47110"));
        let mut elsewhere = case("write to marta@corvid.example", "unused");
        elsewhere.secrets.clear();
        let needles = super::Needles::of(&[case("pw marta@corvid.exa", "marta@corvid.exa"), elsewhere]);
        assert!(needles.found(b"write to marta@corvid.example").is_empty());
    }
}
