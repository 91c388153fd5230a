//! `nudge record`: the door for anybody's JSON, with messages and exit codes.

use std::path::Path;
use std::time::{Duration, Instant};

use nudge_core::EventKind;
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_memory::capture::drops::DropReason;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::intake::{Ending, Intake, SETTINGS, Taken};
use crate::output::{not_written, to_stderr, to_stdout};
use crate::sanitize::sanitize_line;

/// How long it may take, its whole process counted. Whoever calls it by hand can wait longer than an agent.
const DEADLINE: Duration = Duration::from_secs(5);

/// Takes one event in the shape of Claude Code's hooks from standard input.
///
/// Exit codes are those of a hook: 0 it is kept, 1 it is not and the caller may go on, 2 the memory is damaged and nothing else.
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
        first: DEADLINE,
        deadline: |_| DEADLINE,
        headless: None,
        tells: true,
    };
    intake.run(move |taken| {
        let printed = match &taken.told {
            _ if typed => typed_answer(taken).map_or(Ok(()), |answer| to_stdout(&format!("{answer}\n"))),
            Some(told) => to_stdout(&told.context),
            None => Ok(()),
        };
        let exit = exit(taken);
        printed.map_or_else(|error| not_written(&error, exit), |()| exit)
    })
}

fn exit(taken: &Taken) -> Exit {
    match &taken.ending {
        Ending::Passed(SETTINGS) => fail(
            Exit::Failed,
            "the settings cannot be read, and so it is not known what is to be kept out; nothing is captured",
            Some("run `nudge doctor` where the event happened"),
        ),
        Ending::Kept | Ending::Passed(_) | Ending::SetAside { .. } => Exit::Ok,
        Ending::Unreadable(why) => {
            fail(Exit::Failed, why, Some("send one JSON object, as an agent's hook would"))
        }
        Ending::Lost { reason, .. } => fail(Exit::Failed, &lost(*reason), Some("run `nudge doctor`")),
        Ending::Damaged { lost: gone } => {
            let event = gone.map_or_else(|| "the event waits in the spool".to_owned(), lost);
            fail(
                Exit::Usage,
                &format!("the memory is damaged; {event}"),
                Some("run `nudge doctor`, then `nudge restore` the newest backup"),
            )
        }
    }
}

fn lost(reason: DropReason) -> String {
    format!("the event is lost: {}", reason.name().replace('_', " "))
}

/// What is printed under `--format typed`: an object with a `type`, where there is something to say.
fn typed_answer(taken: &Taken) -> Option<Value> {
    match &taken.ending {
        Ending::SetAside { why } => {
            Some(degraded(if *why == "deadline" { "server_timeout" } else { "request_failed" }))
        }
        Ending::Passed(SETTINGS) | Ending::Unreadable(_) | Ending::Lost { .. } | Ending::Damaged { .. } => {
            Some(degraded("request_failed"))
        }
        Ending::Kept | Ending::Passed(_) => match taken.kind {
            Some(EventKind::SessionStart { .. }) => {
                let mut answer = json!({"type": "session_started", "session_id": taken.session});
                if let Some(typed) = taken.told.as_ref().and_then(|told| told.typed.as_ref()) {
                    answer["type"] = json!(typed.kind);
                    answer["content"] = json!(typed.content);
                }
                if let Some(told) = &taken.told {
                    answer["context"] = told.context.as_str().into();
                    answer["lines"] = told.lines.into();
                    answer["tokens"] = told.tokens.into();
                }
                Some(answer)
            }
            Some(EventKind::Prompt) => Some(match &taken.told {
                Some(told) => {
                    json!({"type": "rich", "content": told.context, "token_count": told.tokens, "lines": told.lines})
                }
                None => degraded("no_context"),
            }),
            _ => taken.told.as_ref().and_then(|told| told.typed.as_ref()).map(|typed| json!(typed)),
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
