//! A session that is over, and where it left the work.

use nudge_core::text::{age, gist};
use nudge_core::{EntryId, Timestamp};

use crate::assemble::Line;
use crate::clean::quoted;
use crate::fragment::{Command, RelativePlace};
use crate::naming::{named, path_named};

/// How much of the first request, the last request and the conclusion is shown of the session that
/// is shown in full, in characters.
const ASKED: usize = 160;
const ASKED_LAST: usize = 80;
const CONCLUDED: usize = 240;

/// How much of another session is shown, in characters: one line.
const ASKED_BEFORE: usize = 90;
const CONCLUDED_BEFORE: usize = 120;

/// How much of a commit message, a to-do and a path is shown, and how many to-dos.
const MESSAGE: usize = 80;
const TODO: usize = 60;
const TODOS: usize = 4;
const PATH: usize = 60;

/// Where one session left the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// When something last happened in it.
    pub at: Timestamp,
    /// Where it worked.
    pub place: RelativePlace,
    /// Whether it stopped without an end event.
    pub broke_off: bool,
    /// What the user asked for.
    pub goal: Option<Said>,
    /// What the user asked for last; `None` if that is the same.
    pub last: Option<Said>,
    /// What the agent said at the end of its last turn.
    pub concluded: Option<Said>,
    /// How the files that the agent mentioned have changed; `None` if they have not.
    pub drift: Option<String>,
    /// The branch it was on.
    pub branch: Option<String>,
    /// Its last commit, by its message.
    pub commit: Option<Said>,
    /// The files that it changed after that, the last first, with the newest change.
    pub changed: Option<Changed>,
    /// The command that still failed.
    pub failing: Option<Command>,
    /// What was still to be done, according to the agent's notes.
    pub todos: Option<(EntryId, Vec<String>)>,
}

/// Words, and their entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The entry.
    pub entry: EntryId,
    /// The words.
    pub text: String,
    /// Who said a request; `None` if it was the user.
    pub by: Option<&'static str>,
}

impl Said {
    /// ` by a program`, or nothing.
    fn by(&self) -> String {
        self.by.map_or_else(String::new, |by| format!(" by {by}"))
    }
}

/// Files that a session changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The newest change.
    pub entry: EntryId,
    /// The files, the last first.
    pub files: Vec<String>,
    /// How many more files there were.
    pub more: usize,
}

impl Stopped {
    /// Whether it says more than that there was a session.
    pub fn says_something(&self) -> bool {
        self.goal.is_some()
            || self.changed.is_some()
            || self.failing.is_some()
            || self.conclusion_line(CONCLUDED_BEFORE).is_some()
    }

    /// Whether it left more than a request and a conclusion.
    pub const fn left_something(&self) -> bool {
        self.commit.is_some() || self.changed.is_some() || self.failing.is_some() || self.todos.is_some()
    }

    /// The entries that its lines are about.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        let said = [&self.goal, &self.last, &self.concluded, &self.commit].into_iter().flatten();
        let changed = self.changed.iter().map(|changed| changed.entry);
        let todos = self.todos.iter().map(|(entry, _)| *entry);
        let failing = self.failing.iter().map(|command| command.entry);
        said.map(|said| said.entry).chain(changed).chain(failing).chain(todos)
    }

    /// Its lines, the goal first: all of them if `is_whole`, else a single line.
    pub(crate) fn lines(&self, is_whole: bool, now: Timestamp) -> Vec<Line> {
        let parts = if is_whole { self.whole() } else { self.short().into_iter().collect() };
        let broke_off = if self.broke_off { ", broke off" } else { "" };
        let begins = format!("- [{}{broke_off}]{} ", age(self.at, now), self.place.label());
        let begins = std::iter::once(begins.as_str()).chain(std::iter::repeat("  "));
        parts
            .into_iter()
            .zip(begins)
            .map(|((entry, part), begin)| (entry, format!("{begin}{part}\n")))
            .collect()
    }

    fn whole(&self) -> Vec<Line> {
        let is_another = |last: &&Said| self.goal.as_ref().is_some_and(|goal| goal.entry != last.entry);
        let last = self.last.as_ref().filter(is_another).map_or_else(String::new, |last| {
            format!("; last{}: \"{}\" #{}", last.by(), quoted(&last.text, ASKED_LAST), last.entry.0)
        });
        let asked = self.asked(ASKED).map(|(entry, part)| (entry, part + &last));
        let mut parts: Vec<Line> = asked.into_iter().chain(self.conclusion_line(CONCLUDED)).collect();
        parts.extend(self.left());
        parts.extend(self.failing.iter().map(|command| (Some(command.entry), command.still_failing())));
        parts.extend(self.to_do());
        parts
    }

    /// `asked: "…" #12; the agent concluded: "…" #14`
    fn short(&self) -> Option<Line> {
        match (self.asked(ASKED_BEFORE), self.conclusion_line(CONCLUDED_BEFORE)) {
            (Some((entry, asked)), Some((_, concluded))) => Some((entry, format!("{asked}; {concluded}"))),
            (asked, concluded) => asked.or(concluded).or_else(|| self.left()),
        }
    }

    /// `asked: "…" #12`
    fn asked(&self, most: usize) -> Option<Line> {
        let goal = self.goal.as_ref().or(self.last.as_ref())?;
        let words = quoted(&goal.text, most);
        Some((Some(goal.entry), format!("asked{}: \"{words}\" #{}", goal.by(), goal.entry.0)))
    }

    /// `the agent concluded: "…" #14`; `None` if its words say nothing.
    fn conclusion_line(&self, most: usize) -> Option<Line> {
        let said = self.concluded.as_ref()?;
        let words = Some(gist(&said.text, most)).filter(|words| !words.is_empty())?;
        let words = quoted(&words, most);
        let drift = self.drift.as_deref().map_or_else(String::new, |drift| {
            format!(" ({})", quoted(drift, PATH + 20).replace(['(', ')'], ""))
        });
        Some((Some(said.entry), format!("the agent concluded: \"{words}\"{drift} #{}", said.entry.0)))
    }

    /// The branch, the last commit, and what was changed after it.
    fn left(&self) -> Option<Line> {
        let branch = self.branch.as_deref().map(|branch| format!("on {}", named(branch)));
        let commit =
            self.commit.as_ref().map(|commit| format!("committed \"{}\"", quoted(&commit.text, MESSAGE)));
        let changed = self.changed.as_ref().map(|changed| {
            let files: Vec<String> =
                changed.files.iter().map(|file| path_named(file, PATH).replace('"', "'")).collect();
            let more = if changed.more > 0 { format!(" and {} more", changed.more) } else { String::new() };
            format!("changed and not committed: {}{more}", files.join(", "))
        });
        let entry = match (&self.changed, &self.commit) {
            (Some(changed), _) => changed.entry,
            (None, Some(commit)) => commit.entry,
            (None, None) => return None,
        };
        let parts: Vec<String> = [branch, commit, changed].into_iter().flatten().collect();
        Some((Some(entry), parts.join("; ")))
    }

    fn to_do(&self) -> Option<Line> {
        let (entry, todos) = self.todos.as_ref()?;
        let shown: Vec<String> =
            todos.iter().take(TODOS).map(|todo| format!("\"{}\"", quoted(todo, TODO))).collect();
        let more = todos.len().saturating_sub(TODOS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!shown.is_empty()).then(|| (Some(*entry), format!("open to-dos: {}{more}", shown.join(", "))))
    }
}
