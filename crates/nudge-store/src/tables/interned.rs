//! What a transaction has found already, so that it asks for it once.

use std::collections::HashMap;

use nudge_core::{Provenance, Scope};

use crate::tables::agent_session::row::SessionRow;
use crate::tables::project::row::ProjectId;

/// Ids found or made in this transaction. Interned rows never change, so these cannot go stale;
/// projects and sessions do, by the hands of this very transaction, which then forgets them.
#[derive(Default)]
pub(crate) struct Interned {
    pub(crate) projects: HashMap<String, ProjectId>,
    pub(crate) sessions: HashMap<String, SessionRow>,
    /// The id of the last entry, while nothing but captured ones was written since it was read.
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
