//! `nudge record`: the entry point for JSON from any program, with messages and exit codes.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use nudge_core::{EventKind, Fault};
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_memory::capture::drops::DropReason;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::intake::{DEADLINE_PASSED, EventOutcome, Intake, IntakeResult, SETTINGS_REASON};
use crate::invocation::Invocation;
use crate::output::{not_written, to_stderr, to_stdout};
use crate::sanitize::sanitize_line;

/// The time limit for the whole process. A caller of `record` can wait longer than an agent.
const RECORD_DEADLINE: Duration = Duration::from_secs(5);

/// Reads one event in the format of Claude Code's hooks from standard input.
///
/// The exit codes are those of a hook: 0 if it is stored, 1 if it is not and the caller may
/// continue, 2 only if the memory is damaged.
pub(crate) fn run(typed: bool, home: Option<&Path>, began: Instant) -> Exit {
    if crate::intake::is_off() {
        return Exit::Ok;
    }
    let home = match Home::locate(home, &|name| std::env::var_os(name)) {
        Ok(home) => home,
        Err(fault) => return fail(Exit::Failed, &fault.message, fault.next.as_deref()),
    };
    let intake = Intake {
        harness: Harness::Claude,
        name: "record",
        home,
        began,
        initial_deadline: RECORD_DEADLINE,
        deadline: |_| RECORD_DEADLINE,
        headless: None,
        reports_errors: true,
    };
    intake.run(move |taken| {
        let printed = match &taken.injected {
            _ if typed => typed_answer(taken).map_or(Ok(()), |answer| to_stdout(&format!("{answer}\n"))),
            Some(injected) => to_stdout(&injected.context),
            None => Ok(()),
        };
        let exit = exit(taken);
        printed.map_or_else(|error| not_written(&error, exit), |()| exit)
    })
}

fn exit(taken: &IntakeResult) -> Exit {
    match &taken.ending {
        EventOutcome::Skipped(SETTINGS_REASON) => fail(
            Exit::Failed,
            "cannot read the settings, so it is unclear what to exclude; nothing is captured",
            Some("run `nudge doctor` in the directory of the event"),
        ),
        EventOutcome::Stored | EventOutcome::Skipped(_) | EventOutcome::Spooled { .. } => Exit::Ok,
        EventOutcome::Unreadable(why) => {
            fail(Exit::Failed, why, Some("send one JSON object, as an agent's hook does"))
        }
        EventOutcome::Lost { reason, .. } => fail(Exit::Failed, &lost(*reason), Some("run `nudge doctor`")),
        EventOutcome::Damaged { lost: gone } => {
            let event = gone.map_or_else(|| "the event is in the spool".to_owned(), lost);
            fail(
                Exit::Usage,
                &format!("the memory is damaged; {event}"),
                Some("run `nudge doctor`, then restore the newest backup with `nudge restore`"),
            )
        }
    }
}

fn lost(reason: DropReason) -> String {
    format!("the event is lost: {}", reason.name().replace('_', " "))
}

/// The output under `--format typed`: an object with a `type`; `None` if there is nothing to print.
fn typed_answer(taken: &IntakeResult) -> Option<Value> {
    match &taken.ending {
        EventOutcome::Spooled { why } => {
            let is_late = [DEADLINE_PASSED, Fault::BUSY].contains(&why.as_str());
            Some(degraded(if is_late { "server_timeout" } else { "request_failed" }))
        }
        EventOutcome::Skipped(SETTINGS_REASON)
        | EventOutcome::Unreadable(_)
        | EventOutcome::Lost { .. }
        | EventOutcome::Damaged { .. } => Some(degraded("request_failed")),
        EventOutcome::Stored | EventOutcome::Skipped(_) => match taken.kind {
            Some(EventKind::SessionStart { .. }) => {
                let mut answer = json!({"type": "session_started", "session_id": taken.session});
                if let Some(typed) = taken.injected.as_ref().and_then(|injected| injected.typed.as_ref()) {
                    answer["type"] = json!(typed.kind);
                    answer["content"] = json!(typed.content);
                }
                if let Some(injected) = &taken.injected {
                    answer["context"] = injected.context.as_str().into();
                    answer["lines"] = injected.lines.into();
                    answer["tokens"] = injected.tokens.into();
                }
                Some(answer)
            }
            Some(EventKind::Prompt) => Some(match &taken.injected {
                Some(injected) => {
                    json!({"type": "rich", "content": injected.context, "token_count": injected.tokens, "lines": injected.lines})
                }
                None => degraded("no_context"),
            }),
            _ => {
                taken.injected.as_ref().and_then(|injected| injected.typed.as_ref()).map(|typed| json!(typed))
            }
        },
    }
}

fn degraded(reason: &str) -> Value {
    json!({"type": "degraded", "reason": reason})
}

fn fail(exit: Exit, why: &str, next: Option<&str>) -> Exit {
    let hint = next.map_or_else(String::new, |next| format!("hint: {}\n", sanitize_line(next)));
    to_stderr(&format!("error: {}\n{hint}", sanitize_line(why)));
    exit
}

// `nudge record`: the entry point for JSON from any program. `fast_path.rs` handles the plain
// forms of the command; only the others come here.

#[derive(Debug, Args)]
#[command(after_long_help = "\
Reads one JSON object from standard input. It needs session_id, cwd and
hook_event_name; unknown fields are ignored.

Exit codes:
  0  stored, or spooled to be stored later
  1  not stored; the reason is on standard error
  2  the memory is damaged; the event is spooled, or lost")]
pub(crate) struct RecordArgs {
    /// Output: nothing (plain), or a JSON object with a type (typed)
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    format: Format,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Plain,
    Typed,
}

impl RecordArgs {
    /// Records the event.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        Ok(run(self.format == Format::Typed, invocation.globals.home.as_deref(), invocation.began))
    }
}
