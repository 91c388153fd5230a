//! Runs an accepted command of a run in the sandbox. Its output is stored and sent on as it comes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nudge_agent::proposals::{Right, Sandbox};
use nudge_agent::runs::{CANCELLED, CommandEnd, CommandTurn, LoopWork, MAX_CHANNEL_BYTES};
use nudge_core::{EntryPath, Fault, FaultKind};
use nudge_home::Home;
use nudge_home::settings::RunSettings;
use nudge_sandbox::{Action, Channel, Ended, Failed, Level, Limits, Plan, Program, Rights, Stop};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task;
use tokio_util::sync::CancellationToken;

use crate::backend::Local;
use crate::run_feed::{OUTPUT, RunNote, STREAM_CANCELLED};

/// The hidden argument by which this program becomes a stage of the sandbox.
const STAGE: &str = "__sandbox";

/// How long output is gathered before it is stored again. The first part is stored at once.
const STORE_INTERVAL: Duration = Duration::from_millis(100);

/// How often an abort of the run is noticed while nothing is printed.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The reason of a command or call that ended with its server.
pub(super) const SERVER_ENDED: &str = "stopped: the server ended; it is not run again";

/// What keeps commands in on this machine. Found out once.
pub fn sandbox(settings: &RunSettings) -> Sandbox {
    let found = nudge_sandbox::level(&program(), at_most(settings));
    let is_full = found.level == Level::Full;
    let sentence = match is_full {
        true => "in a sandbox: it can read and change the project, and has no network".to_owned(),
        false => found.reason,
    };
    Sandbox { is_full, sentence }
}

fn at_most(settings: &RunSettings) -> Level {
    match settings.sandbox.as_str() {
        "none" => Level::None,
        "landlock" => Level::Landlock,
        _ => Level::Full,
    }
}

pub(super) fn program() -> Program {
    Program { path: PathBuf::from("/proc/self/exe"), arguments: vec![STAGE.to_owned()] }
}

/// A command in the circumstances of its run.
pub(super) struct Running<'c> {
    pub(super) local: &'c Arc<Local>,
    pub(super) home: &'c Home,
    pub(super) work: &'c LoopWork,
    pub(super) project: &'c Arc<str>,
    pub(super) stop: &'c CancellationToken,
}

