//! The store, opened by this process itself.

use std::sync::{Arc, Mutex, PoisonError};

use nudge_client::lock;
use nudge_client::open::{OpenFor, open};
use nudge_core::Fault;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::Terms;
use nudge_store::{FileId, FileState};

use super::local::Local;

/// A PROXY's own access to the store, for when no PRIMARY answers. Opened when first needed, and
/// passed on when this process becomes PRIMARY.
pub(crate) struct Direct {
    home: Home,
    settings: Settings,
    opened: Mutex<Option<Opened>>,
}

/// An open store, and the id of its file.
struct Opened {
    local: Arc<Local>,
    file_id: Option<FileId>,
}

impl Direct {
    pub(crate) fn new(home: Home, settings: Settings) -> Self {
        Self { home, settings, opened: Mutex::new(None) }
    }

    /// The terms of this process's own settings.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of(&self.settings)
    }

    /// The store opened for reading, when it cannot be opened for writing. Not cached: the next
    /// call may find more disk space.
    pub(crate) fn for_reading(&self) -> Result<Arc<Local>, Fault> {
        Ok(Arc::new(Local::new(open(&self.home, &self.settings, OpenFor::Read)?)))
    }

    /// Closes the store once nobody uses it. It is opened again when needed.
    pub(crate) fn close(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether some process is PRIMARY, or about to be.
    pub(crate) fn has_primary(&self) -> bool {
        lock::is_held(&self.home.lock_file())
    }

    /// The store; opened now if it was not open, or if the open file is no longer the memory's.
    pub(crate) fn local(&self) -> Result<Arc<Local>, Fault> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Opened { local, file_id }) = &*opened
            && file_id.is_none_or(|file_id| file_id.state_at(&self.home.db()) == FileState::There)
        {
            return Ok(local.clone());
        }
        let local = Arc::new(Local::new(open(&self.home, &self.settings, OpenFor::Write)?));
        *opened = Some(Opened { local: local.clone(), file_id: FileId::at(&self.home.db()).ok() });
        Ok(local)
    }
}
