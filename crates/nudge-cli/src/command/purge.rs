//! `nudge purge`: permanently removes captured entries.

use clap::Args;
use nudge_core::text::width;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Timestamp};
use nudge_memory::projects::label;
use nudge_memory::recall::EntryRef;
use nudge_memory::upkeep::purge::{self, Filter, NamedProject, Plan, Purged, RowKind};
use nudge_memory::upkeep::{self};
use serde::Serialize;
use serde_json::{Value, json};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::flags::project_named;
use crate::invocation::{Invocation, now, refuse_ephemeral};
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};
use crate::sanitize::sanitize;

/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

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
            invocation.output.answer(&answer, |page| done(page, &purged, !filter.words.is_empty()));
            let whole = purged.left.is_empty() && purged.backups.iter().all(|copy| copy.failed.is_none());
            return Ok(if whole { Exit::Ok } else { Exit::Failed });
        }
        let plan = purge::plan(&memory, &home, &filter, now())?;
        let answer = object("would_purge", &plan, false)?;
        invocation.output.answer(&answer, |page| planned(page, &plan, !filter.words.is_empty()));
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
            project: self.project.as_deref().map(project_named),
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

/// A note on imports: a purge does not prevent them.
const IMPORT_NOTE: &str = "a later `nudge import` of transcripts would restore purged sessions";

/// The entries that would be removed.
fn planned(page: &mut Page, plan: &Plan, searched: bool) {
    of_project(page, plan.project.as_ref());
    if plan.is_empty() {
        page.text("nothing in the memory matches").end();
        if plan.backups > 0 {
            let backups = number(plan.backups as u64, "backup");
            page.text(format!("{backups} would be searched only with --yes")).end();
        }
        return;
    }
    render_planned(page, plan);
    if plan.rewritten_summaries > 0 {
        page.text(format!("{} would be rewritten", summaries(plan.rewritten_summaries))).end();
    }
    stay(page, plan.hints, "would stay");
    if !plan.examples.is_empty() {
        page.strong("some of the matches:").end();
    }
    for example in &plan.examples {
        let head = format!("  {} {}  ", example.id, example.kind);
        let line = cut(&sanitize(&example.line), page.columns(), width(&head));
        page.faint(head).text(line).end();
    }
    if plan.backups > 0 {
        let backups = number(plan.backups as u64, "backup");
        page.text(format!("{backups} would be searched too")).end();
    }
    page.strong("hint:").text(" run the same command with --yes to delete it").end();
    if searched {
        page.faint(IMPORT_NOTE).end();
    }
}

fn render_planned(page: &mut Page, plan: &Plan) {
    let others: u64 = plan.entries.values().sum();
    let rows = plan.observed() + plan.prompts + plan.memories + plan.runs + plan.versions + others;
    if rows + plan.emptied_sessions > 0 {
        page.strong("this would be deleted for good:").end();
        if rows == 0 {
            page.text(format!("  {}", summaries(plan.emptied_sessions))).end();
        }
        if plan.observed() > 0 {
            let kinds: Vec<String> =
                plan.observations.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            page.text(format!("  {} ({})", number(plan.observed(), "observation"), kinds.join(", "))).end();
        }
        if plan.pinned > 0 {
            page.text("  ").warning(format!("{} of them pinned", plan.pinned)).end();
        }
        if plan.prompts > 0 {
            page.text(format!("  {}", number(plan.prompts, "prompt"))).end();
        }
        if plan.memories > 0 {
            page.text(format!("  {}", memories(plan.memories))).end();
        }
        if plan.runs > 0 {
            page.text(format!("  {} with all their entries", number(plan.runs, "run"))).end();
        }
        if others > 0 {
            let schemes: Vec<String> =
                plan.entries.iter().map(|(scheme, count)| format!("{count} {scheme}")).collect();
            page.text(format!("  {} ({})", number(others, "other entry"), sanitize(&schemes.join(", "))))
                .end();
        }
        if plan.versions > 0 {
            page.text(format!("  {}", number(plan.versions, "earlier version"))).end();
        }
        if plan.sessions > 0 {
            let emptied = match plan.emptied_sessions {
                0 => String::new(),
                all if all == plan.sessions => ", which would be empty and deleted too".to_owned(),
                1 => "; 1 would be empty and deleted too".to_owned(),
                many => format!("; {many} would be empty and deleted too"),
            };
            page.text(format!("  from {}{emptied}", number(plan.sessions, "session"))).end();
        }
        if let (Some(oldest), Some(newest)) = (&plan.oldest, &plan.newest) {
            page.text(format!(
                "  between {} and {}",
                time::exact_of_text(oldest),
                time::exact_of_text(newest)
            ))
            .end();
        }
    }
}