impl Running<'_> {
    /// Runs the command to its end. Returns its status; `None` if somebody ended it, or this
    /// process stops.
    pub(super) async fn run(&self, turn: &CommandTurn) -> Result<Option<u16>, Fault> {
        let plan = match self.plan(turn) {
            Ok(plan) => plan,
            Err(why) => {
                let end = CommandEnd { reason: Some(why), ..CommandEnd::default() };
                return self.end(turn, end).await.map(Some);
            }
        };
        let (work, mark) = (self.work.clone(), turn.clone());
        let start = move |local: &Local| work.start_command(local.memory(), &mark, nudge_client::now());
        let is_ours = super::blocking(self.local, start).await?;
        if !is_ours {
            return Ok(None);
        }
        let cancel = Arc::new(AtomicBool::new(false));
        let (send, parts) = unbounded_channel();
        let (at_work, in_plan) = (cancel.clone(), plan);
        let running = task::spawn_blocking(move || {
            nudge_sandbox::run(&in_plan, &program(), &at_work, |channel, bytes| {
                let _ = send.send((channel, bytes.to_vec()));
            })
        });
        let watched = self.watch(turn, parts, &cancel);
        let (ended, left) = tokio::join!(running, watched);
        let ended = ended
            .map_err(|_| Fault::new(FaultKind::Internal, "panic", "the sandbox failed inside the server"))?;
        match left {
            Left::Open => {}
            Left::Ended => return Ok(None),
            Left::Stopping => {
                let end = CommandEnd { reason: Some(SERVER_ENDED.to_owned()), ..CommandEnd::default() };
                self.end(turn, end).await?;
                return Ok(None);
            }
        }
        self.end(turn, of_ended(ended)).await.map(Some)
    }

    /// Stores and sends output until there is no more.
    async fn watch(
        &self,
        turn: &CommandTurn,
        mut parts: UnboundedReceiver<(Channel, Vec<u8>)>,
        cancel: &AtomicBool,
    ) -> Left {
        let mut texts = [Text::default(), Text::default()];
        let mut left = Left::Open;
        loop {
            let came = tokio::select! {
                biased;
                () = self.stop.cancelled(), if matches!(left, Left::Open) => {
                    cancel.store(true, Ordering::Relaxed);
                    left = Left::Stopping;
                    continue;
                }
                part = parts.recv() => Some(part),
                () = tokio::time::sleep(CHECK_INTERVAL) => None,
            };
            let is_over = matches!(came, Some(None));
            if let Some(Some((channel, bytes))) = came {
                texts[index(channel)].push(&bytes);
                while let Ok((channel, bytes)) = parts.try_recv() {
                    texts[index(channel)].push(&bytes);
                }
            }
            if matches!(left, Left::Open) {
                let [out, err] = &mut texts;
                let ready = [out.take(is_over), err.take(is_over)];
                let has_text = ready.iter().any(|text| !text.is_empty());
                self.send(turn, &ready);
                if !self.store(turn, ready).await {
                    cancel.store(true, Ordering::Relaxed);
                    left = Left::Ended;
                    let params = cancelled(self.work, &turn.path);
                    let (project, method) = (self.project.clone(), STREAM_CANCELLED);
                    self.local.runs().send(RunNote { project, method, params });
                }
                if has_text && !is_over {
                    tokio::time::sleep(STORE_INTERVAL).await;
                }
            }
            if is_over {
                return left;
            }
        }
    }

    /// Stores a part. False if somebody ended the command or its loop meanwhile.
    async fn store(&self, turn: &CommandTurn, parts: [String; 2]) -> bool {
        let (work, turn) = (self.work.clone(), turn.clone());
        let stored = super::blocking(self.local, move |local| {
            let memory = local.memory();
            let [out, err] = &parts;
            work.store_output(memory, &turn, [out, err], nudge_client::now())
        })
        .await;
        match stored {
            Ok(is_open) => is_open,
            Err(fault) if LoopWork::is_aborted(&fault) => false,
            Err(fault) => {
                tracing::warn!(reason = fault.reason, "output of a command was not stored");
                true
            }
        }
    }

    /// Sends parts to the clients of the project, without credentials.
    fn send(&self, turn: &CommandTurn, parts: &[String; 2]) {
        for (number, text) in [1, 2].into_iter().zip(parts) {
            if text.is_empty() || !self.local.runs().has_listeners() {
                continue;
            }
            let params = json!({"run": self.work.run.alias, "path": turn.path.as_str(), "channel": number,
                "chunk": nudge_secrets::redact(text)});
            self.local.runs().send(RunNote { project: self.project.clone(), method: OUTPUT, params });
        }
    }

    async fn end(&self, turn: &CommandTurn, end: CommandEnd) -> Result<u16, Fault> {
        let (work, turn) = (self.work.clone(), turn.clone());
        super::blocking(self.local, move |local| {
            work.end_command(local.memory(), &turn, &end, nudge_client::now())
        })
        .await
    }

    /// The directories of Nudge itself: no command sees them.
    fn own_places(&self) -> Vec<PathBuf> {
        let config = self.home.config_file().parent().map(PathBuf::from);
        std::iter::once(self.home.root().to_path_buf()).chain(config).collect()
    }

    /// What is run, and within which bounds.
    fn plan(&self, turn: &CommandTurn) -> Result<Plan, String> {
        let runs = &self.local.memory().settings().runs;
        let root = turn.root.as_ref().map(PathBuf::from).ok_or("the run has no project directory")?;
        let home = std::env::home_dir().ok_or("there is no home directory")?;
        let mut rights = Rights::default();
        for text in &turn.rights {
            match Right::parse(text)? {
                Right::Network => rights.network = true,
                Right::Read(path) => rights.read.push(PathBuf::from(path)),
                Right::Write(path) => rights.write.push(PathBuf::from(path)),
            }
        }
        let mib = |number: u64| number.saturating_mul(1 << 20);
        Ok(Plan {
            level: nudge_sandbox::level(&program(), at_most(runs)).level,
            command: turn.command.clone(),
            shell: PathBuf::from("/bin/sh"),
            directory: root.clone(),
            root,
            hidden: self.own_places(),
            home,
            toolchains: Vec::new(),
            rights,
            env: Vec::new(),
            limits: Limits {
                time: Duration::from_secs(runs.command_time_s),
                output_bytes: MAX_CHANNEL_BYTES,
                processes: runs.command_processes,
                memory_bytes: mib(runs.command_memory_mb),
                temporary_bytes: mib(runs.command_disk_mb),
                growth_bytes: mib(runs.command_disk_mb),
            },
        })
    }
}

