//! A text as an agent would send it, with the credentials in it.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

/// The part of an agent's message that contains the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Prompt,
    Command,
    File,
    Path,
    Url,
    Json,
    Thinking,
    Output,
    Header,
    Env,
}

impl Place {
    pub(super) const ALL: [(&'static str, Self); 10] = [
        ("prompt", Self::Prompt),
        ("command", Self::Command),
        ("file", Self::File),
        ("path", Self::Path),
        ("url", Self::Url),
        ("json", Self::Json),
        ("thinking", Self::Thinking),
        ("output", Self::Output),
        ("header", Self::Header),
        ("env", Self::Env),
    ];

    /// The place with this name; a prompt for an unknown name.
    fn named(name: &str) -> Self {
        let lower = name.to_lowercase();
        let found = Self::ALL.iter().find(|(known, _)| lower.starts_with(known));
        found.map_or(Self::Prompt, |(_, place)| *place)
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, place)| *place == self).map_or("prompt", |(name, _)| name)
    }
}

/// One case; without secrets it is a look-alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) place: Place,
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
            place: Place::named(value["place"].as_str().unwrap_or("prompt")),
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

#[cfg(test)]
mod tests {
    use super::{Place, parse};

    #[test]
    fn lines_and_arrays_of_strings_and_pieces_are_read() {
        let lines = "{\"id\":\"a\",\"place\":\"url\",\"text\":[\"x=\",\"ab\"],\"secrets\":[[\"a\",\"b\"]]}\n\n{\"text\":\"ab\",\"secret\":\"b\"}";
        let array =
            "[{\"text\": \"ab\", \"secrets\": [\"ab\"], \"label\": \"lookalike\"}, {\"text\": \"ab\"}]";
        let cases = parse(lines).expect("lines");
        assert_eq!((cases[0].text.as_str(), cases[0].place), ("x=ab", Place::Url));
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
}
