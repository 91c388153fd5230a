//! Finds transcripts.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use nudge_core::Fault;
use nudge_harness::Harness;

use super::request::unreadable;

/// How much of a file is read to identify its agent.
const IDENTIFYING_BYTES: u64 = 64 * 1024;

/// A transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// The default directory of an agent's transcripts; `env` looks up a variable.
pub fn default_place(harness: Harness, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").or_else(std::env::home_dir);
    let dir = harness.transcript().dir?;
    let named = dir.variable.and_then(set);
    Some(named.or_else(|| Some(home()?.join(dir.in_home)))?.join(dir.inside))
}

/// The transcripts at a path, sorted by name: a session's own comes before those of its subagents.
pub(super) fn transcripts(harness: Harness, path: &Path) -> Result<Vec<Found>, Fault> {
    let facts = fs::metadata(path).map_err(|error| unreadable(path, error))?;
    let mut found = Vec::new();
    if facts.is_file() {
        found.push(Found { path: path.to_owned(), bytes: facts.len() });
    } else {
        walk(harness, path, &mut found);
    }
    found.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    if found.is_empty() {
        let title = harness.spec().title;
        return Err(Fault::invalid(
            "no_transcripts",
            format!("no transcripts of {title} in {}", path.display()),
        )
        .next(format!("name the directory: `nudge import {} PATH`", harness.name())));
    }
    Ok(found)
}

/// Symlinks are not followed, because they may form cycles.
fn walk(harness: Harness, dir: &Path, found: &mut Vec<Found>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
        if kind.is_dir() {
            walk(harness, &path, found);
        } else if kind.is_file() && is_transcript(harness, &path) {
            found.push(Found { bytes: entry.metadata().map_or(0, |facts| facts.len()), path });
        }
    }
}

/// Decided by content, because a copied file may have another name.
fn is_transcript(harness: Harness, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let format = harness.transcript();
    let is_document = format.has_documents() && name.ends_with(".json");
    if !(name.ends_with(".jsonl") || is_document) {
        return false;
    }
    Harness::of_transcript(&begin(path)).map_or_else(|| (format.is_named)(&name), |of| of == harness)
}

fn begin(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(IDENTIFYING_BYTES).read_to_end(&mut bytes));
    read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_has_its_place_and_its_variable() {
        let none = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        let place = |harness| default_place(harness, &none);
        assert_eq!(place(Harness::Claude), Some("/h/.claude/projects".into()));
        assert_eq!(place(Harness::Codex), Some("/h/.codex/sessions".into()));
        assert_eq!(place(Harness::Opencode), Some("/h/.local/share/opencode/opencode.db".into()));
        assert_eq!(place(Harness::Cursor), None);
        let set = |name: &str| Some(OsString::from(format!("/{name}")));
        assert_eq!(default_place(Harness::Claude, &set), Some("/CLAUDE_CONFIG_DIR/projects".into()));
        assert_eq!(default_place(Harness::Codex, &set), Some("/CODEX_HOME/sessions".into()));
    }

    #[test]
    fn a_sessions_transcript_comes_before_its_subagents() {
        let dir = tempfile::TempDir::new().expect("a temporary directory");
        let sub = dir.path().join("p/s1/subagents");
        fs::create_dir_all(&sub).expect("made");
        for file in ["p/s1/subagents/agent-a.jsonl", "p/s1.jsonl", "p/notes.txt"] {
            fs::write(dir.path().join(file), "{}\n").expect("written");
        }
        let found = transcripts(Harness::Claude, dir.path()).expect("two");
        let names: Vec<_> = found.iter().filter_map(|found| found.path.file_name()?.to_str()).collect();
        assert_eq!(names, ["s1.jsonl", "agent-a.jsonl"]);
        assert_eq!(
            transcripts(Harness::Codex, dir.path()).map_err(|fault| fault.reason),
            Err("no_transcripts".into())
        );
    }
}
