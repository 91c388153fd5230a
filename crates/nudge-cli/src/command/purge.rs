//! `nudge purge`: remove what was captured, for good.

mod page;

use clap::Args;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Timestamp};
use nudge_memory::recall::EntryRef;
use nudge_memory::upkeep;
use nudge_memory::upkeep::purge::{self, Filter, Sort};
use serde::Serialize;
use serde_json::{Value, json};

use crate::agent_above::refuse_agents;
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::projects::named;

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(
    after_help = "All filters that are given must hold, and one must be given. Pins do not protect from it."
)]
pub(crate) struct PurgeArgs {
    /// What happened before that day (UTC), such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    /// What happened in that project: its id, name or directory
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// What happened in that session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// These observations and prompts: 42 or obs://42
    #[arg(long, value_name = "ID", value_delimiter = ',', num_args = 1..)]
    id: Vec<String>,
    /// Observations of that kind; user_prompt is the prompts
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// What is older than so many days
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// What holds this text, in whatever case; repeated, all of them
    #[arg(long, value_name = "TEXT")]
    search: Vec<String>,
    /// Yes, remove it; without this, what would go is only counted
    #[arg(long)]
    confirm: bool,
}

impl PurgeArgs {
    /// Counts what would go, or removes it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge purge")?;
        let filter = self.filter(now())?;
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let memory = upkeep::open(&home, &invocation.settings()?, now())?;
        if self.confirm {
            let purged = purge::purge(&memory, &home, &filter, now())?;
            let answer = object("purged", &purged, true)?;
            invocation.output.answer(&answer, |page| page::done(page, &purged, !filter.words.is_empty()));
            let whole = purged.backups.iter().all(|copy| copy.failed.is_none());
            return Ok(if whole { Exit::Ok } else { Exit::Failed });
        }
        let plan = purge::plan(&memory, &home, &filter, now())?;
        let answer = object("would_purge", &plan, false)?;
        invocation.output.answer(&answer, |page| page::planned(page, &plan, !filter.words.is_empty()));
        Ok(Exit::Ok)
    }

    fn filter(&self, now: Timestamp) -> Result<Filter, Failure> {
        let before =
            [self.before.as_deref().map(day).transpose()?, self.older_than.map(|days| ago(days, now))];
        let ids =
            self.id.iter().map(|id| EntryRef::Path(id.clone()).id()).collect::<Result<Vec<EntryId>, _>>()?;
        if self.search.iter().any(|text| text.trim().is_empty()) {
            return Err(Failure::Usage("--search needs a text to look for".to_owned()));
        }
        let filter = Filter {
            before: before.into_iter().flatten().min(),
            project: self.project.as_deref().map(named),
            session: self.session.clone(),
            ids: (!ids.is_empty()).then_some(ids),
            sort: self.kind.as_deref().map(kind).transpose()?,
            words: self.search.clone(),
        };
        if filter == Filter::default() {
            let why =
                "say what to purge: --before, --project, --session, --id, --kind, --older-than or --search";
            return Err(Failure::Usage(why.to_owned()));
        }
        Ok(filter)
    }
}

/// The beginning of a day that exists.
fn day(text: &str) -> Result<Timestamp, Fault> {
    let midnight = Timestamp::parse(&format!("{text}T00:00:00Z"));
    midnight.or_else(|| Timestamp::parse(text)).ok_or_else(|| {
        Fault::invalid("date", format!("`{text}` is no date"))
            .with("field", "before")
            .next("give a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z")
    })
}

/// So many days ago. What was written this very second counts as past: no days at all means everything.
fn ago(days: u32, now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.as_millis() - i64::from(days) * DAY_MS + 1_000)
}

fn kind(name: &str) -> Result<Sort, Fault> {
    purge::sort_named(name).ok_or_else(|| {
        let names: Vec<&str> = ObservationKind::ALL.into_iter().map(ObservationKind::name).collect();
        Fault::invalid("kind", format!("no kind is called `{name}`"))
            .with("field", "kind")
            .next(format!("the kinds are {}, user_prompt", names.join(", ")))
    })
}

fn object(name: &str, answer: &impl Serialize, confirmed: bool) -> Result<Value, Fault> {
    let answer = serde_json::to_value(answer).map_err(|error| {
        Fault::new(FaultKind::Internal, "unserialisable", format!("the outcome has no JSON form: {error}"))
    })?;
    Ok(json!({"confirmed": confirmed, name: answer}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_does_not_exist_is_refused() {
        assert_eq!(day("2026-02-28").ok(), Timestamp::parse("2026-02-28T00:00:00Z"));
        assert!(day("2026-02-30").is_err() && day("yesterday").is_err() && day("2026-13-01").is_err());
    }

    #[test]
    fn no_days_at_all_is_everything_so_far() {
        let now = Timestamp::from_millis(1_794_700_000_123);
        assert!(ago(0, now) > now);
        assert_eq!(ago(2, now).as_millis(), now.as_millis() - 2 * DAY_MS + 1_000);
    }
}
