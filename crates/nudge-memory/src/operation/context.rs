//! What an operation works with: one transaction, one caller, one set of settings.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_index::Index;
use nudge_store::{ProjectId, ProjectRow, Reader, SecretPolicy, SessionRow, Writer};

use crate::caller::Caller;
use crate::projects::{self, Walls};
use crate::search_index::SearchIndex;
use nudge_home::Settings;

/// The program's name where there is no session of an agent.
pub(crate) const OWN: &str = "nudge";

/// Whose call it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSession {
    /// The session's id.
    pub(crate) name: String,
    /// What is stored of it, if anything is and it is open to the caller.
    pub(crate) row: Option<SessionRow>,
}

impl CallSession {
    /// What is stored of it, where it is a session of an agent and no generated one.
    pub(crate) fn of_an_agent(&self) -> Option<&SessionRow> {
        self.row.as_ref().filter(|row| row.harness != OWN)
    }
}

/// What an operation may touch.
///
/// Reads and writes of one operation happen on one transaction, so an answer never mixes two
/// states of the store, and a failed operation leaves nothing behind.
pub struct OpContext<'a> {
    reader: &'a Reader<'a>,
    writer: Option<&'a Writer<'a>>,
    found: &'a SearchIndex,
    /// Who asks.
    pub caller: &'a Caller,
    /// The settings in force.
    pub settings: &'a Settings,
    walls: RefCell<Option<Rc<Walls>>>,
    session: OnceCell<CallSession>,
}

impl<'a> OpContext<'a> {
    pub(crate) fn reading(
        reader: &'a Reader<'a>,
        found: &'a SearchIndex,
        caller: &'a Caller,
        settings: &'a Settings,
    ) -> Self {
        Self {
            reader,
            writer: None,
            found,
            caller,
            settings,
            walls: RefCell::default(),
            session: OnceCell::new(),
        }
    }

    pub(crate) fn writing(
        writer: &'a Writer<'a>,
        found: &'a SearchIndex,
        caller: &'a Caller,
        settings: &'a Settings,
    ) -> Self {
        Self { writer: Some(writer), ..Self::reading(writer, found, caller, settings) }
    }

    /// The search index.
    pub const fn index(&self) -> &'a Index {
        self.found.index()
    }

    /// Notes how much a search had to scan.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.found.saw_tail(scanned);
    }

    /// The store, to look at.
    pub const fn store(&self) -> &Reader<'a> {
        self.reader
    }

    pub(crate) const fn reader(&self) -> &'a Reader<'a> {
        self.reader
    }

    /// The store, to change.
    pub fn writer(&self) -> Result<&'a Writer<'a>, Fault> {
        self.writer.ok_or_else(|| {
            Fault::new(
                FaultKind::Internal,
                "read_only_operation",
                "an operation declared as a read tried to write",
            )
        })
    }

    /// What is closed to the caller.
    pub(crate) fn walls(&self) -> Result<Rc<Walls>, Fault> {
        if let Some(walls) = &*self.walls.borrow() {
            return Ok(walls.clone());
        }
        let walls = Rc::new(Walls::around(self.reader, self.caller)?);
        *self.walls.borrow_mut() = Some(walls.clone());
        Ok(walls)
    }

    /// Where the session of the call is noted once it is known.
    pub(crate) const fn known_session(&self) -> &OnceCell<CallSession> {
        &self.session
    }

    /// The project that is meant by a name, an id or a directory. A private one is open to whoever stands in it, and to the person who
    /// names it; for others there is no such project.
    pub(crate) fn project(&self, text: &str) -> Result<ProjectRow, Fault> {
        let walls = self.walls()?;
        let is_person = projects::is_person(self.caller);
        let row = projects::meant(self.reader, text, |row| is_person || !walls.hide(row.id))?;
        if walls.hide(row.id) {
            self.open(row.id)?;
        }
        Ok(row)
    }

    fn open(&self, project: ProjectId) -> Result<(), Fault> {
        let opened = self.walls()?.without(self.reader, project)?;
        *self.walls.borrow_mut() = Some(Rc::new(opened));
        Ok(())
    }

    /// What happens to stated text that looks like a credential.
    pub(crate) const fn secret_policy(&self) -> SecretPolicy {
        if self.settings.secret_guard { SecretPolicy::Reject } else { SecretPolicy::Redact }
    }

    /// When the caller asked.
    pub const fn now(&self) -> Timestamp {
        self.caller.now
    }
}