/// The removed entries.
fn done(page: &mut Page, purged: &Purged, searched: bool) {
    of_project(page, purged.project.as_ref());
    let parts = [
        (purged.observations, "observation"),
        (purged.prompts, "prompt"),
        (purged.sessions, "session"),
        (purged.projects, "project"),
        (purged.runs, "run"),
        (purged.entries, "other entry"),
        (purged.versions, "earlier version"),
        (purged.texts, "name"),
    ];
    let known = (purged.memories > 0).then(|| memories(purged.memories));
    let gone: Vec<String> = parts
        .into_iter()
        .filter(|(many, _)| *many > 0)
        .map(|(many, noun)| number(many, noun))
        .chain(known)
        .collect();
    let anew = summaries(purged.rewritten_summaries);
    let what = match (gone.is_empty(), purged.rewritten_summaries) {
        (true, 0) => "purged nothing: nothing in the memory matched".to_owned(),
        (true, _) => format!("rewrote {anew} from what is still captured"),
        (false, 0) => format!("purged {}", gone.join(", ")),
        (false, _) => format!("purged {}; rewrote {anew}", gone.join(", ")),
    };
    if purged.left.is_empty() {
        page.good("✔")
    } else {
        page.bad("not all is gone:")
    };
    page.text(format!(" {what}")).end();
    stay(page, purged.hints, "stayed");
    let changed = purged.backups.iter().filter(|copy| copy.changed).count();
    if changed > 0 {
        page.text(format!("  and from {}", number(changed as u64, "backup"))).end();
    }
    if !purged.rewritten {
        page.warning("not rewritten:")
            .text(" traces may remain in the file; free some space and purge again")
            .end();
    }
    if !purged.log_emptied {
        page.warning("not emptied:")
            .text(" another process is reading the log; `nudge maintain` empties it later")
            .end();
    }
    if !purged.index_cleared {
        page.warning("not cleared:")
            .text(" the search index could not be written and still has the words; purge again")
            .end();
    }
    if !purged.spool_emptied {
        page.warning("not searched:").text(" some events are still in the spool; purge again").end();
    }
    for copy in &purged.backups {
        if let Some(why) = &copy.failed {
            page.bad("not purged:").text(format!(" {}: {why}", copy.file.display())).end();
        }
    }
    for left in &purged.left {
        let rows = left.rows.map(|rows| format!(" ({})", number(rows, "row"))).unwrap_or_default();
        page.bad("still there:").text(format!(" {}{rows}", sanitize(&left.place))).end();
    }
    if purged.left.iter().any(|left| left.place == "project.root") {
        page.strong("hint:")
            .text(" a project's directory has the text; `nudge purge --project` removes it")
            .end();
    }
    page.faint("  other backups and the agents' own transcripts are not purged").end();
    if searched {
        page.faint(format!("  {IMPORT_NOTE}")).end();
    }
}

/// Names the project, so that nobody mistakes it for another one.
fn of_project(page: &mut Page, project: Option<&NamedProject>) {
    if let Some(project) = project {
        page.text("project ").strong(sanitize(&label(project.id, &project.name, &project.root))).end();
    }
}

fn stay(page: &mut Page, hints: u64, verb: &str) {
    if hints > 0 {
        let hints = number(hints, "hint");
        page.text(format!("{hints} set there {verb}; `nudge delete` removes one")).end();
    }
}

fn summaries(many: u64) -> String {
    if many == 1 { "1 summary of a session".to_owned() } else { format!("{many} summaries of sessions") }
}

fn memories(many: u64) -> String {
    if many == 1 { "1 imported memory".to_owned() } else { format!("{many} imported memories") }
}

fn number(many: u64, noun: &str) -> String {
    count(i64::try_from(many).unwrap_or(i64::MAX), noun)
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
