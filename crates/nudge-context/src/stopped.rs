//! A session that is over, and where it left the work.

use nudge_core::text::{age, gist};
use nudge_core::{EntryId, Timestamp};

use crate::assemble::{CONTINUED, Line};
use crate::clean::quoted;
use crate::fragment::{Command, RelativePlace};
use crate::naming::{named, path_named};

/// How much of the last request and of its conclusion is shown of the session that is shown in
/// full, in characters, and how much of its first request and that one's conclusion.
const MAX_ASKED_CHARS: usize = 160;
const MAX_CONCLUDED_CHARS: usize = 240;
const MAX_ASKED_FIRST_CHARS: usize = 160;
const MAX_CONCLUDED_FIRST_CHARS: usize = 120;

/// How much of another session is shown, in characters: one line.
const MAX_ASKED_BEFORE_CHARS: usize = 80;
const MAX_CONCLUDED_BEFORE_CHARS: usize = 140;

/// How much of a commit message, a to-do and a path is shown, and how many to-dos.
const MAX_MESSAGE_CHARS: usize = 80;
const MAX_TODO_CHARS: usize = 60;
const MAX_TODOS: usize = 4;
const MAX_PATH_CHARS: usize = 60;

/// Said of a request that no conclusion is known for: it may be unfinished.
const NO_RESULT: &str = "no result recorded";

/// Where one session left the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// When something last happened in it.
    pub at: Timestamp,
    /// Where it worked.
    pub place: RelativePlace,
    /// Whether it stopped in the middle of a turn.
    pub broke_off: bool,
    /// Its last request, with the conclusion.
    pub last: Option<Turn>,
    /// Its first request, with that one's conclusion; `None` if that is the last.
    pub first: Option<Turn>,
    /// The branch it was on.
    pub branch: Option<String>,
    /// Its last commit, by its message.
    pub commit: Option<Quote>,
    /// The files that it changed after that, the last first, with the newest change.
    pub changed: Option<Changed>,
    /// The command that still failed.
    pub failing: Option<Command>,
    /// What was still to be done, according to the agent's notes.
    pub todos: Option<(EntryId, Vec<String>)>,
}

/// A request, and what its agent concluded about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// What the user asked for; `None` for a conclusion without a known request.
    pub asked: Option<Quote>,
    /// What the agent said at the end.
    pub concluded: Option<Quote>,
    /// How the files that the agent mentioned have changed; `None` if they have not.
    pub drift: Option<String>,
}

/// Words, and their entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The entry.
    pub entry: EntryId,
    /// The words.
    pub text: String,
    /// Who said a request; `None` if it was the user.
    pub by: Option<&'static str>,
}

impl Turn {
    /// The entries of its request and of its conclusion, if it has both.
    pub(crate) fn both(&self) -> Option<(EntryId, EntryId)> {
        Some((self.asked.as_ref()?.entry, self.concluded.as_ref()?.entry))
    }

    /// The request and its conclusion, for an agent that has lost them.
    pub(crate) fn repeated(
        &self,
        at: Timestamp,
        (most, concluded): (usize, usize),
        now: Timestamp,
    ) -> Option<Line> {
        let asked = self.asked.as_ref()?;
        let by = asked.by.unwrap_or("the person");
        let words = quoted(&asked.text, most);
        let result = self.conclusion(concluded).map_or_else(String::new, |result| format!("\n  {result}"));
        Some((Some(asked.entry), format!("- [{}] {by} asked: \"{words}\"{result}\n", age(at, now))))
    }

    fn entries(&self) -> impl Iterator<Item = EntryId> {
        [&self.asked, &self.concluded].into_iter().flatten().map(|quote| quote.entry)
    }

    /// `asked: "…" #12`
    fn request(&self, most: usize) -> Option<String> {
        let asked = self.asked.as_ref()?;
        let by = asked.by.map_or_else(String::new, |by| format!(" by {by}"));
        Some(format!("asked{by}: \"{}\" #{}", quoted(&asked.text, most), asked.entry.0))
    }

    /// `the agent concluded: "…" #14`; `None` if its words say nothing.
    fn conclusion(&self, most: usize) -> Option<String> {
        let concluded = self.concluded.as_ref()?;
        let words = Some(gist(&concluded.text, most)).filter(|words| !words.is_empty())?;
        let words = quoted(&words, most);
        let drift = self.drift.as_deref().map_or_else(String::new, |drift| {
            format!(" ({})", quoted(drift, MAX_PATH_CHARS + 20).replace(['(', ')'], ""))
        });
        Some(format!("the agent concluded: \"{words}\"{drift} #{}", concluded.entry.0))
    }

