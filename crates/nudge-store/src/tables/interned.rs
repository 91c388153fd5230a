//! Ids that a transaction has already looked up.

use std::collections::HashMap;

use nudge_core::{Provenance, Scope};

use crate::tables::agent_session::row::SessionRow;
use crate::tables::project::row::ProjectId;

/// Ids found or created in this transaction. Interned rows never change, so these cannot become
/// stale. Projects and sessions can, but only through this transaction, which then drops them.
#[derive(Default)]
pub(crate) struct Interned {
    pub(crate) projects: HashMap<String, ProjectId>,
    pub(crate) sessions: HashMap<String, SessionRow>,
    /// The id of the last entry; valid as long as only captured entries were written since it was
    /// read.
    pub(crate) last_entry: Option<i64>,
    pub(crate) scopes: HashMap<Scope, i64>,
    pub(crate) schemes: HashMap<String, i64>,
    pub(crate) provenances: HashMap<Provenance, i64>,
    pub(crate) words: HashMap<(&'static str, Vec<String>), i64>,
}

impl Interned {
    pub(crate) fn forget_provenances(&mut self) {
        self.provenances.clear();
    }
}
