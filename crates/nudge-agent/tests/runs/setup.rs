//! A memory with one model, a project on disk, and short ways to call the operations of runs.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use nudge_core::Timestamp;
use nudge_core::entry_state::Visibility;
use nudge_memory::Surface;
use nudge_store::RunRow;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

const START: i64 = 1_794_700_000_000;

/// A memory, a project that the caller stands in, and a directory outside of it.
pub(crate) struct Scene {
    pub(crate) bench: MemoryBench,
    pub(crate) root: PathBuf,
    pub(crate) outside: PathBuf,
    _dir: TempDir,
}

/// A memory with the model `m`, called by the user in an empty project.
pub(crate) fn scene() -> Scene {
    let dir = TempDir::new().expect("a temporary directory");
    let base = dir.path().canonicalize().expect("it exists");
    let (root, outside) = (base.join("shop"), base.join("outside"));
    std::fs::create_dir(&root).expect("created");
    std::fs::create_dir(&outside).expect("created");
    nudge_testkit::git::repository(&root, None, "main");
    let bench = MemoryBench::in_memory(Timestamp::from_millis(START));
    let mut scene = Scene { bench, root: root.clone(), outside, _dir: dir };
    scene.stand(&root);
    scene.bench.ok("add_model", json!({"alias": "m", "actual": "ollama/tiny"}));
    scene
}

impl Scene {
    /// Moves the caller to a directory.
    pub(crate) fn stand(&mut self, dir: &Path) {
        self.bench.stand(dir);
    }

    /// From now on calls come in by this surface.
    pub(crate) fn by(&mut self, surface: Surface) -> &mut Self {
        self.bench.caller.surface = surface;
        self
    }

    /// Asks a run, which is new if there is none.
    #[track_caller]
    pub(crate) fn ask(&self, run: &str, prompt: &str) -> Value {
        self.bench.ok("ask", json!({"run": run, "prompt": prompt, "model": "m"}))
    }

    /// What `get_run` says.
    #[track_caller]
    pub(crate) fn run(&self, run: &str) -> Value {
        self.bench.ok("get_run", json!({"run": run}))
    }

    /// The stored run.
    #[track_caller]
    pub(crate) fn row(&self, run: &str) -> RunRow {
        let runs =
            self.bench.memory.store().read(|reader| Ok::<_, nudge_core::Fault>(reader.runs(None, 99, 0)?));
        let found = runs.expect("read").into_iter().find(|row| row.alias == run);
        found.unwrap_or_else(|| panic!("no run {run}"))
    }

    /// What a run has in view, archived or not: paths with how much it sees, sorted.
    pub(crate) fn in_view(&self, run: &str) -> Vec<(String, Visibility)> {
        let scope = self.row(run).scope;
        let rows = self.bench.memory.store().read(|reader| {
            let mut seen = Vec::new();
            for row in reader.views(&scope)? {
                let entry = reader.entry_head(row.entry)?.expect("an entry in view");
                seen.push((entry.path.as_str().to_owned(), row.visibility));
            }
            Ok::<_, nudge_core::Fault>(seen)
        });
        let mut rows = rows.expect("read");
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows
    }

    /// Adds a skill that must be fine.
    #[track_caller]
    pub(crate) fn skill(&self, run: &str, path: &str) -> Value {
        self.bench.ok("add_skill", json!({"run": run, "path": path}))
    }

    /// The reason why a skill is rejected.
    #[track_caller]
    pub(crate) fn no_skill(&self, path: &str) -> String {
        self.bench.fault("add_skill", json!({"run": "night", "path": path})).reason
    }

    /// The body of an entry of the project; `null` if there is none.
    #[track_caller]
    pub(crate) fn body(&self, path: &str) -> Value {
        self.bench.ok("get", json!({"path": path, "line": 1}))["entries"][0]["body"].clone()
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        write(&self.root.join(path), bytes.as_ref());
    }
}

/// Writes a file with its directories.
pub(crate) fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
    std::fs::write(path, bytes).expect("written");
}

/// A zip of these files.
pub(crate) fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a file in a zip");
        writer.write_all(bytes).expect("written");
    }
    writer.finish().expect("a zip").into_inner()
}

/// The bytes with every occurrence replaced by as many others.
pub(crate) fn forged(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let found: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!found.is_empty(), "nothing to forge");
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// The paths of the entries in an answer of `add_skill`.
pub(crate) fn paths(added: &Value) -> Vec<&str> {
    let entries = added["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["path"].as_str().expect("a path")).collect()
}
