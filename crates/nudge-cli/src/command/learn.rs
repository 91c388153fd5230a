//! `nudge learn`: counts what repeats across sessions, without a model.

use std::time::Duration;

use clap::Args;
use nudge_core::Timestamp;
use nudge_memory::learn::{Learn, LearnAnswer, LearnParams, Ran, Repeat};
use nudge_memory::recall::ProjectParam;

use crate::context_args::here;
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectsFlags;
use crate::invocation::{Invocation, now};
use crate::pages::words::{count, cut, spell};
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    projects: ProjectsFlags,
    /// Only what happened at least N times [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threshold: Option<i64>,
    /// Age at which an occurrence counts half, such as 7d; a bare number is hours [default: 7d]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = durations::hours)]
    half_life: Option<f64>,
    /// Show at most N of each kind [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<i64>,
}

impl LearnArgs {
    /// Asks for the report and shows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = self.projects.param();
        let params = LearnParams {
            project,
            threshold: self.threshold,
            half_life_hours: self.half_life,
            limit: self.limit,
            failures_only: false,
        };
        let answer = invocation.call::<Learn>(&params, here())?;
        let all = params.project == ProjectParam::All;
        invocation.show(&answer, |page, answer| render(page, answer, all, now()))
    }
}

/// The column where the text of a row starts.
const TEXT_INDENT: usize = 9;

/// Writes the report.
fn render(page: &mut Page, answer: &LearnAnswer, all: bool, now: Timestamp) {
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
        page.text(" ".repeat(TEXT_INDENT)).faint(format!("{left_out} more; --limit shows them")).end();
    }
}

fn row(page: &mut Page, repeat: &Repeat, now: Timestamp) {
    let columns = page.columns();
    page.text(format!("{:>7.1}  ", repeat.heat)).strong(cut(&repeat.newest, columns, TEXT_INDENT)).end();
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
    page.text(" ".repeat(TEXT_INDENT)).faint(cut(text, columns, TEXT_INDENT)).end();
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
