//! `nudge hook`: what agents run at every event. Always quiet, always in time, always exit 0.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use nudge_harness::{Harness, deadline};
use nudge_home::Home;
use nudge_memory::capture::troubles;

use crate::exit::Exit;
use crate::intake::{Intake, is_off, stdin};
use crate::invocation::now;

/// Takes one event from standard input and answers in the agent's dialect. Whatever goes wrong, the
/// agent sees an empty answer: a hook that fails would stop it.
pub(crate) fn run(name: &str, home: Option<&Path>, began: Instant) -> Exit {
    let harness = Harness::from_name(name);
    let silence = harness.map_or("", |harness| harness.spec().silence);
    // Without a home there is not even a place to write down that there is none.
    let home = Home::locate(home, &|name| std::env::var_os(name)).ok().filter(|_| !is_off());
    let (Some(harness), Some(home)) = (harness, &home) else {
        stdin::pass_over(began + deadline::SHORTEST / 2);
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
        first: deadline::SHORTEST,
        deadline: deadline::of,
        headless: harness.is_headless(&|name| std::env::var_os(name)),
        tells: false,
    };
    intake.run(move |taken| {
        print(taken.reply.as_deref().unwrap_or(silence));
        Exit::Ok
    })
}

/// Prints the answer. That nobody reads it is nobody's problem.
fn print(answer: &str) {
    if !answer.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(format!("{answer}\n").as_bytes()).and_then(|()| out.flush());
    }
}
