//! One process: started, given its input, timed, and killed if it hangs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::plan::{Again, Event, Lane};
use crate::stage::Home;

/// Many times the longest deadline: a process that takes this long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(10);

/// How often the watchdog checks.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A process that has ended.
#[derive(Clone, Debug)]
pub(super) struct Fired {
    pub(super) began: Instant,
    pub(super) took: Duration,
    /// What was wrong with its exit or its output; `None` if nothing was.
    pub(super) problem: Option<String>,
}

/// A slot that runs one process at a time.
pub(super) struct ProcessSlot {
    running: Mutex<Option<(Pid, Instant)>>,
    stdout: Mutex<File>,
    stderr: Mutex<File>,
}

impl ProcessSlot {
    pub(super) fn new() -> anyhow::Result<Self> {
        let file = || tempfile::tempfile().map(Mutex::new).context("no file for what hooks print");
        Ok(Self { running: Mutex::new(None), stdout: file()?, stderr: file()? })
    }

    /// Runs a command to its end, with this standard input.
    pub(super) fn fire(&self, mut command: Command, input: &str) -> anyhow::Result<Fired> {
        let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        command.stdin(Stdio::piped()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let began = Instant::now();
        let mut child = command.spawn().context("a process cannot be started")?;
        let pid = Pid::from_raw(child.id().cast_signed()).context("a process has an id")?;
        self.set(Some((pid, began)));
        let mut stdin = child.stdin.take().context("standard input is piped")?;
        // A process that exits before it has read everything is judged by its exit.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        // Not reaped yet, so that its id is not reused while the watchdog may still signal it.
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
        let took = began.elapsed();
        self.set(None);
        let status = child.wait()?;
        let (said, complained) = (taken(&mut stdout)?, taken(&mut stderr)?);
        let problem = if !status.success() {
            Some(format!("ended with {status}"))
        } else if !complained.is_empty() {
            Some(format!("wrote to standard error: {}", complained.trim()))
        } else if !said.is_empty() && serde_json::from_str::<serde_json::Value>(&said).is_err() {
            Some(format!("answered with something else than JSON: {}", said.trim()))
        } else {
            None
        };
        Ok(Fired { began, took, problem })
    }

    /// Kills the process in this slot if it hangs.
    fn watch(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((pid, since)) = *running
            && since.elapsed() > HANGS_AFTER
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    fn set(&self, to: Option<(Pid, Instant)>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

/// Watches all slots until `over` returns true.
pub(super) fn watchdog(posts: &[ProcessSlot], over: &dyn Fn() -> bool) {
    while !over() {
        posts.iter().for_each(ProcessSlot::watch);
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The contents of the file, which is then truncated.
fn taken(file: &mut File) -> std::io::Result<String> {
    if file.metadata()?.len() == 0 {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

// One lane: sessions one after the other, a hook process for each event, some events twice.

/// A process that does nothing is started with every fifth event, which gives enough samples to
/// know the slowest.
const TRUE_EVERY: usize = 5;

/// The results of a lane.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Each process, with the position of its event in the plan.
    pub(super) fired: Vec<(usize, Fired)>,
    /// How long the processes that do nothing took.
    pub(super) trues: Vec<Duration>,
}

/// Plays a lane to its end, with two slots because some events are sent twice at once.
pub(super) fn play(
    home: &Home,
    lane: &Lane,
    posts: &[ProcessSlot; 2],
    sent: &AtomicUsize,
) -> anyhow::Result<Log> {
    let mut log = Log::default();
    let nothing = program_that_does_nothing()?;
    let mut later: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let one = |post: &ProcessSlot, event: &Event| {
        let fired = post.fire(home.nudge(&["hook", "claude"]), &event.payload);
        sent.fetch_add(1, Ordering::Relaxed);
        fired
    };
    for (place, event) in lane.events.iter().enumerate() {
        if let Some(Again::Beside) = event.again {
            let (first, second) = std::thread::scope(|scope| {
                let second = scope.spawn(|| one(&posts[1], event));
                (one(&posts[0], event), second.join())
            });
            log.fired.push((place, first?));
            log.fired.push((place, second.map_err(|_| anyhow::anyhow!("a lane failed"))??));
        } else {
            log.fired.push((place, one(&posts[0], event)?));
        }
        match event.again {
            Some(Again::AtOnce) => log.fired.push((place, one(&posts[0], event)?)),
            // Sent before the lane ends, whatever the plan says.
            Some(Again::Later(events)) => {
                later.entry((place + events).min(lane.events.len() - 1)).or_default().push(place);
            }
            Some(Again::Beside) | None => {}
        }
        for due in later.remove(&place).unwrap_or_default() {
            log.fired.push((due, one(&posts[0], &lane.events[due])?));
        }
        if place % TRUE_EVERY == 0 {
            let fired = posts[0].fire(home.program(&nothing), "")?;
            log.trues.push(fired.took);
        }
    }
    Ok(log)
}

/// `true` by its full path, as hooks have one: a program that is searched on the path is started in
/// a slower way, which copies this process.
fn program_that_does_nothing() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|dir| dir.join("true"));
    places.find(|place| place.is_file()).context("there is no `true`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fire(script: &str) -> Option<String> {
        let post = ProcessSlot::new().expect("a post");
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        post.fire(command, "{}").expect("it ran").problem
    }

    #[test]
    fn a_hook_that_fails_or_prints_is_a_problem() {
        assert_eq!(fire("cat > /dev/null"), None);
        assert_eq!(fire("printf '{}'"), None);
        assert_eq!(fire("exit 3"), Some("ended with exit status: 3".to_owned()));
        assert_eq!(fire("echo locked >&2"), Some("wrote to standard error: locked".to_owned()));
        assert_eq!(fire("echo hello"), Some("answered with something else than JSON: hello".to_owned()));
    }

    #[test]
    fn what_one_printed_is_not_held_against_the_next() {
        let post = ProcessSlot::new().expect("a post");
        let mut loud = Command::new("sh");
        loud.args(["-c", "echo oh >&2"]);
        assert!(post.fire(loud, "").expect("it ran").problem.is_some());
        assert_eq!(post.fire(Command::new("true"), "").expect("it ran").problem, None);
    }
}
