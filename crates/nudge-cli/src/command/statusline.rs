//! `nudge statusline`: one line for an agent's status bar. Fast, and it never fails: the bar would show the failure.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use clap::Args;
use nudge_core::{Context, Fault};
use nudge_memory::inject::{Sum, UsageAnswer, UsageParams};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// How long the agent may take to say which session it is.
const PATIENCE: Duration = Duration::from_millis(150);

/// More than any agent says.
const MOST: u64 = 256 * 1024;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Reads the JSON that agents give to their status line from standard input, if
any, and tells what that session was told. In Claude Code's settings.json:
  \"statusLine\": {\"type\": \"command\", \"command\": \"nudge statusline\"}")]
pub(crate) struct StatuslineArgs {}

impl StatuslineArgs {
    /// Prints the line.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = UsageParams { days: Some(1), session: session(), project: None };
        let found = invocation.call("injection_usage", &params, Context::unknown());
        let total = match found {
            Ok(answer) => invocation.typed::<UsageAnswer>(&answer).ok().map(|answer| answer.total),
            // A session that nothing is known of was told nothing.
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

/// The session that asks, if it says so in time.
fn session() -> Option<String> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .spawn(move || {
            let mut text = Vec::new();
            let _ = std::io::stdin().lock().take(MOST).read_to_end(&mut text);
            let _ = done.send(text);
        })
        .ok()?;
    let text = wait.recv_timeout(PATIENCE).ok()?;
    let said: Value = serde_json::from_slice(&text).ok()?;
    ["session_id", "sessionId"].iter().find_map(|key| said.get(*key)?.as_str().map(Into::into))
}

fn spelled(sum: Sum) -> String {
    if sum.injections == 0 {
        return "nudge: nothing told".to_owned();
    }
    let noun = if sum.lines == 1 { "line" } else { "lines" };
    let used = if sum.used_lines > 0 { format!(" · {} used", sum.used_lines) } else { String::new() };
    format!("nudge: {} {noun}, {} tokens{used}", sum.lines, sum.tokens)
}