    /// The request and its result, with something between them. Without a conclusion, a commit is
    /// the result.
    fn line(
        &self,
        (asked, concluded): (usize, usize),
        between: &str,
        commit: Option<&Quote>,
    ) -> Option<Line> {
        let entry = self.entries().next();
        let committed = |commit: &Quote| format!("committed \"{}\"", quoted(&commit.text, concluded));
        let conclusion = self.conclusion(concluded).or_else(|| commit.map(committed));
        match (self.request(asked), conclusion) {
            (None, None) => None,
            (None, Some(conclusion)) => Some((entry, conclusion)),
            (Some(request), conclusion) => {
                let result = conclusion.unwrap_or_else(|| NO_RESULT.to_owned());
                Some((entry, format!("{request}{between}{result}")))
            }
        }
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
    /// Whether git says so now. Otherwise it is how the session left them.
    pub is_checked: bool,
}

impl Stopped {
    /// Whether it says more than that there was a session.
    pub fn says_something(&self) -> bool {
        self.last
            .as_ref()
            .is_some_and(|turn| turn.line((MAX_ASKED_CHARS, MAX_CONCLUDED_CHARS), "", None).is_some())
            || self.changed.is_some()
            || self.failing.is_some()
    }

    /// Whether it left more than a request and a conclusion.
    pub const fn left_something(&self) -> bool {
        self.commit.is_some() || self.changed.is_some() || self.failing.is_some() || self.todos.is_some()
    }

    /// The entries that its lines are about.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        let turns = self.turns().flat_map(Turn::entries);
        let commit = self.commit.iter().map(|commit| commit.entry);
        let changed = self.changed.iter().map(|changed| changed.entry);
        let todos = self.todos.iter().map(|(entry, _)| *entry);
        let failing = self.failing.iter().map(|command| command.entry);
        turns.chain(commit).chain(changed).chain(failing).chain(todos)
    }

    /// Its last and its first turn.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        [&self.last, &self.first].into_iter().flatten()
    }

    /// Its lines, the last request first: all of them if `is_whole`, else a single line. Lines
    /// after the first are indented, so that they stay below it.
    pub(crate) fn lines(&self, is_whole: bool, now: Timestamp) -> Vec<Line> {
        let parts = if is_whole { self.whole() } else { self.short().into_iter().collect() };
        let broke_off = if self.broke_off { ", broke off" } else { "" };
        let begins = format!("- [{}{broke_off}]{} ", age(self.at, now), self.place.label());
        let begins = std::iter::once(begins.as_str()).chain(std::iter::repeat(CONTINUED));
        parts
            .into_iter()
            .zip(begins)
            .map(|((entry, part), begin)| (entry, format!("{begin}{part}\n")))
            .collect()
    }

    fn whole(&self) -> Vec<Line> {
        let last = self
            .last
            .as_ref()
            .and_then(|turn| turn.line((MAX_ASKED_CHARS, MAX_CONCLUDED_CHARS), "\n  ", None));
        let first = self.first.as_ref().and_then(|turn| {
            let (entry, line) = turn.line((MAX_ASKED_FIRST_CHARS, MAX_CONCLUDED_FIRST_CHARS), "; ", None)?;
            Some((entry, format!("before that, {line}")))
        });
        let failing = self.failing.iter().map(|command| (Some(command.entry), command.still_failing()));
        let parts = last.into_iter().chain(self.left()).chain(failing).chain(self.to_do());
        parts.chain(first).collect()
    }

    /// `asked: "…" #12; the agent concluded: "…" #14`
    fn short(&self) -> Option<Line> {
        let last = self.last.as_ref().and_then(|turn| {
            turn.line((MAX_ASKED_BEFORE_CHARS, MAX_CONCLUDED_BEFORE_CHARS), "; ", self.commit.as_ref())
        });
        last.or_else(|| self.left())
    }

    /// The branch, the last commit, and what was changed after it.
    fn left(&self) -> Option<Line> {
        let branch = self.branch.as_deref().map(|branch| format!("on {}", named(branch)));
        let commit = self
            .commit
            .as_ref()
            .map(|commit| format!("committed \"{}\"", quoted(&commit.text, MAX_MESSAGE_CHARS)));
        let changed = self.changed.as_ref().map(|changed| {
            let files: Vec<String> =
                changed.files.iter().map(|file| path_named(file, MAX_PATH_CHARS).replace('"', "'")).collect();
            let more = if changed.more > 0 { format!(" and {} more", changed.more) } else { String::new() };
            let since = if changed.is_checked { "" } else { " when it ended" };
            format!("changed and not committed{since}: {}{more}", files.join(", "))
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
        (!todos.is_empty()).then(|| (Some(*entry), open_todos(todos, MAX_TODOS, MAX_TODO_CHARS)))
    }
}

/// `open to-dos: "expand tabs", "measure" and 2 more`, with so many of them and so much of each.
pub(crate) fn open_todos(todos: &[String], most: usize, chars: usize) -> String {
    let shown: Vec<String> =
        todos.iter().take(most).map(|todo| format!("\"{}\"", quoted(todo, chars))).collect();
    let more = todos.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("open to-dos: {}{more}", shown.join(", "))
}
