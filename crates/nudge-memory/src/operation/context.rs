//! The context of an operation: one transaction, one caller, one set of settings.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_home::Settings;
use nudge_index::Index;
use nudge_store::{ProjectId, ProjectRow, Reader, SecretPolicy, SessionRow, Writer};

use crate::caller::Caller;
use crate::memory::{Memory, SearchIndex};
use crate::projects::{self, HiddenProjects};

/// The program name for sessions without an agent.
pub(crate) const OWN: &str = "nudge";

/// The program name for sessions of runs. What was asked and answered there comes from memory,
/// through a model that may be wrong: it can be searched, and is no source for agents and runs.
pub const RUNS: &str = "nudge-run";

/// The session of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSession {
    /// The session's id.
    pub(crate) name: String,
    /// Its stored row, if there is one and it is open to the caller.
    pub(crate) row: Option<SessionRow>,
}

impl CallSession {
    /// The stored row of an agent's session; `None` for a generated one.
    pub(crate) fn of_an_agent(&self) -> Option<&SessionRow> {
        self.row.as_ref().filter(|row| row.harness != OWN)
    }
}

/// What an operation may use.
///
/// All reads and writes of an operation happen in one transaction, so an answer never mixes two
/// states of the store, and a failed operation leaves nothing behind.
pub struct OpContext<'a> {
    reader: &'a Reader<'a>,
    writer: Option<&'a Writer<'a>>,
    found: &'a SearchIndex,
    /// The caller.
    pub caller: &'a Caller,
    /// The settings in force.
    pub settings: &'a Settings,
    hidden: RefCell<Option<Rc<HiddenProjects>>>,
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
            hidden: RefCell::default(),
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

    /// A step of a run, which is no operation: under the settings of the memory.
    pub fn of_step(writer: &'a Writer<'a>, memory: &'a Memory, caller: &'a Caller) -> Self {
        Self::writing(writer, memory.search(), caller, memory.settings())
    }

    /// The same transaction for another caller.
    pub(crate) fn as_caller<'b>(&'b self, caller: &'b Caller) -> OpContext<'b>
    where
        'a: 'b,
    {
        OpContext {
            reader: self.reader,
            writer: self.writer,
            found: self.found,
            caller,
            settings: self.settings,
            hidden: RefCell::default(),
            session: OnceCell::new(),
        }
    }

    /// The search index.
    pub const fn index(&self) -> &'a Index {
        self.found.index()
    }

    /// Records how many entries a search had to scan.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.found.saw_tail(scanned);
    }

    /// The store, for reading.
    pub const fn store(&self) -> &Reader<'a> {
        self.reader
    }

    pub(crate) const fn reader(&self) -> &'a Reader<'a> {
        self.reader
    }

    /// The store, for writing; fails in an operation that only reads.
    pub fn writer(&self) -> Result<&'a Writer<'a>, Fault> {
        self.writer.ok_or_else(|| {
            Fault::new(
                FaultKind::Internal,
                "read_only_operation",
                "an operation declared as a read tried to write",
            )
        })
    }

    /// Whether this call cannot write.
    pub(crate) const fn only_reads(&self) -> bool {
        self.writer.is_none()
    }

    /// The projects that are hidden from the caller.
    pub(crate) fn hidden(&self) -> Result<Rc<HiddenProjects>, Fault> {
        if let Some(hidden) = &*self.hidden.borrow() {
            return Ok(hidden.clone());
        }
        let hidden = Rc::new(HiddenProjects::for_caller(self.reader, self.caller)?);
        *self.hidden.borrow_mut() = Some(hidden.clone());
        Ok(hidden)
    }

    /// Caches the session of the call.
    pub(crate) const fn known_session(&self) -> &OnceCell<CallSession> {
        &self.session
    }

    /// The project that a name, an id or a directory refers to. A private one is open to a caller
    /// inside it, and to the user who names it; for anyone else it does not exist.
    pub fn project(&self, text: &str) -> Result<ProjectRow, Fault> {
        let hidden = self.hidden()?;
        let is_person = projects::is_person(self.caller);
        let row = projects::find_project(self.reader, text, |row| is_person || !hidden.hide(row.id))?;
        if hidden.hide(row.id) {
            self.open(row.id)?;
        }
        Ok(row)
    }

    fn open(&self, project: ProjectId) -> Result<(), Fault> {
        let opened = self.hidden()?.without(self.reader, project)?;
        *self.hidden.borrow_mut() = Some(Rc::new(opened));
        Ok(())
    }

    /// What happens to stated text that looks like a credential.
    pub const fn secret_policy(&self) -> SecretPolicy {
        if self.settings.secret_guard { SecretPolicy::Reject } else { SecretPolicy::Redact }
    }

    /// The time of the call.
    pub const fn now(&self) -> Timestamp {
        self.caller.now
    }
}
