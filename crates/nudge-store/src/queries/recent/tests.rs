//! Reads at the start of a session cost the same in a large store.

use nudge_core::Timestamp;

use super::*;
use crate::db::options::{HostIdentity, Location, OpenOptions};
use crate::db::store::Store;
use crate::tables::observation::OBSERVATION_FILES;

fn plan(sql: &str) -> Vec<String> {
    let store = Store::open(&OpenOptions {
        location: Location::Memory,
        read_only: false,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(1),
        busy: std::time::Duration::from_secs(1),
        backups: None,
    })
    .expect("opens");
    let steps = store.read(|reader| {
        let mut explained = reader.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let steps = explained.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>();
        Ok::<Vec<String>, StoreError>(steps?)
    });
    steps.expect("explained")
}

#[test]
fn they_walk_an_index_in_its_order() {
    const SESSION: &str = "SEARCH o USING INDEX observation_session (session_id=? AND at>?)";
    const FLOOR: &str = "SEARCH w USING COVERING INDEX observation_session (session_id=?)";
    let searches = [
        (RECENT_ACTIONS, vec![SESSION, FLOOR]),
        (DEEDS_AFTER, vec![SESSION, "SEARCH t USING PRIMARY KEY (entry_id=?)"]),
        (
            ACTED_ON,
            vec![
                "SEARCH p USING COVERING INDEX prompt_by_person (session_id=? AND at>?)",
                "INDEX observation_prompt (prompt_id=?)",
            ],
        ),
        (LATER_PROMPTS, vec!["SEARCH p USING COVERING INDEX prompt_by_person (session_id=? AND at>?)"]),
        (OBSERVATION_FILES, vec!["SEARCH t USING PRIMARY KEY (entry_id=?)"]),
    ];
    for (sql, first) in searches {
        let steps = plan(sql);
        let grows = |step: &String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
        assert!(!steps.iter().any(grows), "{steps:#?}");
        for search in first {
            assert!(steps.iter().any(|step| step.contains(search)), "{search}: {steps:#?}");
        }
    }
}
