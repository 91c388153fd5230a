//! What repeats, as a person reads it.

use std::time::Duration;

use nudge_core::Timestamp;
use nudge_memory::learn::{LearnAnswer, Ran, Repeat};

use crate::fit::cut;
use crate::pages::Page;
use crate::pages::recall::age;
use crate::pages::words::{count, spell};

/// Where the text of a row begins.
const INDENT: usize = 9;

/// Writes the report.
pub(super) fn render(page: &mut Page, answer: &LearnAnswer, all: bool, now: Timestamp) {
    let place = match &answer.project {
        Some(name) => name.clone(),
        None if all => "all projects".to_owned(),
        None => {
            page.text("nothing is kept of this place yet; --all looks everywhere").end();
            return;
        }
    };
    let looked = &answer.looked_at;
    let counted = format!(
        "{} and {}",
        count(number(looked.failed_commands), "failed command"),
        count(number(looked.prompts), "prompt"),
    );
    let sections = [
        ("failed commands", &answer.failed_commands, answer.left_out.failed_commands),
        ("errors", &answer.error_signatures, answer.left_out.error_signatures),
        ("intents", &answer.intents, answer.left_out.intents),
    ];
    if sections.iter().all(|(_, repeats, _)| repeats.is_empty()) {
        page.text(format!("nothing repeats in {place}: {counted} looked at")).end();
    } else {
        let times = count(number(answer.threshold), "time");
        let half = spell(Duration::from_secs_f64(answer.half_life_hours * 3_600.0));
        page.strong(&place).text(format!(": what happened {times} or more, of {counted}")).end();
        page.faint(format!("heat counts each occurrence as 1, and as half of that every {half}")).end();
        for (name, repeats, left_out) in sections {
            section(page, name, repeats, left_out, now);
        }
    }
    if let Some(only) = &looked.only {
        page.warning("only").text(format!(" {only} were looked at")).end();
    }
}

fn section(page: &mut Page, name: &str, repeats: &[Repeat], left_out: usize, now: Timestamp) {
    if repeats.is_empty() {
        return;
    }
    page.end().strong(name).end();
    for repeat in repeats {
        row(page, repeat, now);
    }
    if left_out > 0 {
        page.text(" ".repeat(INDENT)).faint(format!("and {left_out} more; --limit shows them")).end();
    }
}

fn row(page: &mut Page, repeat: &Repeat, now: Timestamp) {
    let columns = page.columns();
    page.text(format!("{:>7.1}  ", repeat.heat)).strong(cut(&repeat.newest, columns, INDENT)).end();
    let mut facts = vec![format!(
        "{} in {}, last {}",
        count(number(repeat.count), "time"),
        count(number(repeat.sessions), "session"),
        age(repeat.last_seen, now),
    )];
    if let Some(exit) = repeat.exit {
        facts.push(format!("exit {exit}"));
    }
    if !repeat.projects.is_empty() {
        facts.push(format!("in {}", repeat.projects.join(", ")));
    }
    facts.push(format!("#{}", repeat.id));
    more(page, &facts.join(", "));
    if let Some(command) = &repeat.command {
        more(page, &format!("from `{command}`"));
    }
    if let Some(ran) = &repeat.ran_later {
        more(page, &format!("ran later, exit 0, {}", age(ran.timestamp, now)));
    }
    if let Some(followed) = &repeat.followed {
        more(page, followed);
    } else if let Some(ran) = repeat.worked_after.as_ref().filter(|ran| says_more(repeat, ran)) {
        more(page, &format!("after it failed, `{}` ran in the same session, exit 0", ran.command));
    }
}

/// Whether it is something else than the same command, of which it is said already.
fn says_more(repeat: &Repeat, ran: &Ran) -> bool {
    ran.command != repeat.newest || repeat.ran_later.is_none()
}

fn more(page: &mut Page, text: &str) {
    let columns = page.columns();
    page.text(" ".repeat(INDENT)).faint(cut(text, columns, INDENT)).end();
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
