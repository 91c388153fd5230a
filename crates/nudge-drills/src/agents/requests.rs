//! The requests that the scripted model received.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

/// The endpoints for model requests; the others count tokens and list models.
const ASKED: [&str; 3] = ["messages", "responses", "chat"];

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
            if ASKED.contains(&endpoint) {
                found.push((number.parse::<u32>()?, path));
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, path)| path).collect())
    }
}

/// How often an incomplete file is read again, and the wait before each try.
const TRIES: u32 = 40;
const WAIT: Duration = Duration::from_millis(50);

impl Request {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let mut tries = 0;
        loop {
            match serde_json::from_slice::<Value>(&std::fs::read(path)?) {
                Ok(said) => return Ok(Self(said["body"].clone())),
                // The model server may still be writing the file.
                Err(error) if error.is_eof() && tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(WAIT);
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
