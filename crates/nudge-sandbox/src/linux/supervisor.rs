//! The supervisor: the stage that stays outside. It makes the namespaces, starts the first process
//! in them, measures, and ends everything when its caller is gone.

use std::io;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus};

use super::guard::Guard;
use super::limits::Meter;
use super::wire::{Link, Order, Report, wait_for};
use super::{FIRST, namespaces, tree};
use crate::level::Level;

/// How often a command is measured.
const MEASURE: Duration = Duration::from_millis(50);

/// Works until the command has ended and nothing of it is left.
pub(super) fn work() -> ExitCode {
    close_inherited();
    let Ok(mut caller) = Link::of_stage() else { return ExitCode::FAILURE };
    let order = match caller.receive::<Order>() {
        Ok(Some(order)) => order,
        Ok(None) => return ExitCode::FAILURE,
        Err(error) => return refuse(&caller, format!("the sandbox was given nonsense: {error}")),
    };
    match supervise(&mut caller, &order) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => refuse(&caller, why),
    }
}

fn refuse(caller: &Link, why: String) -> ExitCode {
    let _ = caller.send(&Report::Failed(why));
    ExitCode::FAILURE
}

/// Lets no file that somebody left open reach the command.
pub(super) fn close_inherited() {
    close_fds::set_fds_cloexec(3, &[]);
}

fn supervise(caller: &mut Link, order: &Order) -> Result<(), String> {
    // Leaves the caller's terminal.
    let _ = rustix::process::setsid();
    if order.plan.level == Level::Full {
        namespaces::enter(order.plan.rights.network)?;
        namespaces::hand_down_capabilities()
            .map_err(|error| format!("no rights in the namespace ({error})"))?;
    } else {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|error| format!("cannot adopt processes ({error})"))?;
    }
    let mut supervised = Supervised::start(order)?;
    let stop = supervised.watch(caller, order).map_err(|error| error.to_string());
    supervised.end(order.plan.level);
    if supervised.has_started && !supervised.has_ended {
        let killed = Report::Ended { code: None, signal: Some(Signal::KILL.as_raw()) };
        let _ = caller.send(&killed);
    }
    if let Some(report) = stop? {
        let _ = caller.send(&report);
    }
    if order.plan.level < Level::Full {
        // The caller does it, too, unless it was killed.
        let _ = std::fs::remove_dir_all(&order.temporary);
    }
    let refused = supervised.guard.finish();
    if !refused.is_empty() {
        let _ = caller.send(&Report::Refused(refused));
    }
    Ok(())
}

/// A command that is being kept.
struct Supervised {
    first: Child,
    handle: rustix::fd::OwnedFd,
    link: Link,
    guard: Guard,
    has_started: bool,
    has_ended: bool,
}

impl Supervised {
    fn start(order: &Order) -> Result<Self, String> {
        let guard = Guard::new(&order.plan, &order.protected);
        let (link, theirs) = Link::pair().map_err(|error| format!("no socket ({error})"))?;
        // This program, even if another has taken its place.
        let first = Command::new("/proc/self/exe")
            .args(&order.arguments)
            .arg(FIRST)
            .env_clear()
            .stdin(theirs)
            .spawn()
            .map_err(|error| format!("cannot start a process in the namespace ({error})"))?;
        let handle = rustix::process::pidfd_open(Pid::from_child(&first), PidfdFlags::empty())
            .map_err(|error| format!("cannot hold a process, which takes Linux 5.3 ({error})"))?;
        let supervised = Self { first, handle, link, guard, has_started: false, has_ended: false };
        supervised
            .link
            .send(order)
            .map_err(|error| format!("the first process does not listen ({error})"))?;
        Ok(supervised)
    }

    /// Passes on what the first process says, until it ends or must. The answer is what else is to
    /// be said.
    fn watch(&mut self, caller: &mut Link, order: &Order) -> io::Result<Option<Report>> {
        let mut meter = Meter::new(&order.plan.limits, &order.plan.root);
        let mut measured = Instant::now();
        let mut speaks = true;
        loop {
            let due = MEASURE.saturating_sub(measured.elapsed());
            let fds = [
                Some(caller.wanted()),
                speaks.then(|| self.link.wanted()),
                Some(PollFd::new(&self.handle, PollFlags::IN)),
                self.guard.wanted(),
            ];
            let wait = i64::try_from(due.as_millis()).unwrap_or(0) + 1;
            let [calls, says, ends, makes] = wait_for(fds, wait)?;
            if says {
                speaks = self.link.fill()?;
                while let Some(report) = self.link.next::<Report>()? {
                    self.has_started |= matches!(report, Report::Ready { .. });
                    self.has_ended |= matches!(report, Report::Ended { .. });
                    caller.send(&report)?;
                }
            }
            // The caller says nothing more: it is its end.
            if calls {
                return Ok(None);
            }
            if makes {
                self.guard.hear();
            }
            if ends && !speaks {
                return Ok(None);
            }
            if measured.elapsed() >= MEASURE {
                if let Some(stop) = meter.measure(self.first.id()) {
                    return Ok(Some(Report::Stopped(stop)));
                }
                measured = Instant::now();
            }
        }
    }

    /// Ends everything, and waits until nothing is left. The kernel does it for a namespace.
    fn end(&mut self, level: Level) {
        if level == Level::Full {
            let _ = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
            let _ = self.first.wait();
        } else {
            tree::end_descendants(|_: u32, _: WaitStatus| ());
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let _ = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
    }
}
