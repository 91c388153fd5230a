//! The lines of the transcripts of an agent.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Where the transcripts are, from this crate.
const SET: &str = "../../../shared/harness/transcripts";

/// The records of each transcript of one agent.
pub fn of(agent: &str) -> Vec<Vec<Value>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(SET).join(agent);
    let mut files = Vec::new();
    gather(&dir, &mut files);
    files.sort();
    assert!(!files.is_empty(), "no transcripts in {SET}/{agent}");
    files.iter().map(|file| records(file)).collect()
}

fn gather(dir: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for path in entries.map(|entry| entry.expect("the directory can be read").path()) {
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|end| end == "gz") {
            files.push(path);
        }
    }
}

fn records(file: &Path) -> Vec<Value> {
    let packed = std::fs::File::open(file).expect("the file can be read");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).expect("the file is whole");
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
