//! Waits for text that an agent writes only after it has started its hook.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nudge_core::HookEvent;
use nudge_core::event::EventKind;
use nudge_harness::transcript;

use super::request::Intake;

/// How long to wait for the last answer of a turn. Agents that write it late do so within a tenth
/// of a second.
const WITHIN: Duration = Duration::from_millis(150);

/// How often to check the transcript while waiting.
const AGAIN: Duration = Duration::from_millis(10);

/// How many bytes at the end of the transcript to read.
const END: u64 = 64 * 1024;

/// At the end of a turn, if the hook's event leaves out the agent's answer, waits until the
/// transcript has it.
pub(super) fn wait_for_last_answer(intake: &Intake, event: &HookEvent) {
    let is_left_out = event.kind == EventKind::Stop && event.message.is_none() && event.agent.is_none();
    let Some(path) = event.transcript.as_deref().filter(|_| is_left_out && !intake.reports_errors) else {
        return;
    };
    if !transcript::has_answers(intake.harness) {
        return;
    }
    let began = Instant::now();
    while !has_answer(intake, path) && began.elapsed() < WITHIN {
        sleep(AGAIN);
    }
}

fn has_answer(intake: &Intake, path: &str) -> bool {
    let Some(end) = end_of(Path::new(path)) else { return false };
    transcript::last_answer(intake.harness, path, &end).is_some()
}

fn end_of(path: &Path) -> Option<String> {
    // Do not wait for a pipe or device in place of a file.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(END))).ok()?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
