//! A memory, a project on disk, and short ways to call the verbs.

use std::path::{Path, PathBuf};

use nudge_core::Timestamp;
use nudge_memory::Surface;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const START: i64 = 1_794_700_000_000;

/// A memory, and a project that the caller stands in.
pub(crate) struct Scene {
    pub(crate) bench: MemoryBench,
    pub(crate) root: PathBuf,
    _dir: TempDir,
}

/// An empty memory, called by the user in an empty project.
pub(crate) fn scene() -> Scene {
    let dir = TempDir::new().expect("a temporary directory");
    let root = dir.path().canonicalize().expect("it exists").join("shop");
    std::fs::create_dir(&root).expect("created");
    nudge_testkit::git::repository(&root, None, "main");
    let mut scene =
        Scene { bench: MemoryBench::in_memory(Timestamp::from_millis(START)), root: root.clone(), _dir: dir };
    scene.stand(&root);
    scene
}

impl Scene {
    /// Moves the caller to a directory.
    pub(crate) fn stand(&mut self, dir: &Path) {
        self.bench.stand(dir);
    }

    /// From now on an agent calls.
    pub(crate) fn agent(&mut self) -> &mut Self {
        self.bench.caller.surface = Surface::Mcp;
        self
    }

    /// From now on the user calls.
    pub(crate) fn user(&mut self) -> &mut Self {
        self.bench.caller.surface = Surface::Cli;
        self
    }

    /// Calls a verb and returns its first result.
    #[track_caller]
    pub(crate) fn one(&self, verb: &str, params: Value) -> Value {
        let answer = self.bench.ok(verb, params);
        answer["results"].get(0).cloned().unwrap_or_else(|| panic!("{verb} has no result: {answer}"))
    }

    /// Sets a body.
    #[track_caller]
    pub(crate) fn set(&self, path: &str, body: &str) -> Value {
        self.one("set", json!({"path": path, "body": body}))
    }

    /// The body of an entry; `null` if there is none.
    #[track_caller]
    pub(crate) fn body(&self, path: &str) -> Value {
        self.bench.ok("get", json!({"path": path, "line": 1}))["entries"][0]["body"].clone()
    }

    /// The paths that a pattern matches.
    #[track_caller]
    pub(crate) fn paths(&self, pattern: &str) -> Vec<String> {
        let answer = self.bench.ok("get", json!({"path": pattern, "preview": true, "max": 1000}));
        let entries = answer["entries"].as_array().expect("entries");
        entries.iter().map(|entry| entry["path"].as_str().expect("a path").to_owned()).collect()
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, text).expect("written");
    }

    /// Reads a file of the project.
    pub(crate) fn on_disk(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }
}
