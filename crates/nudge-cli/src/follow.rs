//! Follows a run until it has an answer: shows what it reads, passes on its questions, and prints
//! the answer.

mod decide;
mod ending;
mod question;
mod send;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nudge_agent::runs::{
    AbortRun, GetRun, HistoryRow, Resolution, ResolveRun, ResolveRunParams, RunAccepted, RunParams, RunView,
};
use nudge_core::run::RunState;
use nudge_core::{Fault, FaultKind};
use question::Reply;
use serde_json::Value;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::output::Output;
use crate::pages::run;

pub(crate) use question::can_ask;
pub(crate) use send::{detached, known, send};

/// How often to look.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How often in a row the memory may be busy.
const MAX_BUSY: u32 = 50;

/// Everything that is set up before a run is asked.
pub(crate) struct Follower<'i> {
    invocation: &'i Invocation,
    interrupt: Interrupt,
    progress: Progress<'i>,
    is_quiet: bool,
}

/// The prompt to follow.
struct Target {
    run: RunParams,
    /// Its number; `None` for the whole run.
    number: Option<u32>,
}

/// A run as it is now.
struct Seen {
    raw: Value,
    view: RunView,
}

/// Makes sure that a server runs, for a run that nobody follows.
pub(crate) fn ensure_server(invocation: &Invocation) -> Result<(), Failure> {
    send::ensure_server(invocation)
}

impl<'i> Follower<'i> {
    /// Makes sure that a server runs. What happened in `known` is not shown again.
    pub(crate) fn new(
        invocation: &'i Invocation,
        is_quiet: bool,
        known: Option<&RunView>,
    ) -> Result<Self, Failure> {
        send::ensure_server(invocation)?;
        let is_silent = is_quiet || invocation.output.is_json();
        let progress = Progress::new(invocation, is_silent, known);
        Ok(Self { invocation, interrupt: Interrupt::watch()?, progress, is_quiet })
    }