/// What clients hear of a command that somebody ended.
pub(super) fn cancelled(work: &LoopWork, path: &EntryPath) -> Value {
    json!({"run": work.run.alias, "path": path.as_str(), "reason": CANCELLED})
}

/// Why the output is not read any further.
enum Left {
    /// It has ended.
    Open,
    /// Somebody ended the command or its loop.
    Ended,
    /// This process stops.
    Stopping,
}

const fn index(channel: Channel) -> usize {
    match channel {
        Channel::Out => 0,
        Channel::Err => 1,
    }
}

/// Bytes of a channel that are becoming text.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
}

impl Text {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The text that is complete: a character that is cut stays, unless nothing more comes.
    fn take(&mut self, is_over: bool) -> String {
        let whole = match std::str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() && !is_over => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        let rest = self.bytes.split_off(whole);
        let text = String::from_utf8_lossy(&self.bytes).replace('\0', "\u{fffd}");
        self.bytes = rest;
        text
    }
}

/// How it ended, in the words of its record.
fn of_ended(ended: Result<Ended, Failed>) -> CommandEnd {
    let ended = match ended {
        Ok(ended) => ended,
        Err(failed) => return CommandEnd { reason: Some(failed.to_string()), ..CommandEnd::default() },
    };
    let reason = match (ended.stopped_by, ended.signal) {
        (Some(Stop::Cancelled), _) => Some(CANCELLED.to_owned()),
        (Some(Stop::Time), _) => Some("stopped: it took longer than it may".to_owned()),
        (Some(Stop::Memory), _) => Some("stopped: it used more memory than it may".to_owned()),
        (Some(Stop::Processes), _) => Some("stopped: it had more processes than it may".to_owned()),
        (Some(Stop::Growth), _) => Some("stopped: the project grew by more than it may".to_owned()),
        (None, Some(signal)) => Some(format!("ended by signal {signal}")),
        (None, None) => None,
    };
    let denied = ended.refused.iter().map(|refused| {
        let path = refused.path.display();
        match &refused.action {
            Action::Moved(to) => format!("{path}, moved to {}", to.display()),
            Action::Removed => format!("{path}, removed"),
            Action::Left => format!("{path}, which is still there: look at it"),
        }
    });
    CommandEnd {
        code: ended.code.filter(|_| reason.is_none()),
        reason,
        took: ended.duration,
        bytes: [ended.out_bytes, ended.err_bytes],
        denied: denied.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_is_cut_waits_for_its_rest() {
        let mut text = Text::default();
        text.push(b"a\xc3");
        assert_eq!(text.take(false), "a");
        text.push(b"\xa4\xff!");
        assert_eq!(text.take(false), "\u{e4}\u{fffd}!");
        text.push(b"\xe2\x82");
        assert_eq!((text.take(false), text.take(true)), (String::new(), "\u{fffd}".to_owned()));
    }
}
