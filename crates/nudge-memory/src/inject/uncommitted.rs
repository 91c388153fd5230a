//! The files that a session changed and did not commit.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use nudge_core::{EntryId, Fault, ObservationKind};
use nudge_outcomes::shell;
use nudge_store::{ProjectId, Reader, RecentRow, SessionId};

/// How many of a session's newest steps are read.
pub(super) const MAX_STEPS: u32 = 60;

/// How many files are named.
pub(super) const MAX_NAMED_FILES: usize = 5;

/// The files that were changed after the last commit and not restored, last changed first, and the
/// newest change. Expects the session's steps newest first.
pub(crate) fn uncommitted(
    reader: &Reader<'_>,
    steps: &[RecentRow],
) -> Result<Option<(EntryId, Vec<String>)>, Fault> {
    let (mut files, mut seen, mut newest) = (Vec::new(), HashSet::new(), None);
    let mut put_back = RestoredFiles::default();
    for step in steps.iter().take_while(|step| step.kind != ObservationKind::GitCommit) {
        put_back.record_restore(step);
        if !step.kind.is_file_change() {
            continue;
        }
        for path in reader.touched_by(step.entry)? {
            if !put_back.has(&path) && seen.insert(path.clone()) {
                newest.get_or_insert(step.entry);
                files.push(path);
            }
        }
    }
    Ok(newest.map(|entry| (entry, files)))
}

/// The files that a line about uncommitted changes named: those of its session up to its newest
/// change.
pub(super) fn named_by(reader: &Reader<'_>, newest: &RecentRow) -> Result<Vec<String>, Fault> {
    let Some(project) = newest.project else { return Ok(Vec::new()) };
    let mut steps = reader.actions_in_session(newest.session, project, MAX_STEPS)?;
    steps.retain(|step| (step.at, step.entry) <= (newest.at, newest.entry));
    let found = uncommitted(reader, &steps)?;
    Ok(found.map(|(_, files)| files.into_iter().take(MAX_NAMED_FILES).collect()).unwrap_or_default())
}

/// The files restored in each session, looked up once.
pub(super) struct RestoredFilesCache<'r> {
    pub(super) reader: &'r Reader<'r>,
    pub(super) project: ProjectId,
    pub(super) known: HashMap<SessionId, Vec<RecentRow>>,
}

impl RestoredFilesCache<'_> {
    /// Whether a change was undone later in its session.
    pub(super) fn has(&mut self, row: &RecentRow) -> Result<bool, Fault> {
        let Some(file) = row.file.as_ref().filter(|_| row.kind.is_file_change()) else { return Ok(false) };
        let steps = match self.known.entry(row.session) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut steps = self.reader.commands_in_session(row.session, self.project, MAX_STEPS)?;
                steps.retain(|step| step.text.contains("git"));
                new.insert(steps)
            }
        };
        let mut put_back = RestoredFiles::default();
        steps.iter().filter(|step| step.at >= row.at).for_each(|step| put_back.record_restore(step));
        Ok(put_back.has(file))
    }
}

/// Files that a later command restored to their committed state.
#[derive(Default)]
struct RestoredFiles {
    all: bool,
    words: Vec<String>,
}

impl RestoredFiles {
    /// Records the files that a command restores. Rows come newest first, so this applies to the
    /// rows that follow.
    fn record_restore(&mut self, row: &RecentRow) {
        if row.kind != ObservationKind::Command || !row.text.contains("git") {
            return;
        }
        for words in shell::commands(&row.text) {
            let words = words.iter().map(String::as_str);
            let rest: Vec<&str> = words.skip_while(|word| *word != "git").skip(1).collect();
            match rest.first() {
                Some(&"checkout") if rest.contains(&"--") => self.files(&rest),
                Some(&"restore") if !rest.contains(&"--staged") => self.files(&rest),
                Some(&"reset") if rest.contains(&"--hard") => self.all = true,
                Some(&"stash") if rest.len() == 1 || matches!(rest[1], "push" | "save" | "-u") => {
                    self.all = true;
                }
                _ => {}
            }
        }
    }

    fn files(&mut self, words: &[&str]) {
        self.all |= words.iter().any(|word| matches!(*word, "." | ":/"));
        self.words.extend(
            words.iter().skip(1).filter(|word| !word.starts_with('-')).map(|word| (*word).to_owned()),
        );
    }

    fn has(&self, file: &str) -> bool {
        let named = |word: &String| file.ends_with(&format!("/{}", word.trim_start_matches("./")));
        self.all || self.words.iter().any(named)
    }
}
