//! Gathering what a session may be told. Every read is of the newest few of something, whatever the store holds.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nudge_context::{Command, Intent, Mode, Row, StartFacts, Where};
use nudge_core::{EntryId, Fault, ObservationKind, Timestamp};
use nudge_store::{ProjectId, Reader, RecentPrompt, RecentRow, SessionId, SessionRow};

use super::best_rows::best_rows;
use super::gathered::Gathered;
use super::restraint::Restraint;
use crate::projects::Walls;

/// In how many of a project's newest sessions rows are looked for, and in how many intents.
const SESSIONS: u32 = 100;
const SESSIONS_ASKED: usize = 20;
/// How many rows are considered for the table of the project.
const ROWS: usize = 400;
/// How many prompts of one session that were acted on are considered, how many in all, and after how many intents that is enough.
const PROMPTS_EACH: u32 = 20;
const PROMPTS: usize = 100;
const INTENTS: usize = 20;
/// How much of what a session was doing is looked through for files that it was changing.
const IN_FLIGHT: u32 = 200;
const PROMPTS_LOST: u32 = 5;
/// How many changes are named as those it was at, and how long the line of one may get, in characters.
const CHANGES_LOST: usize = 10;
const FILES_LINE: usize = 100;
/// How many pins of this project and of others are considered.
const PINS: u32 = 30;
const PINS_ELSEWHERE: u32 = 15;
/// How many copies of the project, sessions of each and rows of each copy are considered.
const COPIES: u32 = 3;
const SESSIONS_OF_COPY: u32 = 3;
const ROWS_OF_COPY: usize = 60;

/// Where and for whom facts are gathered.
pub(super) struct Stage<'r> {
    pub(super) reader: &'r Reader<'r>,
    pub(super) project: ProjectId,
    /// The session that is told; `None` when somebody only looks.
    pub(super) session: Option<SessionRow>,
    /// The worktree it stands in.
    pub(super) worktree: Option<String>,
    /// The directory that paths are shown from.
    pub(super) root: String,
    pub(super) mode: Mode,
    /// Whether the person emptied the context.
    pub(super) cleared: bool,
    pub(super) now: Timestamp,
}

