//! The names of places and sessions that rows refer to by number.

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::{SessionId, SessionRow};

const SESSIONS_CALLED: &str =
    "SELECT id FROM agent_session WHERE name >= ?1 AND name < ?1 || char(1114111) ORDER BY name LIMIT ?2";

impl Reader<'_> {
    /// Sessions with an id that begins with `begin`, sorted by that id.
    pub fn agent_sessions_called(&self, begin: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let ids: Vec<i64> = self
            .sql(SESSIONS_CALLED)?
            .query_map((begin, limit), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let rows = ids.into_iter().filter_map(|id| self.agent_session(SessionId(id)).transpose());
        rows.collect()
    }
}
