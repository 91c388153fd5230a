//! The captured payloads.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_core::HookEvent;
use nudge_harness::{Harness, parse};

/// One captured payload.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) harness: Harness,
    /// The file's name without its extension.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Fixture {
    pub(crate) fn event(&self) -> HookEvent {
        parse(self.harness, &self.text)
            .unwrap_or_else(|error| panic!("{:?} {}: {error}", self.harness, self.name))
    }
}

/// The directory of one agent's payloads, for the version its facts were measured on.
pub(crate) fn folder(harness: Harness) -> PathBuf {
    let spec = harness.spec();
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(spec.name).join(spec.measured)
}

/// One agent's payloads, by name.
pub(crate) fn of(harness: Harness) -> Vec<Fixture> {
    let mut found: Vec<_> = fs::read_dir(folder(harness))
        .expect("a folder for the measured version")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| !path.ends_with("env-of-hook-process.json"))
        .map(|path| Fixture {
            harness,
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).expect("a readable file"),
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// One payload by its name.
pub(crate) fn one(harness: Harness, name: &str) -> Fixture {
    of(harness)
        .into_iter()
        .find(|fixture| fixture.name == name)
        .unwrap_or_else(|| panic!("no {harness:?} {name}"))
}

/// All payloads.
pub(crate) fn all() -> Vec<Fixture> {
    Harness::ALL.into_iter().flat_map(of).collect()
}
