//! The store, opened by this process itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::Fault;
use nudge_memory::home::Home;
use nudge_memory::{Memory, Settings, Terms};
use nudge_store::{Fate, FileId, Location, OpenOptions, Store};

use crate::local::Local;

/// How long a write waits for another process's. Far longer than any write of ours takes.
const BUSY: Duration = Duration::from_secs(10);

/// How long an opener works at what hooks have spooled before it does what it came for.
const SPOOL_SHARE: Duration = Duration::from_secs(1);

/// What a memory is opened for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Only to be looked at: nothing is made where there is nothing.
    Read,
    /// To be written too.
    Write,
    /// To be written, and gone with the process.
    Ephemeral,
}

/// Opens the memory of a home, or an empty one that lives as long as the process.
pub(crate) fn open(home: &Home, settings: &Settings, what_for: Use) -> Result<Memory, Fault> {
    let location = if what_for == Use::Ephemeral { Location::Memory } else { Location::File(home.db()) };
    let store = Store::open(&OpenOptions {
        location,
        read_only: what_for == Use::Read,
        host: nudge_memory::host::identity(),
        now: crate::clock::now(),
        busy: BUSY,
        backups: Some(home.backups_dir()),
    })?;
    let memory = Memory::open(store, settings.clone());
    if what_for == Use::Write {
        crate::spooled::take_in(home, &memory, Instant::now() + SPOOL_SHARE);
    }
    Ok(memory)
}

/// A PROXY's own way to the store, for when no PRIMARY answers. Opened when first needed, and
/// handed on when this process becomes PRIMARY itself.
pub(crate) struct Direct {
    home: Home,
    settings: Settings,
    opened: Mutex<Option<Opened>>,
}

/// An open store, and which file it is.
struct Opened {
    local: Arc<Local>,
    mark: Option<FileId>,
}

impl Direct {
    pub(crate) fn new(home: Home, settings: Settings) -> Self {
        Self { home, settings, opened: Mutex::new(None) }
    }

    /// The terms of this process's own settings.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of(&self.settings)
    }

    /// The store as it can be read where it cannot be opened for writing. Not kept: the next call
    /// may find more room.
    pub(crate) fn for_reading(&self) -> Result<Arc<Local>, Fault> {
        Ok(Arc::new(Local::new(open(&self.home, &self.settings, Use::Read)?)))
    }

    /// The store, opened now if it was not, or if the file that was opened is no longer the memory's.
    pub(crate) fn local(&self) -> Result<Arc<Local>, Fault> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Opened { local, mark }) = &*opened
            && mark.is_none_or(|mark| mark.fate(&self.home.db()) == Fate::There)
        {
            return Ok(local.clone());
        }
        let local = Arc::new(Local::new(open(&self.home, &self.settings, Use::Write)?));
        *opened = Some(Opened { local: local.clone(), mark: FileId::at(&self.home.db()).ok() });
        Ok(local)
    }
}
