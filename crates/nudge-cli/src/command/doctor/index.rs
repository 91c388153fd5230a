//! The state of the search index.

use nudge_home::Home;
use nudge_memory::recall::{IndexState, LONG_TAIL};
use nudge_memory::upkeep;

use crate::command::doctor::finding::{Finding, Fix};
use crate::invocation::now;

const NAME: &str = "index";

/// Whether searches are fast. Results are correct in any case.
pub(super) fn check_index(home: &Home) -> Finding {
    let memory = match upkeep::open_for_reading(home, now()) {
        Ok(Some(memory)) => memory,
        // The `store` check reports problems with the store.
        Ok(None) | Err(_) => return Finding::ok(NAME, "none yet"),
    };
    let lag = memory.index_lag().unwrap_or(0);
    let is_long = usize::try_from(lag).is_ok_and(|lag| lag > LONG_TAIL);
    let standing = memory.index().status();
    let facts = match standing.state {
        IndexState::Ready => format!("{} entries, {lag} changes behind", standing.documents),
        IndexState::Building => format!("being built: {} entries so far", standing.documents),
        IndexState::Missing => "none yet: searches scan the memory".to_owned(),
        other => format!("{}: searches scan the memory", word(other)),
    };
    let is_slow =
        is_long || !matches!(standing.state, IndexState::Ready | IndexState::Missing | IndexState::Building);
    if is_slow {
        return Finding::warn(NAME, facts, "searches are right but slow; `nudge maintain` brings it up")
            .fixed_by(Fix::Maintain);
    }
    Finding::ok(NAME, facts)
}

const fn word(state: IndexState) -> &'static str {
    match state {
        IndexState::OtherStore => "of another memory",
        IndexState::OtherVersion => "of another version",
        _ => "damaged",
    }
}
