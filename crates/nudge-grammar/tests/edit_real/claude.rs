//! Edits of Claude Code: the file before, the two texts, and the diff that its tool shows.
//!
//! The diff shows each tab that begins a line as two spaces, so a result is compared in that form.
//! Where the file has no such tabs, or where the next edit of the same file shows all its bytes,
//! the bytes are compared.

use std::collections::HashMap;

use nudge_grammar::edit::{Edit, MatchQuality, apply_patch, unified_diff};
use serde_json::Value;

use crate::edit_real::hunks::{self, Hunk};
use crate::edit_real::transcripts;

/// One edit, with the session and file it belongs to.
struct Real {
    place: (usize, String),
    before: String,
    old: String,
    new: String,
    is_all: bool,
    hunks: Vec<Hunk>,
}

fn text(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().map(str::to_owned)
}

fn read(session: usize, record: &Value) -> Option<Real> {
    let result = &record["toolUseResult"];
    let hunks = result["structuredPatch"].as_array()?.iter().map(|hunk| {
        let start = hunk["oldStart"].as_u64().expect("a line") as usize;
        let is_empty = hunk["oldLines"] == 0;
        let lines = hunk["lines"].as_array().expect("lines");
        Hunk {
            start: if is_empty { start } else { start - 1 },
            lines: lines.iter().map(|line| line.as_str().expect("a line").to_owned()).collect(),
        }
    });
    Some(Real {
        place: (session, text(result, "filePath")?),
        before: text(result, "originalFile")?,
        old: text(result, "oldString")?,
        new: text(result, "newString")?,
        is_all: result["replaceAll"] == true,
        hunks: hunks.collect(),
    })
}

fn all() -> Vec<Real> {
    let sessions = transcripts::of("claude");
    let edits = sessions.iter().enumerate();
    edits
        .flat_map(|(session, records)| records.iter().filter_map(move |record| read(session, record)))
        .collect()
}

/// The file as the tool shows it.
fn shown(file: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start_matches('\t');
        format!("{}{rest}", "  ".repeat(line.len() - rest.len()))
    };
    file.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

impl Real {
    /// The edit in markers; one pair for each occurrence when all are meant.
    fn markers(&self) -> String {
        let count = if self.is_all { self.before.matches(&self.old).count() } else { 1 };
        let (old, new) = (&self.old, &self.new);
        format!("<<SEARCH_r9\n{old}\nSEARCH_r9\n<<REPLACE_r9\n{new}\nREPLACE_r9\n").repeat(count)
    }

    fn after_shown(&self) -> String {
        hunks::apply(&shown(&self.before), &self.hunks).expect("the tool's own diff fits")
    }
}

/// @edit_pairs: each edit gives the file that the tool of the agent made.
#[test]
fn edits_give_the_same_file() {
    let edits = all();
    let mut later: HashMap<&(usize, String), &Real> = HashMap::new();
    let mut by_bytes = 0;
    for real in edits.iter().rev() {
        let edit = Edit::parse(&real.markers()).expect("the markers are right");
        let edited = edit.apply(Some(&real.before)).unwrap_or_else(|conflict| panic!("{conflict}"));
        let after = real.after_shown();
        assert_eq!(shown(&edited.body), after, "{}", real.place.1);
        if !real.is_all {
            assert_eq!((edited.matched, edited.warnings.len()), (MatchQuality::Exact, 0));
        }
        let next = later.insert(&real.place, real).filter(|next| shown(&next.before) == after);
        if let Some(next) = next {
            assert_eq!(edited.body, next.before, "{}", real.place.1);
        }
        by_bytes += usize::from(next.is_some() || edited.body == after);
    }
    eprintln!("{} edits, {by_bytes} compared byte by byte", edits.len());
    assert!(edits.len() >= 200 && by_bytes >= 120);
}

/// @edit_patch: the diff of each edit applies as a patch, and so does our own.
#[test]
fn diffs_apply() {
    for real in all() {
        let (before, after) = (shown(&real.before), real.after_shown());
        let mut patch = String::new();
        for hunk in &real.hunks {
            let new = hunk.lines.iter().filter(|line| line.starts_with([' ', '+'])).count();
            patch.push_str(&format!("@@ -{},{} +1,{new} @@\n", hunk.start + 1, hunk.old().count()));
            hunk.lines.iter().for_each(|line| patch.push_str(&format!("{line}\n")));
        }
        assert_eq!(apply_patch(&before, &patch).as_ref(), Ok(&after), "{patch}");
        let edit = Edit::parse(&patch).expect("a patch is an edit");
        assert_eq!(edit.apply(Some(&before)).expect("it fits").body, after);
        let diff = unified_diff(&real.place.1, &before, &after);
        assert_eq!(apply_patch(&before, &diff).as_ref(), Ok(&after));
        assert_eq!(hunks::apply(&before, &hunks::parse(&diff)).as_ref(), Some(&after));
    }
}

/// @edit_tolerance: each edit still finds its place when its indentation is gone, and heals it.
#[test]
fn edits_survive_lost_indentation() {
    let (mut tried, mut healed, mut found) = (0, 0, 0);
    for real in all().iter().filter(|real| !real.is_all && !real.old.trim().is_empty()) {
        let indent = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let strip = real.old.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
        let can_strip = real.new.lines().all(|line| line.trim().is_empty() || indent(line) >= strip);
        if strip == 0 || !can_strip || real.old.lines().count() < 2 {
            continue;
        }
        let less = |text: &str| {
            let cut = |line: &str| line.get(strip..).unwrap_or_default().to_owned();
            text.split('\n').map(cut).collect::<Vec<_>>().join("\n")
        };
        let lost = Real { old: less(&real.old), new: less(&real.new), ..real.copy() };
        tried += 1;
        let edit = Edit::parse(&lost.markers()).expect("the markers are right");
        let Ok(edited) = edit.apply(Some(&real.before)) else { continue };
        found += 1;
        healed += usize::from(shown(&edited.body) == real.after_shown());
    }
    eprintln!("{tried} edits without indentation: {found} found, {healed} the same file");
    assert!(tried >= 60 && found == tried && healed * 100 >= tried * 95, "{healed} of {tried}");
}

impl Real {
    fn copy(&self) -> Self {
        Self {
            place: self.place.clone(),
            before: self.before.clone(),
            old: self.old.clone(),
            new: self.new.clone(),
            is_all: self.is_all,
            hunks: Vec::new(),
        }
    }
}
