//! `nudge purge`: permanently removes captured entries.

mod page;

use clap::Args;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Timestamp};
use nudge_memory::recall::EntryRef;
use nudge_memory::upkeep;
use nudge_memory::upkeep::purge::{self, Filter, RowKind};
use serde::Serialize;
use serde_json::{Value, json};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::durations;
use crate::ephemeral::refuse_ephemeral;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::projects::named;

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Pass at least one filter; an entry is deleted if it matches all of them. Without
--yes, purge only counts what it would delete. Pinned entries are deleted too.

Examples:
  nudge purge --until 90d
  nudge purge --project old-app --yes
  nudge purge --search 'internal.example.com' --yes")]
pub(crate) struct PurgeArgs {
    /// Only before this time: 90d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN", alias = "before", value_parser = durations::when)]
    until: Option<i64>,
    /// Only this project: name, id or directory
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only these observations and prompts, such as 42 or obs://42
    #[arg(long, value_name = "ID", value_delimiter = ',', num_args = 1..)]
    id: Vec<String>,
    /// Only this type, such as command_error or user_prompt
    #[arg(long = "type", value_name = "TYPE", alias = "kind")]
    kind: Option<String>,
    /// Only what is older than this many days; the same as --until, in days
    #[arg(long, value_name = "DAYS", hide = true)]
    older_than: Option<u32>,
    /// Only entries with this text, in upper or lower case; may be repeated
    #[arg(long, value_name = "TEXT")]
    search: Vec<String>,
    /// Go ahead without asking
    #[arg(short = 'y', long = "yes", alias = "confirm")]
    yes: bool,
}

impl PurgeArgs {
    /// Counts the matching entries, or removes them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Purge)?;
        let filter = self.filter(now())?;
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let memory = upkeep::open(&home, &invocation.settings()?, now())?;
        if self.yes {
            let purged = purge::purge(&memory, &home, &filter, now())?;
            let answer = object("purged", &purged, true)?;
            invocation.output.answer(&answer, |page| page::done(page, &purged, !filter.words.is_empty()));
            let whole = purged.left.is_empty() && purged.backups.iter().all(|copy| copy.failed.is_none());
            return Ok(if whole { Exit::Ok } else { Exit::Failed });
        }
        let plan = purge::plan(&memory, &home, &filter, now())?;
        let answer = object("would_purge", &plan, false)?;
        invocation.output.answer(&answer, |page| page::planned(page, &plan, !filter.words.is_empty()));
        Ok(Exit::Ok)
    }

    fn filter(&self, now: Timestamp) -> Result<Filter, Failure> {
        let until = self.until.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1_000)));
        let before = [until, self.older_than.map(|days| ago(days, now))];
        let ids =
            self.id.iter().map(|id| EntryRef::Path(id.clone()).id()).collect::<Result<Vec<EntryId>, _>>()?;
        if self.search.iter().any(|text| text.trim().is_empty()) {
            return Err(Failure::Usage("--search needs a text".to_owned()));
        }
        let filter = Filter {
            before: before.into_iter().flatten().min(),
            project: self.project.as_deref().map(named),
            session: self.session.clone(),
            ids: (!ids.is_empty()).then_some(ids),
            kind: self.kind.as_deref().map(kind).transpose()?,
            words: self.search.clone(),
        };
        if filter == Filter::default() {
            let why = "name what to purge with --until, --project, --session, --id, --type or --search";
            return Err(Failure::Usage(why.to_owned()));
        }
        Ok(filter)
    }
}

/// The time so many days ago. Zero days means everything, so entries from this very second count as
/// past.
fn ago(days: u32, now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.as_millis() - i64::from(days) * DAY_MS + 1_000)
}

fn kind(name: &str) -> Result<RowKind, Fault> {
    purge::kind_named(name).ok_or_else(|| {
        let names: Vec<&str> = ObservationKind::ALL.into_iter().map(ObservationKind::name).collect();
        Fault::invalid("kind", format!("unknown kind `{name}`"))
            .with("field", "kind")
            .next(format!("use one of {}, user_prompt", names.join(", ")))
    })
}

fn object(name: &str, answer: &impl Serialize, confirmed: bool) -> Result<Value, Fault> {
    let answer = serde_json::to_value(answer).map_err(|error| {
        Fault::new(
            FaultKind::Internal,
            "unserialisable",
            format!("cannot write the outcome as JSON: {error}"),
        )
    })?;
    Ok(json!({"confirmed": confirmed, name: answer}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_days_at_all_is_everything_so_far() {
        let now = Timestamp::from_millis(1_794_700_000_123);
        assert!(ago(0, now) > now);
        assert_eq!(ago(2, now).as_millis(), now.as_millis() - 2 * DAY_MS + 1_000);
    }
}