impl Stage<'_> {
    /// All that may be told.
    pub(super) fn gathered(&self) -> Result<Gathered, Fault> {
        let (name, remote) = self.reader.project_label(self.project)?.unwrap_or_default();
        let sessions = self.reader.busy_sessions_of(self.project, SESSIONS)?;
        let own = self.own(&sessions)?;
        let places = self.places(&sessions, &own)?;
        let restraint = Restraint::of(self.reader, self.project, self.now)?;
        let mut gathered = Gathered::default();
        let notes = crate::learn::notes(self.reader, self.project, Some(self.seat()), self.now)?;
        gathered.take_notes(notes, &restraint);
        let facts = &mut gathered.facts;
        facts.project = name;
        facts.rows = self.rows(&sessions, &own, &places, &restraint)?;
        facts.intents = self.intents(&sessions, &own, &places, &restraint)?;
        facts.elsewhere = self.elsewhere(remote.as_deref(), &restraint)?;
        if let (Mode::Recovery, Some(lost)) = (self.mode, own.first()) {
            self.recover(*lost, facts)?;
        }
        Ok(gathered)
    }

    /// Whether a session still knows what happened in it.
    fn is_known(&self, session: SessionId, own: &[SessionId]) -> bool {
        self.mode == Mode::Fresh && own.contains(&session)
    }

    fn rows(
        &self,
        sessions: &[SessionRow],
        own: &[SessionId],
        places: &HashMap<SessionId, Where>,
        restraint: &Restraint,
    ) -> Result<Vec<Row>, Fault> {
        let mut found = self.reader.pinned_in(self.project, PINS)?;
        let mut seen: HashSet<EntryId> = found.iter().map(|row| row.entry).collect();
        let unknown = sessions.iter().map(|session| session.id).filter(|id| !self.is_known(*id, own));
        let unknown: Vec<_> = unknown.map(|id| (id, places.get(&id).is_some_and(Where::is_aside))).collect();
        let here = best_rows(self.reader, &unknown, self.project, ROWS, self.now)?;
        found.extend(here.into_iter().filter(|row| seen.insert(row.entry)));
        let place = |row: &RecentRow| places.get(&row.session).cloned().unwrap_or(Where::Here);
        Ok(found
            .into_iter()
            .filter(|row| !(row.pinned && self.is_known(row.session, own)))
            .map(|row| {
                let place = place(&row);
                self.row(row, place, restraint)
            })
            .collect())
    }

    fn intents(
        &self,
        sessions: &[SessionRow],
        own: &[SessionId],
        places: &HashMap<SessionId, Where>,
        restraint: &Restraint,
    ) -> Result<Vec<Intent>, Fault> {
        let mut found = Vec::new();
        let unknown = sessions.iter().take(SESSIONS_ASKED).filter(|session| !self.is_known(session.id, own));
        for session in unknown {
            if found.len() >= PROMPTS {
                break;
            }
            let place = places.get(&session.id).cloned().unwrap_or(Where::Here);
            let prompts = self.reader.prompts_acted_on(session.id, self.project, PROMPTS_EACH)?;
            found.extend(prompts.into_iter().map(|prompt| (prompt, place.clone())));
        }
        found.sort_by_key(|(prompt, _)| std::cmp::Reverse((prompt.at, prompt.entry)));
        let mut intents = Vec::new();
        for (prompt, place) in found {
            // Counting takes longest: it stops where there are enough.
            if intents.len() >= INTENTS {
                break;
            }
            let actions = self.reader.actions_of(prompt.entry)?;
            intents.push(intent(prompt, actions, place, restraint));
        }
        Ok(intents)
    }

    /// Rows of other projects: what is pinned there, and what was done in another copy of this one.
    fn elsewhere(&self, remote: Option<&str>, restraint: &Restraint) -> Result<Vec<Row>, Fault> {
        let mut names: HashMap<ProjectId, String> = HashMap::new();
        let mut found = self.reader.pinned_outside(Some(self.project), PINS_ELSEWHERE)?;
        let mut seen: HashSet<EntryId> = found.iter().map(|row| row.entry).collect();
        let copies = match remote {
            Some(remote) => self.reader.projects_of_remote(remote, self.project, COPIES)?,
            None => Vec::new(),
        };
        for (copy, _) in copies {
            let sessions = self.reader.busy_sessions_of(copy, SESSIONS_OF_COPY)?;
            let sessions: Vec<_> = sessions.iter().map(|session| (session.id, false)).collect();
            let rows = best_rows(self.reader, &sessions, copy, ROWS_OF_COPY, self.now)?;
            found.extend(rows.into_iter().filter(|row| seen.insert(row.entry)));
        }
        let mut rows = Vec::with_capacity(found.len());
        let walls = if found.is_empty() {
            Walls::default()
        } else {
            Walls::around_project(self.reader, self.project)?
        };
        for row in found {
            let Some(project) = row.project.filter(|project| !walls.hide(*project)) else { continue };
            let name = match names.get(&project) {
                Some(name) => name.clone(),
                None => self.reader.project_label(project)?.unwrap_or_default().0,
            };
            names.insert(project, name.clone());
            let place = Where::Project(name);
            rows.push(self.row(row, place, restraint));
        }
        Ok(rows)
    }

    /// What the session was doing: its last prompts, the files it was changing, its last command and how that ended.
    fn recover(&self, lost: SessionId, facts: &mut StartFacts) -> Result<(), Fault> {
        let prompts = self.reader.recent_prompts(lost, PROMPTS_LOST)?;
        let here = prompts.into_iter().filter(|prompt| prompt.project == Some(self.project));
        facts.prompts = here.map(|prompt| intent(prompt, 0, Where::Here, &Restraint::none())).collect();
        let rows = self.reader.deeds_in_session(lost, self.project, IN_FLIGHT)?;
        let mut named = HashSet::new();
        facts.files = self.in_flight(&rows, &mut named)?;
        // A file that is named as one being changed needs no row.
        let is_named = |row: &Row| row.file.as_ref().is_some_and(|file| named.contains(file));
        facts.rows.retain(|row| row.pinned || !is_named(row));
        if let Some(last) = rows.iter().find(|row| is_command(row.kind)) {
            let full = self.reader.observation(last.entry)?;
            let said = full.and_then(|row| Some(row.attributes.get("response")?.as_str()?.to_owned()));
            facts.command = Some(Command {
                entry: last.entry,
                at: last.at,
                text: last.text.clone(),
                outcome: last.outcome,
                response: said,
            });
        }
        Ok(())
    }

    /// The files of the last changes, one line for each change, and each file once.
    fn in_flight(
        &self,
        rows: &[RecentRow],
        named: &mut HashSet<String>,
    ) -> Result<Vec<(EntryId, String)>, Fault> {
        let mut lines = Vec::new();
        for row in rows.iter().filter(|row| is_change(row.kind)) {
            if lines.len() == CHANGES_LOST {
                break;
            }
            let files = self.reader.touched_by(row.entry)?;
            let mut files: Vec<String> = files.iter().map(|file| self.shown(file)).collect();
            files.retain(|file| !named.contains(file));
            lines.extend(together(files, named).map(|line| (row.entry, line)));
        }
        Ok(lines)
    }

    fn row(&self, row: RecentRow, place: Where, restraint: &Restraint) -> Row {
        Row {
            entry: row.entry,
            at: row.at,
            kind: row.kind,
            file: row.file.map(|file| self.shown(&file)),
            text: row.text,
            outcome: row.outcome,
            pinned: row.pinned,
            by_person: row.by_person,
            place,
            withheld: restraint.on(row.entry, row.pinned),
        }
    }

    /// A path from the root of the checkout, which says as much for less.
    fn shown(&self, path: &str) -> String {
        let within = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        within.filter(|rest| !rest.is_empty() && !self.root.is_empty()).unwrap_or(path).to_owned()
    }
}

fn intent(prompt: RecentPrompt, actions: u32, place: Where, restraint: &Restraint) -> Intent {
    Intent {
        entry: prompt.entry,
        at: prompt.at,
        text: prompt.text,
        actions,
        place,
        withheld: restraint.on(prompt.entry, false),
    }
}

/// The files of one change in a line, as many as it holds and the number of the others; notes which are named.
fn together(files: Vec<String>, named: &mut HashSet<String>) -> Option<String> {
    let mut files = files.into_iter();
    let mut line = files.next()?;
    named.insert(line.clone());
    while let Some(file) = files.next() {
        if line.chars().count() + file.chars().count() > FILES_LINE {
            line.push_str(&format!(" and {} more", files.len() + 1));
            break;
        }
        line.push_str(", ");
        line.push_str(&file);
        named.insert(file);
    }
    Some(line)
}

/// Whether files were changed.
pub(crate) const fn is_change(kind: ObservationKind) -> bool {
    matches!(kind, ObservationKind::FileEdit | ObservationKind::FileWrite)
}

/// Whether a command was run, whatever it was for.
pub(super) const fn is_command(kind: ObservationKind) -> bool {
    matches!(
        kind,
        ObservationKind::Command
            | ObservationKind::CommandError
            | ObservationKind::GitCommit
            | ObservationKind::GitPush
    )
}
