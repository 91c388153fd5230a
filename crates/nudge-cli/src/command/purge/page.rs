//! What would go, and what went, as a person reads it.

use nudge_core::text::width;
use nudge_memory::projects::label;
use nudge_memory::upkeep::purge::{Named, Plan, Purged};

use crate::fit::cut;
use crate::pages::Page;
use crate::pages::words::{count, without_millis};
use crate::sanitize::sanitize;

/// Where hints are looked for: a search here does not find them.
const HINTS: &str = "hints are not searched: `nudge query` finds them, `nudge delete` removes them";

/// What a purge does not prevent.
const RETURNS: &str =
    "a later `nudge import` of the agents' own transcripts would bring purged sessions back";

/// What would go.
pub(super) fn planned(page: &mut Page, plan: &Plan, searched: bool) {
    of_project(page, plan.project.as_ref());
    if plan.is_empty() {
        page.text("nothing in the memory matches").end();
        if plan.backups > 0 {
            let backups = number(plan.backups as u64, "backup");
            page.text(format!("{backups} beside the memory would be searched only with --confirm")).end();
        }
        if searched {
            page.faint(HINTS).end();
        }
        return;
    }
    going(page, plan);
    if plan.rewritten_summaries > 0 {
        page.text(format!("{} would be rewritten", summaries(plan.rewritten_summaries))).end();
    }
    stay(page, plan.hints, "would stay");
    if !plan.examples.is_empty() {
        page.strong("among what matches:").end();
    }
    for example in &plan.examples {
        let head = format!("  {} {}  ", example.id, example.kind);
        let line = cut(&sanitize(&example.line), page.columns(), width(&head));
        page.faint(head).text(line).end();
    }
    if plan.backups > 0 {
        let backups = number(plan.backups as u64, "backup");
        page.text(format!("{backups} beside the memory would be searched too")).end();
    }
    page.strong("hint:").text(" the same command with --confirm does it").end();
    if searched {
        page.faint(format!("{HINTS}; {RETURNS}")).end();
    }
}

fn going(page: &mut Page, plan: &Plan) {
    let rows = plan.observed() + plan.prompts + plan.memories;
    if rows + plan.emptied_sessions > 0 {
        page.strong("this would go, for good:").end();
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
        if plan.sessions > 0 {
            let emptied = match plan.emptied_sessions {
                0 => String::new(),
                all if all == plan.sessions => ", of which nothing would be left".to_owned(),
                1 => ", one of which would be empty and go too".to_owned(),
                many => format!(", {many} of which would be empty and go too"),
            };
            page.text(format!("  from {}{emptied}", number(plan.sessions, "session"))).end();
        }
        if let (Some(oldest), Some(newest)) = (&plan.oldest, &plan.newest) {
            page.text(format!("  between {} and {}", without_millis(oldest), without_millis(newest))).end();
        }
    }
}

/// What went.
pub(super) fn done(page: &mut Page, purged: &Purged, searched: bool) {
    of_project(page, purged.project.as_ref());
    let parts = [
        (purged.observations, "observation"),
        (purged.prompts, "prompt"),
        (purged.sessions, "session"),
        (purged.projects, "project"),
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
    page.good("✔").text(format!(" {what}")).end();
    stay(page, purged.hints, "stayed");
    let changed = purged.backups.iter().filter(|copy| copy.changed).count();
    if changed > 0 {
        page.text(format!("  and from {}", number(changed as u64, "backup"))).end();
    }
    if !purged.rewritten {
        page.warning("not written anew:")
            .text(" traces may remain in the file; make room and purge again")
            .end();
    }
    if !purged.log_emptied {
        page.warning("not emptied:")
            .text(" somebody reads from the log; `nudge maintain` empties it later")
            .end();
    }
    if !purged.index_cleared {
        page.warning("not cleared:")
            .text(" the search index could not be written and still holds its words; purge again")
            .end();
    }
    if !purged.spool_emptied {
        page.warning("not taken in:")
            .text(" something waits in the spool and was not searched; purge again")
            .end();
    }
    for copy in &purged.backups {
        if let Some(why) = &copy.failed {
            page.bad("not purged:").text(format!(" {}: {why}", copy.file.display())).end();
        }
    }
    page.faint("  backups elsewhere and the agents' own transcripts are not reached").end();
    if searched {
        page.faint(format!("  {HINTS}; {RETURNS}")).end();
    }
}

/// Which project it is about, so that nobody takes it for another.
fn of_project(page: &mut Page, project: Option<&Named>) {
    if let Some(project) = project {
        page.text("project ").strong(sanitize(&label(project.id, &project.name, &project.root))).end();
    }
}

fn stay(page: &mut Page, hints: u64, verb: &str) {
    if hints > 0 {
        let hints = number(hints, "hint");
        page.text(format!("{hints} set there {verb}, without saying where; `nudge delete` removes one"))
            .end();
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
