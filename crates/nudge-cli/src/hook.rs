//! `nudge hook`: agents run it at every event. It is always quiet, always in time, and always exits
//! 0.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use nudge_harness::{Harness, deadline};
use nudge_home::Home;
use nudge_memory::capture::{hook_times, troubles};

use crate::exit::{Exit, Failure};
use crate::intake::{self, EventOutcome, Intake, is_off};
use crate::invocation::{Invocation, now};

/// Reads one event from standard input and answers in the agent's dialect. If anything goes wrong,
/// the agent gets an empty answer, because a failing hook would stop the agent.
pub(crate) fn run(name: &str, home: Option<&Path>, began: Instant) -> Exit {
    let harness = Harness::from_name(name);
    let silence = harness.map_or("", |harness| harness.spec().silence);
    // Without a home there is no place to log that it is missing.
    let home = Home::locate(home, &|name| std::env::var_os(name)).ok().filter(|_| !is_off());
    let (Some(harness), Some(home)) = (harness, &home) else {
        intake::discard_until(began + deadline::MIN_DEADLINE / 2);
        if let Some(home) = &home {
            troubles::note(home, name, "none", "unknown_harness", now());
        }
        print(silence);
        return Exit::Ok;
    };
    let intake = Intake {
        harness,
        name: harness.name(),
        home: home.clone(),
        began,
        initial_deadline: deadline::MIN_DEADLINE,
        deadline: deadline::of,
        headless: harness.is_headless(&|name| std::env::var_os(name)),
        reports_errors: false,
    };
    let home = home.clone();
    intake.run(move |taken| {
        print(taken.reply.as_deref().unwrap_or(silence));
        // Where nothing is captured, nothing is written either.
        if taken.ending == EventOutcome::Stored {
            hook_times::note(&home, began.elapsed(), now());
        }
        Exit::Ok
    })
}

/// Prints the answer. If nobody reads it, that is not an error.
fn print(answer: &str) {
    if !answer.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(format!("{answer}\n").as_bytes()).and_then(|()| out.flush());
    }
}

// `nudge hook`: the entry point for agents. `fast_path.rs` handles the plain forms of the command;
// only the others come here.

#[derive(Debug, Args)]
#[command(after_long_help = "\
Agents run this at every event, with the event as JSON on standard input. It
answers in the agent's own format within its deadline, always exits 0 and prints
nothing on standard error. Failures are logged in logs/hooks.log and counted by
`nudge doctor`. NUDGE_OFF=1 switches it off.")]
pub(crate) struct HookArgs {
    /// Agent: claude, codex, opencode, copilot, gemini, qwen, cline or cursor
    harness: String,
}

impl HookArgs {
    /// Records the event.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        Ok(run(&self.harness, invocation.globals.home.as_deref(), invocation.began))
    }
}
