//! Memories from other programs become `known://` entries.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use nudge_core::{Entry, Timestamp};
use nudge_memory::import::memories::{MemoriesReport, memories};

use crate::import::setup::{ImportBench, NOW};

const LINES: &str = r#"{"id": "a1", "project": "web", "date": "2020-01-02T03:04:05Z", "text": "Cache the index", "files": ["src/index.rs"]}
{"id": "a2", "project": "web", "text": "Drop Python 2"}
{"id": "a1", "project": "api", "text": "Another one"}
"#;

fn import(bench: &ImportBench, file: &Path, dry_run: bool, now: Timestamp) -> MemoriesReport {
    memories(&bench.home(), file, dry_run, now, &mut |_| {}).expect("imported")
}

fn known(bench: &ImportBench) -> Vec<Entry> {
    let mut entries = bench.store().read(|reader| reader.newest("known", 100)).expect("read");
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    entries
}

/// @import_memories
#[test]
fn each_line_is_an_entry_with_its_date_and_files() {
    let bench = ImportBench::new();
    let file = bench.file("m.jsonl", LINES);
    let report = import(&bench, &file, false, NOW);
    assert_eq!((report.lines, report.imported, report.known, report.bad.len()), (3, 3, 0, 0));
    let entries = known(&bench);
    let paths: Vec<_> = entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["known://api/a1", "known://web/a1", "known://web/a2"]);
    let first = &entries[1];
    assert_eq!((first.body.as_str(), first.created_at), ("Cache the index", NOW), "kept from the import on");
    assert_eq!(first.attributes["date"], "2020-01-02T03:04:05Z");
    assert_eq!(first.attributes["files"], serde_json::json!(["src/index.rs"]));
    assert_eq!(first.attributes["imported"], NOW.to_string());
    assert_eq!(first.scope.key(), "name:web");
}

/// @import_memories
#[test]
fn importing_again_changes_only_what_changed() {
    let bench = ImportBench::new();
    let file = bench.file("m.jsonl", LINES);
    import(&bench, &file, false, NOW);
    let later = NOW.plus(std::time::Duration::from_secs(3600));
    let again = import(&bench, &file, false, later);
    assert_eq!((again.imported, again.updated, again.known), (0, 0, 3));
    assert!(known(&bench).iter().all(|entry| entry.version == 1));
    let file = bench.file("m.jsonl", LINES.replace("Drop Python 2", "Drop Python 3.8"));
    let changed = import(&bench, &file, false, later);
    assert_eq!((changed.imported, changed.updated, changed.known), (0, 1, 2));
}

/// @import_memories
#[test]
fn a_compressed_file_is_read_whatever_it_is_called() {
    let bench = ImportBench::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(LINES.as_bytes()).expect("packed");
    let mut packed = packed.finish().expect("packed");
    let file = bench.file("m.jsonl", &packed);
    assert_eq!(import(&bench, &file, true, NOW).imported, 3);
    assert!(!bench.home().db().exists(), "a dry run makes nothing");
    assert_eq!(import(&bench, &file, false, NOW).imported, 3);
    packed.truncate(packed.len() / 2);
    let file = bench.file("cut.jsonl.gz", &packed);
    let cut = memories(&bench.home(), &file, false, NOW, &mut |_| {});
    assert_eq!(cut.map_err(|fault| fault.reason), Err("damaged_file".to_owned()));
}

/// @import_memories
#[test]
fn every_bad_line_is_named_and_the_good_ones_are_kept() {
    let bench = ImportBench::new();
    let text = format!("{{\"id\": \"x\"\n\n{LINES}{{\"id\": \"b\", \"project\": \"web\"}}\n7\n");
    let file = bench.file("m.jsonl", text);
    let report = import(&bench, &file, false, NOW);
    assert_eq!((report.lines, report.imported), (6, 3));
    let bad: Vec<_> = report.bad.iter().map(|bad| (bad.line, bad.why.as_str())).collect();
    assert_eq!(bad, [(1, "not JSON, at column 0"), (6, "`text` is missing"), (7, "not a JSON object")]);
}

/// @import_memories
#[test]
fn a_secret_in_a_memory_is_not_kept_and_does_not_come_back() {
    let bench = ImportBench::new();
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let file = bench
        .file("m.jsonl", format!("{{\"id\":\"s\",\"project\":\"web\",\"text\":\"deploy with {token}\"}}\n"));
    import(&bench, &file, false, NOW);
    assert!(!known(&bench)[0].body.contains(&token));
    assert_eq!(import(&bench, &file, false, NOW).known, 1);
    let file = bench
        .file("m.jsonl", format!("{{\"id\":\"s\",\"project\":\"web\",\"text\":\"build with {token}\"}}\n"));
    assert_eq!(import(&bench, &file, false, NOW).updated, 1);
}
