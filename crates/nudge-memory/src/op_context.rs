//! Where an operation works: one transaction, one caller, one set of settings.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nudge_core::{Fault, FaultKind, Provenance, Timestamp};
use nudge_index::Index;
use nudge_store::{ProjectId, ProjectRow, Reader, Writer};

use crate::caller::{Caller, Surface};
use crate::projects::{self, Walls};
use crate::sessions::call_session::{self, CallSession};
use nudge_home::Settings;

/// The search index, and how much of the store searches had to scan beside it.
pub(crate) struct SearchIndex {
    pub(crate) index: Index,
    pub(crate) tail: AtomicUsize,
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
        &self.found.index
    }

    /// Notes how much a search had to scan.
    pub(crate) fn saw_tail(&self, scanned: usize) {
        self.found.tail.store(scanned, Ordering::Relaxed);
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

    /// The session that the call belongs to.
    pub(crate) fn session(&self) -> Result<&CallSession, Fault> {
        if let Some(known) = self.session.get() {
            return Ok(known);
        }
        let found = call_session::of_call(self)?;
        Ok(self.session.get_or_init(|| found))
    }

    /// The provenance of what the call writes. What the person types in a terminal is of no agent's session.
    pub(crate) fn provenance(&self) -> Result<Provenance, Fault> {
        let session = match self.caller.surface {
            Surface::Mcp | Surface::Rpc => Some(self.session()?.name.clone()),
            Surface::Cli | Surface::AgentCli => self.caller.session.clone(),
        };
        Ok(self.caller.provenance(session))
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

    /// When the caller asked.
    pub const fn now(&self) -> Timestamp {
        self.caller.now
    }
}