    /// Shows the run until its prompt is answered, then the answer.
    pub(crate) fn follow(mut self, accepted: &RunAccepted, project: Option<String>) -> Result<Exit, Failure> {
        let run = RunParams { run: accepted.run.clone(), project };
        let target = Target { run, number: accepted.in_loop };
        let mut starts = send::Restarts::default();
        loop {
            let seen = self.poll(&target)?;
            if target.is_over(&seen.view) {
                return Ok(self.end(&seen, &target));
            }
            if self.interrupt.was_pressed() {
                return self.abort(&seen.view, &target);
            }
            self.progress.show(&seen.view);
            if let Some(waiting) = &seen.view.waits_for {
                if !can_ask(self.invocation) {
                    return self.nobody_answers(&seen, waiting);
                }
                self.progress.clear();
                if decide::is_proposal(waiting) {
                    match decide::ask(self.invocation, waiting, || self.still_waits(&target, waiting))? {
                        decide::Settled::Here(resolution) => self.resolve(&target, resolution)?,
                        decide::Settled::Elsewhere => self.invocation.output.note(|page| {
                            page.faint("decided elsewhere").end();
                        }),
                        decide::Settled::Interrupted => return self.abort(&seen.view, &target),
                    }
                    continue;
                }
                let reply = question::ask(self.invocation, waiting, &self.interrupt);
                self.answer(&target, waiting, reply)?;
                continue;
            }
            if !self.invocation.server_answered() {
                starts.again(self.invocation)?;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Whether the run still waits for the same decision.
    fn still_waits(&self, target: &Target, waiting: &HistoryRow) -> bool {
        let is_same = |now: &HistoryRow| now.record == waiting.record && now.body == waiting.body;
        self.poll(target).map_or(true, |seen| seen.view.waits_for.as_ref().is_some_and(is_same))
    }

    fn poll(&self, target: &Target) -> Result<Seen, Fault> {
        let mut busy = 0;
        loop {
            match self.invocation.call::<GetRun>(&target.run, here()) {
                Ok(answer) => return Ok(Seen { view: answer.typed()?, raw: answer.json }),
                Err(fault) if fault.kind == FaultKind::Busy && busy < MAX_BUSY => busy += 1,
                Err(fault) => return Err(fault),
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn answer(&self, target: &Target, waiting: &HistoryRow, reply: Reply) -> Result<(), Fault> {
        let (action, output) = match reply {
            Reply::Text(text) => ("accept", Some(text)),
            Reply::Nothing => ("reject", None),
            Reply::Interrupted => return Ok(()),
        };
        let path = Some(waiting.record.clone());
        self.resolve(target, Resolution { path, action: action.to_owned(), output, ..Resolution::default() })
    }

    /// Passes on the user's decision, and says what to know of it.
    fn resolve(&self, target: &Target, resolution: Resolution) -> Result<(), Fault> {
        let RunParams { run, project } = target.run.clone();
        let params = ResolveRunParams { run, project, resolution };
        match self.invocation.ask::<ResolveRun>(&params, here()) {
            Ok(accepted) => {
                if let Some(note) = accepted.note {
                    self.invocation.output.note(|page| {
                        page.warning("note:").text(" ").line(note).end();
                    });
                }
                Ok(())
            }
            // Somebody else was faster.
            Err(fault) if matches!(fault.reason.as_str(), "nothing_waits" | "decided") => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn abort(&mut self, before: &RunView, target: &Target) -> Result<Exit, Failure> {
        self.invocation.call::<AbortRun>(&target.run, here())?;
        let after = self.poll(target)?;
        // It was answered in the meantime.
        if target.is_over(&after.view) && ending::fault(&after.view, target.number).is_none() {
            return Ok(self.end(&after, target));
        }
        self.progress.clear();
        ending::aborted(self.invocation, &after.raw, &after.view, &before.partial, self.is_quiet);
        Ok(Exit::Interrupted)
    }

    fn end(&mut self, seen: &Seen, target: &Target) -> Exit {
        self.progress.show_rest(&seen.view, ending::fault(&seen.view, target.number).as_ref());
        self.progress.clear();
        ending::show(self.invocation, &seen.raw, &seen.view, target.number, self.is_quiet)
    }

    /// The run stays as it is: somebody may answer later.
    fn nobody_answers(&mut self, seen: &Seen, waiting: &HistoryRow) -> Result<Exit, Failure> {
        self.progress.clear();
        let fault = question::nobody(&seen.view.run, waiting);
        if self.invocation.output.is_json() {
            self.invocation.output.answer(&seen.raw, |_| {});
            return Ok(Exit::of(&fault));
        }
        Err(fault.into())
    }
}

impl Target {
    fn is_over(&self, view: &RunView) -> bool {
        let of_prompt = view.loops.iter().find(|one| Some(one.number) == self.number);
        is_over(of_prompt.map_or(&view.state, |one| &one.state))
    }
}

fn is_over(state: &str) -> bool {
    RunState::ALL.into_iter().any(|one| one.name() == state && one.is_over())
}

// Ctrl-C: the first one aborts the run, the second one ends the program.

/// Whether the user pressed Ctrl-C.
struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches from now on.
    fn watch() -> Result<Self, Fault> {
        let pressed = Arc::new(AtomicBool::new(false));
        // The order matters: the second signal finds the flag that the first one set.
        flag::register_conditional_default(SIGINT, Arc::clone(&pressed))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&pressed)))
            .map_err(|error| {
                Fault::new(FaultKind::Internal, "signals", format!("cannot watch for Ctrl-C: {error}"))
            })?;
        Ok(Self(pressed))
    }

    /// Whether it was pressed.
    fn was_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

// What a run does, on standard error: a line for everything that happened, and on a terminal one
// line that changes.

/// What was shown of a run.
struct Progress<'i> {
    invocation: &'i Invocation,
    is_silent: bool,
    has_status: bool,
    began: Instant,
    shown: BTreeSet<String>,
    turn: u32,
    /// How much of the output of each command was shown, in bytes.
    printed: BTreeMap<String, usize>,
}

impl<'i> Progress<'i> {
    /// Everything that happened in `known` counts as shown.
    fn new(invocation: &'i Invocation, is_silent: bool, known: Option<&RunView>) -> Self {
        let rows = known.into_iter().flat_map(|view| &view.history);
        Self {
            invocation,
            is_silent,
            has_status: !is_silent && Output::has_status_line(),
            began: Instant::now(),
            shown: rows.filter(|row| run::is_announced(row)).map(|row| row.record.clone()).collect(),
            turn: known.map_or(0, |view| view.turn),
            printed: BTreeMap::new(),
        }
    }

    /// Shows what is new. An error of the turn under way waits: if it ends the run, it is shown
    /// once, as the reason.
    fn show(&mut self, view: &RunView) {
        self.show_rows(view, |row| !run::is_error(row) || row.turn < view.turn);
    }

    /// Shows what is left of a run that is over, except its reason.
    fn show_rest(&mut self, view: &RunView, fault: Option<&Fault>) {
        let is_reason = |row: &HistoryRow| {
            let said = row.body.trim();
            run::is_error(row)
                && fault.is_some_and(|fault| {
                    fault.message.split_once(": ").is_some_and(|(_, why)| said.ends_with(why))
                })
        };
        self.show_rows(view, |row| !is_reason(row));
    }

    fn show_rows(&mut self, view: &RunView, wanted: impl Fn(&HistoryRow) -> bool) {
        if self.is_silent {
            return;
        }
        let is_new =
            |row: &&HistoryRow| run::is_announced(row) && !self.shown.contains(&row.record) && wanted(row);
        let new: Vec<&HistoryRow> = view.history.iter().filter(is_new).collect();
        if !new.is_empty() {
            self.clear();
        }
        for row in new {
            let heading = (row.turn > self.turn).then_some(row.turn);
            self.turn = self.turn.max(row.turn);
            self.shown.insert(row.record.clone());
            self.invocation.output.note(|page| {
                if let Some(turn) = heading {
                    page.faint(format!("turn {turn}")).end();
                }
                run::announce(page, row);
            });
        }
        for output in &view.output {
            let printed = self.printed.entry(output.path.clone()).or_insert(0);
            let already =
                usize::try_from(output.bytes).unwrap_or(usize::MAX).saturating_sub(output.tail.len());
            let from = printed.saturating_sub(already);
            if let Some(new) = output.tail.get(from..).filter(|new| !new.is_empty()) {
                if self.has_status {
                    self.invocation.output.status_line(None);
                }
                self.invocation.output.note(|page| run::output(page, new));
                *printed = usize::try_from(output.bytes).unwrap_or(usize::MAX);
            }
        }
        if self.has_status {
            let status = run::status(view, self.began.elapsed());
            self.invocation.output.status_line(Some(&status));
        }
    }

    /// Removes the line that changes.
    fn clear(&self) {
        if self.has_status {
            self.invocation.output.status_line(None);
        }
    }
}
