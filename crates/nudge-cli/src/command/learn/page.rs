//! The report of `nudge learn` as text.

use std::time::Duration;

use nudge_core::Timestamp;
use nudge_memory::learn::{LearnAnswer, Ran, Repeat};

use crate::fit::cut;
use crate::pages::Page;
use crate::pages::time;
use crate::pages::words::{count, spell};

/// The column where the text of a row starts.
const INDENT: usize = 9;

/// Writes the report.
pub(super) fn render(page: &mut Page, answer: &LearnAnswer, all: bool, now: Timestamp) {
    let place = match &answer.project {
        Some(name) => name.clone(),
        None if all => "all projects".to_owned(),
        None => {
            page.text("nothing was captured in this project yet; --all looks at all projects").end();
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
        let times = count(number(answer.threshold), "time");
        let place = if all { "any project" } else { &place };
        page.text(format!("nothing happened {times} or more in {place}")).end();
        page.faint(format!("{counted} examined; --threshold sets how often")).end();
    } else {
        let times = count(number(answer.threshold), "time");
        let half = spell(Duration::from_secs_f64(answer.half_life_hours * 3_600.0));
        page.strong(&place).text(format!(": what happened {times} or more, out of {counted}")).end();
        page.faint(format!("the first column is heat: each occurrence counts 1, halved every {half}")).end();
        for (name, repeats, left_out) in sections {
            section(page, name, repeats, left_out, now);
        }
    }
    if let Some(only) = &looked.only {
        page.warning("only").text(format!(" {only} were examined")).end();
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
        page.text(" ".repeat(INDENT)).faint(format!("{left_out} more; --limit shows them")).end();
    }
}

fn row(page: &mut Page, repeat: &Repeat, now: Timestamp) {
    let columns = page.columns();
    page.text(format!("{:>7.1}  ", repeat.heat)).strong(cut(&repeat.newest, columns, INDENT)).end();
    let mut facts = vec![format!(
        "{} in {}, last {}",
        count(number(repeat.count), "time"),
        count(number(repeat.sessions), "session"),
        time::short_of_seconds(repeat.last_seen, now),
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
        more(page, &format!("succeeded later, {}", time::short_of_seconds(ran.timestamp, now)));
    }
    if let Some(followed) = &repeat.followed {
        more(page, followed);
    } else if let Some(ran) = repeat.worked_after.as_ref().filter(|ran| says_more(repeat, ran)) {
        more(page, &format!("after the failure, `{}` succeeded in the same session", ran.command));
    }
}

/// Whether the line adds something: the page already says that the same command succeeded later.
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
