//! A stored session of an agent.

use nudge_core::{EntryId, EntryPath, Scope, Timestamp};
use rusqlite::Row;

use crate::db::error::StoreError;
use crate::db::reader::FromRow;
use crate::tables::intern::SESSION_SCHEME;
use crate::tables::project::row::ProjectId;

/// The id of a session in this store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub i64);

/// A stored session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id in this store.
    pub id: SessionId,
    /// The agent program's session id.
    pub name: String,
    /// The agent program.
    pub harness: String,
    /// The agent program's version.
    pub harness_version: Option<String>,
    /// The project it began in.
    pub project: ProjectId,
    /// The session that started it.
    pub parent: Option<String>,
    /// Whether it runs without a user watching.
    pub headless: Option<bool>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; `None` if it has not, as far as is known.
    pub ended_at: Option<Timestamp>,
    /// The reason, in the agent program's words.
    pub end_reason: Option<String>,
    /// The time of the newest observation that its summary covers.
    pub summarised_at: Option<Timestamp>,
    /// The worktree it works in, if that is not the project's main one.
    pub worktree: Option<String>,
    /// When its agent first read text from outside; `None` if it has not.
    pub outside_at: Option<Timestamp>,
    /// The time of the last prompt at which its agent was asked for a rule.
    pub asked_at: Option<Timestamp>,
    /// Its state, and when it was last active.
    pub activity: Activity,
}

/// What the agent of a session is doing. The numbers are stored.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// It waits for the user.
    #[default]
    Idle = 0,
    /// It is working.
    Busy = 1,
    /// It was resumed, and the user has said nothing since.
    Resumed = 2,
}

impl SessionState {
    fn from_number(number: i64) -> Self {
        [Self::Idle, Self::Busy, Self::Resumed]
            .into_iter()
            .find(|state| *state as i64 == number)
            .unwrap_or_default()
    }
}

/// The state of a session, and when it was last active.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The session's entry; `None` for sessions from before entries, until they next change.
    pub entry: Option<EntryId>,
    /// What its agent is doing.
    pub state: SessionState,
    /// When something last happened that left no row.
    pub active_at: Option<Timestamp>,
    /// When its agent last ended a turn.
    pub idle_at: Option<Timestamp>,
    /// When the user last looked at it.
    pub observed_at: Option<Timestamp>,
    /// How many tools its agent has used since the last check-in.
    pub tool_count: i64,
}

impl Activity {
    /// Whether the user has not looked at it since its agent stopped.
    pub fn is_unobserved(&self) -> bool {
        self.idle_at.is_some_and(|idle| self.observed_at.is_none_or(|observed| observed < idle))
    }
}

impl SessionRow {
    /// The scope of its own entry, its context sets and its journal.
    pub fn scope(&self) -> Scope {
        Scope::Session(self.name.clone())
    }

    /// The path of its entry.
    pub fn path(&self) -> EntryPath {
        let by_name = EntryPath::from_parts(SESSION_SCHEME, &[&self.name], None);
        by_name.unwrap_or_else(|_| {
            EntryPath::from_parts(SESSION_SCHEME, &[&self.id.0.to_string()], None)
                .expect("a number makes a path of any scheme")
        })
    }
}

impl FromRow for SessionRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let time = |column| -> rusqlite::Result<Option<Timestamp>> {
            Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
        };
        Ok(Self {
            id: SessionId(row.get(0)?),
            name: row.get(1)?,
            harness: row.get(2)?,
            harness_version: row.get(3)?,
            project: ProjectId(row.get(4)?),
            parent: row.get(5)?,
            headless: row.get(6)?,
            started_at: Timestamp::from_millis(row.get(7)?),
            ended_at: time(8)?,
            end_reason: row.get(9)?,
            summarised_at: time(10)?,
            worktree: row.get(11)?,
            activity: Activity {
                entry: row.get::<_, Option<i64>>(12)?.map(EntryId),
                state: SessionState::from_number(row.get(13)?),
                active_at: time(14)?,
                idle_at: time(15)?,
                observed_at: time(16)?,
                tool_count: row.get(17)?,
            },
            outside_at: time(18)?,
            asked_at: time(19)?,
        })
    }
}
