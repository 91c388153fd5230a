//! Shows three kinds of findings from the user's own history, as examples of what the memory can
//! do.

use nudge_memory::learn::{LearnAnswer, LearnParams};
use nudge_memory::recall::ProjectParam;

use crate::context_args::here;
use crate::exit::Failure;
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

/// How many of each kind to show.
const EACH: usize = 3;

/// Shows repeated instructions, failures with what followed them, and files that changed together.
pub(super) fn show(invocation: &Invocation) -> Result<(), Failure> {
    let params = LearnParams { project: ProjectParam::All, limit: Some(20), ..LearnParams::default() };
    let answer = invocation.call("learn", &params, here())?;
    let answer: LearnAnswer = invocation.typed(&answer)?;
    invocation.output.aside(|page| render(page, &answer));
    Ok(())
}

fn render(page: &mut Page, answer: &LearnAnswer) {
    let columns = page.columns();
    let n = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    page.end().strong("You keep asking for").end();
    for repeat in answer.intents.iter().take(EACH) {
        page.text("  ").line(cut(&repeat.newest, columns, 2)).end();
        page.text("    ")
            .faint(format!("{} in {}", count(n(repeat.count), "time"), count(n(repeat.sessions), "session")))
            .end();
    }
    nothing(page, answer.intents.is_empty(), "nothing three times so far");
    page.strong("What failed again, and what passed after it").end();
    let with_way_out = answer.failed_commands.iter().chain(&answer.error_signatures);
    let with_way_out: Vec<_> = with_way_out
        .filter_map(|repeat| {
            let ran =
                repeat.ran_later.as_ref().or(repeat.worked_after.as_ref()).map(|ran| ran.command.clone());
            Some((repeat, repeat.followed.clone().or(ran)?))
        })
        .take(EACH)
        .collect();
    for (repeat, after) in &with_way_out {
        page.text("  ").line(cut(&repeat.newest, columns, 2)).end();
        page.text("    ").faint(cut(&format!("{} times, then: {after}", repeat.count), columns, 4)).end();
    }
    nothing(page, with_way_out.is_empty(), "nothing three times so far");
    page.strong("Files you usually change together").end();
    for pair in answer.changed_together.iter().take(EACH) {
        page.text("  ").line(cut(&pair.files.join(" and "), columns, 2)).end();
        page.text("    ").faint(format!("in {} of {}", pair.sessions, count(n(pair.of), "session"))).end();
    }
    nothing(page, answer.changed_together.is_empty(), "none so far");
    page.end().text("`nudge learn --all` has more; `nudge fix ERROR` shows what helped before.").end();
}

fn nothing(page: &mut Page, is_empty: bool, words: &str) {
    if is_empty {
        page.text("  ").faint(words).end();
    }
}
