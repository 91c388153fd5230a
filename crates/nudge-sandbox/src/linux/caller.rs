//! The caller's side of a run: starts the supervisor, passes output on, and stops what takes too
//! long.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::SUPERVISOR;
use super::guard;
use super::wire::{Link, Order, Report, to_read, wait_for};
use crate::ended::{Channel, Ended, Failed, Refused, Stop};
use crate::level::{Level, Support};
use crate::plan::{Plan, Program};

/// How often a run looks whether it was cancelled.
const LOOK: i64 = 20;

/// How long a supervisor may take to end everything before it is killed. With namespaces that takes
/// everything with it, too.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What Landlock alone leaves open before Linux 6.12.
const SIGNALS: &str = "; they can also send signals to your other programs";

/// How much output is read at once. A pipe holds as much.
const PIECE: usize = 64 << 10;

/// The projects in which commands run: how many, and the protected names that were there before the
/// first of them.
static RUNNING: Mutex<BTreeMap<PathBuf, (usize, BTreeSet<String>)>> = Mutex::new(BTreeMap::new());

/// A command that runs in a project. What another one makes meanwhile was not there before it.
struct Running {
    root: PathBuf,
    protected: BTreeSet<String>,
}

impl Running {
    fn begin(root: &Path) -> Self {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, protected) =
            running.entry(root.to_owned()).or_insert_with(|| (0, guard::protected_names(root)));
        *count += 1;
        Self { root: root.to_owned(), protected: protected.clone() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((count, _)) = running.get_mut(&self.root) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.root);
            }
        }
    }
}

pub(crate) fn run(
    plan: &Plan,
    program: &Program,
    cancel: &AtomicBool,
    on_output: impl FnMut(Channel, &[u8]),
) -> Result<Ended, Failed> {
    let plan = checked(plan)?;
    let private = private_directory(&plan)?;
    let running = Running::begin(&plan.root);
    let temporary = private.as_ref().map_or_else(|| PathBuf::from("/tmp"), |dir| dir.path().to_owned());
    let (link, theirs) = Link::pair().map_err(|error| Failed::SetUp(format!("no socket: {error}")))?;
    let mut supervisor = Command::new(&program.path)
        .args(&program.arguments)
        .arg(SUPERVISOR)
        .env_clear()
        .current_dir("/")
        .stdin(theirs)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| Failed::Start { path: program.path.clone(), source })?;
    let started = Instant::now();
    let (arguments, protected) = (program.arguments.clone(), running.protected.clone());
    let order = Order { plan, arguments, temporary, protected };
    let ended = link
        .send(&order)
        .map_err(|error| Failed::SetUp(format!("no answer from {}: {error}", program.path.display())))
        .and_then(|()| {
            let mut conversation = Conversation::new(&order.plan, link, started, on_output);
            conversation.hold(&mut supervisor, cancel)?;
            conversation.result()
        });
    if ended.is_err() {
        let _ = supervisor.kill();
    }
    let _ = supervisor.wait();
    ended
}

/// The plan with resolved paths, if they make sense.
fn checked(plan: &Plan) -> Result<Plan, Failed> {
    let resolved = |path: &Path, what: &str| {
        path.canonicalize().map_err(|error| Failed::Plan(format!("{what} {}: {error}", path.display())))
    };
    let mut plan = plan.clone();
    plan.root = resolved(&plan.root, "the project's directory")?;
    plan.directory = resolved(&plan.directory, "the working directory")?;
    if !plan.directory.starts_with(&plan.root) {
        return Err(Failed::Plan(format!("{} is not in the project", plan.directory.display())));
    }
    let home = plan.home.canonicalize().unwrap_or_else(|_| plan.home.clone());
    if home.starts_with(&plan.root) || plan.home.starts_with(&plan.root) {
        let root = plan.root.display();
        return Err(Failed::Plan(format!(
            "the project {root} contains your home directory, so nothing hides it"
        )));
    }
    plan.hidden =
        plan.hidden.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect();
    if let Some(hidden) = plan.hidden.iter().find(|hidden| plan.root.starts_with(hidden)) {
        return Err(Failed::Plan(format!("the project is in {}, which is never shown", hidden.display())));
    }
    let inside = plan.hidden.iter().find(|hidden| hidden.starts_with(&plan.root) && hidden.exists());
    if let (true, Some(hidden)) = (plan.level < Level::Full, inside) {
        return Err(Failed::Plan(format!(
            "{} cannot be hidden from commands on this machine",
            hidden.display()
        )));
    }
    Ok(plan)
}

/// Home and temporary directory of a command that has no file system of its own.
fn private_directory(plan: &Plan) -> Result<Option<tempfile::TempDir>, Failed> {
    if plan.level == Level::Full {
        return Ok(None);
    }
    let made = tempfile::Builder::new().prefix("nudge-run-").tempdir();
    let dir = made.map_err(|error| Failed::SetUp(format!("no temporary directory: {error}")))?;
    Ok(Some(dir))
}

