//! `nudge statusline`: prints one line for an agent's status bar. It is fast, and it never fails,
//! because the bar would show the failure.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use clap::Args;
use nudge_core::{Context, Fault};
use nudge_memory::inject::{InjectionUsage, Sum, UsageParams};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// How long to wait for the agent to send its session id.
const SESSION_TIMEOUT: Duration = Duration::from_millis(150);

/// The maximum input in bytes; more than any agent sends.
const MAX_PAYLOAD: u64 = 256 * 1024;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Reads the JSON that agents send to a status line from standard input, if any,
and prints what was injected into that session. In Claude Code's settings.json:
  \"statusLine\": {\"type\": \"command\", \"command\": \"nudge statusline\"}")]
pub(crate) struct StatuslineArgs {}

impl StatuslineArgs {
    /// Prints the line.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UsageParams { days: Some(1), session: session(), project: None };
        let found = invocation.call::<InjectionUsage>(&params, Context::unknown());
        let total = match found {
            Ok(answer) => answer.typed().ok().map(|answer| answer.total),
            // An unknown session got no injections.
            Err(fault) => (fault.reason == Fault::NO_SESSION).then(Sum::default),
        };
        let line = total.map_or_else(|| "nudge".to_owned(), spelled);
        let answer = json!({"line": line, "usage": total});
        invocation.output.answer(&answer, |page| {
            page.text(&line).end();
        });
        Ok(Exit::Ok)
    }
}

/// The session id, if the agent sends it in time.
fn session() -> Option<String> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .spawn(move || {
            let mut text = Vec::new();
            let _ = std::io::stdin().lock().take(MAX_PAYLOAD).read_to_end(&mut text);
            let _ = done.send(text);
        })
        .ok()?;
    let text = wait.recv_timeout(SESSION_TIMEOUT).ok()?;
    let said: Value = serde_json::from_slice(&text).ok()?;
    ["session_id", "sessionId"].iter().find_map(|key| said.get(*key)?.as_str().map(Into::into))
}

fn spelled(sum: Sum) -> String {
    if sum.injections == 0 {
        return "nudge: nothing injected".to_owned();
    }
    let noun = if sum.lines == 1 { "line" } else { "lines" };
    let used = if sum.used_lines > 0 { format!(" · {} used", sum.used_lines) } else { String::new() };
    format!("nudge: {} {noun}, {} tokens{used}", sum.lines, sum.tokens)
}
