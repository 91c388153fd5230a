//! What would go, and what went, as a person reads it.

use nudge_memory::house::purge::{Plan, Purged};

use crate::hint_page::{count, without_millis};
use crate::page::Page;

/// What would go.
pub(super) fn planned(page: &mut Page, plan: &Plan) {
    if plan.is_empty() {
        page.text("nothing in the memory matches").end();
    } else {
        page.strong("this would go, for good:").end();
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
    if plan.backups > 0 {
        page.text(format!(
            "{} beside the memory would be searched too",
            number(plan.backups as u64, "backup")
        ))
        .end();
    }
    if plan.is_empty() && plan.backups == 0 {
        return;
    }
    page.strong("hint:").text(" the same command with --confirm does it").end();
}

/// What went.
pub(super) fn done(page: &mut Page, purged: &Purged) {
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
    let gone =
        if gone.is_empty() { "nothing: nothing in the memory matched".to_owned() } else { gone.join(", ") };
    page.good("✔").text(format!(" purged {gone}")).end();
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
}

fn memories(many: u64) -> String {
    if many == 1 { "1 imported memory".to_owned() } else { format!("{many} imported memories") }
}

fn number(many: u64, noun: &str) -> String {
    count(i64::try_from(many).unwrap_or(i64::MAX), noun)
}
