//! Imports the agents' earlier transcripts, and shows the user what is in them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nudge_client::{background, indexing};
use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_memory::import::{self, Request};
use nudge_memory::learn::{Learn, LearnAnswer, LearnParams};
use nudge_memory::recall::ProjectParam;
use nudge_memory::upkeep;

use crate::command::import::Bar;
use crate::context_args::here;
use crate::exit::Failure;
use crate::invocation::{Invocation, now, refuse_ephemeral};
use crate::pages::Page;
use crate::pages::words::{count, cut};
use crate::registration::Agent;

/// How many days back the import goes.
const IMPORTED_DAYS: u64 = 30;

/// How long the user waits for the import. The rest runs in the background.
const IN_FOREGROUND: Duration = Duration::from_secs(20);

/// Debug builds only: tests shorten the wait with this variable. Release builds do not read it.
#[cfg(debug_assertions)]
const TEST_FOREGROUND_SECONDS: &str = "TEST_IMPORT_SECONDS";

/// Imports the transcripts of these agents, if there are any.
pub(super) fn import(invocation: &Invocation, agents: &[Agent]) -> Result<(), Failure> {
    let home = invocation.home()?;
    refuse_ephemeral(&home)?;
    let since = now().minus(Duration::from_secs(IMPORTED_DAYS * 24 * 60 * 60));
    let began = Instant::now();
    let (mut prompts, mut observations, mut sessions) = (0, 0, 0);
    let mut later = Vec::new();
    for agent in agents {
        let Some(path) = place(agent.0) else { continue };
        if began.elapsed() >= in_foreground() {
            later.push(*agent);
            continue;
        }
        let request = Request {
            harness: agent.0,
            path,
            is_own: true,
            dry_run: false,
            since: Some(since),
            project: None,
            is_own_tool: nudge_agent::registry::has,
            now: now(),
        };
        let mut bar = Bar::new(invocation.output.is_json());
        let mut is_over = || began.elapsed() >= in_foreground();
        let report =
            import::some_transcripts(&home, &request, &mut |progress| bar.show(progress), &mut is_over);
        bar.clear();
        match report {
            Ok((report, whole)) => {
                prompts += report.prompts;
                observations += report.observations;
                sessions += report.sessions;
                later.extend((!whole).then_some(*agent));
            }
            // A failed import does not undo the installation.
            Err(fault) => say_not_imported(invocation, *agent, &fault),
        }
    }
    let started = later.iter().all(|agent| in_background(&home, *agent, since));
    invocation.output.note(|page| {
        let n = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        page.end().good("✔").text(format!(
            " imported {} and {} from {} of the last {IMPORTED_DAYS} days, in {:.0} s",
            count(n(prompts), "prompt"),
            count(n(observations), "observation"),
            count(n(sessions), "session"),
            began.elapsed().as_secs_f64()
        ));
        page.end();
        for agent in &later {
            let what =
                if started { "the rest is imported in the background" } else { "the rest is not imported" };
            page.text(format!("  {}: {what}", agent.title())).end();
        }
    });
    if let Some(memory) = upkeep::open_for_reading(&home, now())? {
        indexing::start_if_behind(&home, &memory);
    }
    show(invocation)
}

fn in_foreground() -> Duration {
    #[cfg(debug_assertions)]
    if let Some(seconds) = std::env::var(TEST_FOREGROUND_SECONDS).ok().and_then(|text| text.parse().ok()) {
        return Duration::from_secs(seconds);
    }
    IN_FOREGROUND
}

/// The directory of an agent's transcripts, if it has any.
fn place(harness: Harness) -> Option<PathBuf> {
    import::default_place(harness, &|name| std::env::var_os(name)).filter(|path| path.exists())
}

/// Continues in a separate process that outlives this one.
fn in_background(home: &Home, agent: Agent, since: Timestamp) -> bool {
    let words = ["import", agent.name(), "--since", &since.to_string(), "--json"];
    background::command(home).and_then(|mut command| command.args(words).spawn()).is_ok()
}

fn say_not_imported(invocation: &Invocation, agent: Agent, fault: &Fault) {
    invocation.output.note(|page| {
        page.warning("not imported").text(format!("  {}: {}", agent.title(), fault.message)).end();
    });
}

// Shows three kinds of findings from the user's own history, as examples of what the memory can
// do.

/// How many of each kind to show.
const MAX_OF_EACH_KIND: usize = 3;

/// Shows repeated instructions, failures with what followed them, and files that changed together.
fn show(invocation: &Invocation) -> Result<(), Failure> {
    let params = LearnParams { project: ProjectParam::All, limit: Some(20), ..LearnParams::default() };
    let answer = invocation.call::<Learn>(&params, here())?;
    let answer = answer.typed()?;
    invocation.output.note(|page| render(page, &answer));
    Ok(())
}

fn render(page: &mut Page, answer: &LearnAnswer) {
    let columns = page.columns();
    let n = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    page.end().strong("You keep asking for").end();
    for repeat in answer.intents.iter().take(MAX_OF_EACH_KIND) {
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
        .take(MAX_OF_EACH_KIND)
        .collect();
    for (repeat, after) in &with_way_out {
        page.text("  ").line(cut(&repeat.newest, columns, 2)).end();
        page.text("    ").faint(cut(&format!("{} times, then: {after}", repeat.count), columns, 4)).end();
    }
    nothing(page, with_way_out.is_empty(), "nothing three times so far");
    page.strong("Files you usually change together").end();
    for pair in answer.changed_together.iter().take(MAX_OF_EACH_KIND) {
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
