//! What small local models really emitted, read by the parser.

use std::path::{Path, PathBuf};

use nudge_grammar::{TagLimits, parse_tags};

use crate::tags::show;

/// The recorded outputs stand beside the repository.
const OUTPUTS: &str = "../shared/harness/model-outputs";

fn outputs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = root.join(OUTPUTS);
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|error| panic!("{OUTPUTS}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    files
}

/// @tags_real_outputs
#[test]
fn every_recorded_output_is_read() {
    let files = outputs();
    assert!(files.len() >= 40, "only {} outputs", files.len());
    let shown = files.iter().map(|file| {
        let output = std::fs::read_to_string(file).expect("an output is text");
        let name = file.file_stem().expect("a name").to_string_lossy();
        show::show(&name, &output, &parse_tags(&output, TagLimits::default()))
    });
    insta::assert_snapshot!("real", shown.collect::<Vec<_>>().join("\n"));
}