/// Everything that is known of a run under way.
struct Conversation<'a, F> {
    plan: &'a Plan,
    link: Link,
    started: Instant,
    on_output: F,
    counts: [u64; 2],
    held_by: Option<Support>,
    failed: Option<Failed>,
    stopped_by: Option<Stop>,
    closed: Option<Instant>,
    refused: Vec<Refused>,
    end: Option<(Option<i32>, Option<i32>)>,
}

impl<'a, F: FnMut(Channel, &[u8])> Conversation<'a, F> {
    fn new(plan: &'a Plan, link: Link, started: Instant, on_output: F) -> Self {
        Self {
            plan,
            link,
            started,
            on_output,
            counts: [0; 2],
            held_by: None,
            failed: None,
            stopped_by: None,
            closed: None,
            refused: Vec::new(),
            end: None,
        }
    }

    /// Passes output on and listens, until the supervisor is gone.
    fn hold(&mut self, supervisor: &mut Child, cancel: &AtomicBool) -> Result<(), Failed> {
        let broken = |error: io::Error| Failed::SetUp(format!("lost the connection to the sandbox: {error}"));
        let mut out = supervisor.stdout.take();
        let mut err = supervisor.stderr.take();
        let mut is_open = true;
        while is_open || out.is_some() || err.is_some() {
            let fds = [is_open.then(|| self.link.wanted()), to_read(out.as_ref()), to_read(err.as_ref())];
            let ready = wait_for(fds, LOOK).map_err(broken)?;
            if ready[1] && out.as_mut().is_some_and(|pipe| !self.pass(pipe, Channel::Out)) {
                out = None;
            }
            if ready[2] && err.as_mut().is_some_and(|pipe| !self.pass(pipe, Channel::Err)) {
                err = None;
            }
            if ready[0] {
                is_open = self.listen().map_err(broken)?;
            }
            self.stop_if_due(cancel);
            if self.closed.is_some_and(|closed| closed.elapsed() > TIMEOUT) {
                return Err(Failed::SetUp("the sandbox does not end".to_owned()));
            }
        }
        Ok(())
    }

    /// Passes on one piece; `false` at the end.
    fn pass(&mut self, pipe: &mut impl Read, channel: Channel) -> bool {
        let mut piece = [0; PIECE];
        let count = match pipe.read(&mut piece) {
            Ok(0) => return false,
            Ok(count) => count,
            Err(error) => return error.kind() == io::ErrorKind::Interrupted,
        };
        let passed = &mut self.counts[channel as usize];
        let room =
            usize::try_from(self.plan.limits.output_bytes.saturating_sub(*passed)).unwrap_or(usize::MAX);
        *passed += count as u64;
        if room > 0 {
            (self.on_output)(channel, &piece[..count.min(room)]);
        }
        true
    }

    /// Takes what the supervisor says; `false` when it is gone.
    fn listen(&mut self) -> io::Result<bool> {
        let is_open = self.link.fill()?;
        while let Some(report) = self.link.next()? {
            match report {
                Report::Ready { landlock, signals, seccomp, proc } => {
                    let mut held_by = Support::of(self.plan.level, landlock, seccomp, proc);
                    if signals && self.plan.level == Level::Landlock {
                        held_by.reason.push_str(SIGNALS);
                    }
                    self.held_by = Some(held_by);
                }
                Report::Failed(why) => self.failed = Some(Failed::SetUp(why)),
                Report::Refused(refused) => self.refused.extend(refused),
                Report::Stopped(stop) => self.stopped_by = self.stopped_by.or(Some(stop)),
                Report::Ended { code, signal } => self.end = Some((code, signal)),
            }
        }
        Ok(is_open)
    }

    fn stop_if_due(&mut self, cancel: &AtomicBool) {
        if self.closed.is_some() {
            return;
        }
        let stop = if cancel.load(Ordering::Relaxed) {
            Stop::Cancelled
        } else if self.started.elapsed() > self.plan.limits.time {
            Stop::Time
        } else {
            return;
        };
        self.stopped_by = self.stopped_by.or(Some(stop));
        self.link.close();
        self.closed = Some(Instant::now());
    }

    fn result(self) -> Result<Ended, Failed> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let held_by = match (self.held_by, self.stopped_by) {
            (Some(held_by), _) => held_by,
            // Stopped before the command started.
            (None, Some(_)) => Support::of(self.plan.level, false, false, false),
            (None, None) => return Err(Failed::Lost),
        };
        let (code, signal) = match (self.end, self.stopped_by) {
            (Some(end), _) => end,
            (None, Some(_)) => (None, Some(rustix::process::Signal::KILL.as_raw())),
            (None, None) => return Err(Failed::Lost),
        };
        let [out_bytes, err_bytes] = self.counts;
        Ok(Ended {
            code,
            signal,
            stopped_by: self.stopped_by,
            duration: self.started.elapsed(),
            out_bytes,
            err_bytes,
            cut: self.counts.iter().any(|&count| count > self.plan.limits.output_bytes),
            refused: self.refused,
            held_by,
        })
    }
}
