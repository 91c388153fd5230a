//! Patches of Codex: what the model wrote, and the diff that its tool reports.
//!
//! The files are not in the transcripts. The part that a patch touches is known from the diff and
//! from the context that the model wrote; the lines between are made up.

use std::collections::HashMap;

use nudge_grammar::edit::Edit;
use serde_json::Value;

use crate::edit_real::hunks::{self, Hunk};
use crate::edit_real::transcripts;

/// One patched file: what the model wrote about it, and the tool's diff.
struct Real {
    written: String,
    diff: String,
}

fn all() -> Vec<Real> {
    transcripts::of("codex").iter().flat_map(|records| of_session(records)).collect()
}

fn of_session(records: &[Value]) -> Vec<Real> {
    let mut inputs: HashMap<&str, &str> = HashMap::new();
    let mut found = Vec::new();
    for payload in records.iter().map(|record| &record["payload"]) {
        let Some(call) = payload["call_id"].as_str() else { continue };
        if let (Some("apply_patch"), Some(input)) = (payload["name"].as_str(), payload["input"].as_str()) {
            inputs.insert(call, input);
        }
        if payload["type"] == "patch_apply_end" && payload["success"] == true {
            let changes = payload["changes"].as_object().into_iter().flatten();
            found.extend(changes.filter_map(|(path, change)| {
                let written = section(inputs.get(call)?, path)?;
                Some(Real { written, diff: change["unified_diff"].as_str()?.to_owned() })
            }));
        }
    }
    found
}

/// What a patch says about one file.
fn section(input: &str, path: &str) -> Option<String> {
    let mut sections = input.split("*** Update File: ").skip(1);
    let section = sections.find(|section| {
        let name = section.lines().next().unwrap_or_default().trim();
        path == name || path.ends_with(&format!("/{name}"))
    })?;
    let end = section.find("\n*** ").map_or(section.len(), |at| at + 1);
    Some(format!("*** Begin Patch\n*** Update File: {}*** End Patch\n", &section[..end]))
}

/// The hunks that the model wrote: their lines, without numbers.
fn written_hunks(written: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in written.lines().filter(|line| !line.starts_with("*** ")) {
        if line.starts_with("@@") {
            hunks.push(Hunk { start: 0, lines: Vec::new() });
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push(if line.is_empty() { " ".to_owned() } else { line.to_owned() });
        }
    }
    hunks
}

/// The file before: the lines that the diff and the model know, and made-up ones between.
fn before(real: &Real) -> Option<String> {
    let mut known: Vec<Option<String>> = Vec::new();
    for hunk in hunks::parse(&real.diff) {
        put(&mut known, hunk.start, hunk.old());
    }
    let mut from = 0;
    for hunk in written_hunks(&real.written) {
        let old: Vec<&str> = hunk.old().collect();
        let start =
            (from..=known.len()).max_by_key(|start| (overlap(&known, *start, &old), usize::MAX - start))?;
        overlap(&known, start, &old).filter(|lines| *lines > 0)?;
        put(&mut known, start, old.iter().copied());
        from = start + old.len();
    }
    let lines = known.into_iter().enumerate();
    let lines = lines.map(|(at, line)| line.unwrap_or_else(|| format!("(made-up line {at})")) + "\n");
    Some(lines.collect())
}

fn put<'a>(known: &mut Vec<Option<String>>, start: usize, lines: impl Iterator<Item = &'a str>) {
    for (at, line) in lines.enumerate() {
        if known.len() <= start + at {
            known.resize(start + at + 1, None);
        }
        known[start + at] = Some(line.to_owned());
    }
}

/// How many known lines are equal from `start` on; `None` when one differs.
fn overlap(known: &[Option<String>], start: usize, old: &[&str]) -> Option<usize> {
    let mut equal = 0;
    for (at, line) in old.iter().enumerate() {
        match known.get(start + at) {
            Some(Some(there)) if there == line => equal += 1,
            Some(Some(_)) => return None,
            _ => {}
        }
    }
    Some(equal)
}

/// @edit_patch: what the model wrote gives the file that the tool of the agent made.
#[test]
fn patches_give_the_same_file() {
    let patches = all();
    let mut compared = 0;
    for real in &patches {
        let Some(before) = before(real) else { continue };
        let Some(after) = hunks::apply(&before, &hunks::parse(&real.diff)) else { continue };
        let edit = Edit::parse(&real.written).expect("a patch is an edit");
        let edited = edit.apply(Some(&before)).unwrap_or_else(|error| panic!("{error}\n{}", real.written));
        assert_eq!(edited.body, after, "{}", real.written);
        compared += 1;
    }
    eprintln!("{compared} of {} patches compared", patches.len());
    assert!(compared >= 50, "{compared} of {}", patches.len());
}
