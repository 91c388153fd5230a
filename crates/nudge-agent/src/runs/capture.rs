//! A run is captured like any agent's session: its prompts and its answers.
//!
//! The same rules decide what is left out: settings, exclusions and pauses. A failure here is not
//! the run's: it is dropped, as a hook's is.

use std::path::Path;

use nudge_core::event::{HookEvent, PromptText, Speaker, StartSource};
use nudge_core::{EventKind, Timestamp};
use nudge_home::{Home, settings};

use super::work::LoopWork;
use nudge_memory::capture::pause::Pauses;
use nudge_memory::capture::{self, CapturedVia, ReadContext, pause, project};
use nudge_memory::memory::Memory;
use nudge_memory::operation::RUNS;

impl LoopWork {
    /// Captures that a loop has begun.
    pub fn capture_begin(&self, memory: &Memory, home: &Home, now: Timestamp) {
        if self.row.seq == 1 {
            let kind = EventKind::SessionStart { source: StartSource::Startup };
            self.capture(memory, home, HookEvent::new(RUNS, "SessionStart", kind), now);
        }
        let mut prompt = HookEvent::new(RUNS, "Prompt", EventKind::Prompt);
        prompt.prompt = Some(PromptText { text: self.prompt.clone(), by: Speaker::Person });
        self.capture(memory, home, prompt, now);
    }

    /// Captures the answer of a loop, as the store has it.
    pub fn capture_end(&self, memory: &Memory, home: &Home, now: Timestamp) {
        let found = memory.store().read(|reader| reader.loops(self.run.id));
        let Some(row) = found.ok().and_then(|rows| rows.into_iter().find(|row| row.id == self.row.id)) else {
            return;
        };
        let answer = row.result.get("answer").and_then(serde_json::Value::as_str).unwrap_or_default();
        let mut stop = HookEvent::new(RUNS, "Stop", EventKind::Stop);
        stop.message = Some(answer.to_owned());
        self.capture(memory, home, stop, now);
    }

    fn capture(&self, memory: &Memory, home: &Home, mut event: HookEvent, now: Timestamp) {
        let Some(root) = self.run.root.as_deref() else { return };
        let cwd = Path::new(root);
        let Some(resolved) = settings::load(home, cwd, Vec::new()).ok().filter(|all| all.unsure.is_empty())
        else {
            return;
        };
        let settings = resolved.settings;
        let mut project = project::resolve(Some(cwd), settings.project.as_deref());
        project.said.private |= settings.private;
        project.said.strict = settings.strict_secrets;
        let session = self.run.session.clone().unwrap_or_default();
        let is_paused = Pauses::read(home, now).is_paused(&session, &project.key);
        if is_paused || pause::is_off(&settings, &project, Some(root)) {
            return;
        }
        let payload = format!("{} {} {}", session, event.name, self.row.seq);
        event.session = Some(session);
        event.prompt_id = Some(self.row.seq.to_string());
        event.cwd = Some(root.to_owned());
        event.model = Some(self.row.model.clone());
        event.at = Some(now);
        let here = ReadContext {
            now,
            project,
            headless: Some(self.flags().no_interaction),
            via: CapturedVia::Hook,
            own_root: Some(home.root().to_string_lossy().into_owned()),
            is_own_tool: |_| false,
        };
        if let Some(captured) = capture::read(&event, &payload, &here)
            && !pause::touches_excluded(&settings, &captured)
            && let Ok(received) = memory.receive(&captured)
        {
            let _ = received.react();
        }
    }
}
