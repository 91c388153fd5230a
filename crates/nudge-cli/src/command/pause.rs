//! `nudge pause` and `nudge unpause`: stop and resume capture.

mod scope;

use std::time::Duration;

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_memory::capture::pause::{Pause, PauseScope, Pauses};
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::pause::{end, name};
use scope::ScopeArgs;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// How long, such as 30m, 2h or 7d [default: until `nudge unpause`]
    #[arg(long = "for", value_name = "TIME", value_parser = durations::length)]
    length: Option<Duration>,
}

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct UnpauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
}

impl PauseArgs {
    /// Saves the pause. Hooks that start from now on see it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Pause)?;
        let (home, now) = (invocation.home()?, now());
        let scopes = self.scope.scopes(invocation)?.unwrap_or_else(|| vec![PauseScope::All]);
        let mut pauses = Pauses::read(&home, now);
        let until = self.length.map(|length| now.plus(length).as_millis());
        let mut made: Vec<Pause> =
            scopes.into_iter().map(|scope| Pause { scope, since: now.as_millis(), until }).collect();
        made.iter().for_each(|pause| pauses.add(pause.clone()));
        // Each directory of a project has its own pause, and all look the same. Show the first.
        let pause = made.swap_remove(0);
        write(&pauses, &home)?;
        let answer = json!({"paused": pause, "pauses": pauses.pauses});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(" paused ").strong(name(&pause.scope)).text(end(&pause, now)).end();
            page.text("  nothing is captured there; `nudge unpause` ends all pauses").end();
        });
        Ok(Exit::Ok)
    }
}

impl UnpauseArgs {
    /// Ends one pause, or all of them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Unpause)?;
        let home = invocation.home()?;
        let scopes = self.scope.scopes(invocation)?;
        let mut pauses = Pauses::read(&home, now());
        let ended = match scopes {
            Some(scopes) => scopes.iter().filter(|scope| pauses.remove(scope)).count(),
            None => std::mem::take(&mut pauses.pauses).len(),
        };
        write(&pauses, &home)?;
        let left = pauses.pauses.len();
        invocation.output.answer(&json!({"ended": ended, "pauses": pauses.pauses}), |page| {
            match ended {
                0 => page.text("nothing was paused").end(),
                1 => page.good("✔").text(" ended 1 pause").end(),
                many => page.good("✔").text(format!(" ended {many} pauses")).end(),
            };
            if left > 0 {
                page.text("  other pauses remain; run `nudge status` to see them").end();
            }
        });
        Ok(Exit::Ok)
    }
}

fn write(pauses: &Pauses, home: &Home) -> Result<(), Fault> {
    pauses.write(home).map_err(|error| {
        Fault::new(FaultKind::ReadOnly, "pause_not_written", format!("cannot save the pause: {error}"))
            .next("make the memory directory writable, or start the agent with NUDGE_OFF=1")
    })
}
