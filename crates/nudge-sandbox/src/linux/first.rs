//! The first process of the namespace: builds the file system, gives up every right, starts the
//! shell, and takes the exit statuses of what nobody else waits for. When it ends, so does
//! everything in its namespace.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{DumpableBehavior, Pid, PidfdFlags, Signal, WaitStatus};

use super::filter::{self, Sockets};
use super::rules::Enforced;
use super::wire::{Link, Order, Report, wait_for};
use super::{environment, limits, mounts, namespaces, rules, supervisor, tree, view};
use crate::level::Level;

/// How often ended orphans are looked for.
const REAP: i64 = 100;

/// The kernel ends this one first if memory is short.
const FIRST_TO_GO: &str = "1000";

/// Works until the command has ended.
pub(super) fn work() -> ExitCode {
    supervisor::close_inherited();
    let Ok(mut link) = Link::of_stage() else { return ExitCode::FAILURE };
    let Ok(Some(order)) = link.receive::<Order>() else { return ExitCode::FAILURE };
    match start(&link, &order) {
        Ok(child) => {
            wait(&link, &child, order.plan.level);
            ExitCode::SUCCESS
        }
        Err(why) => {
            let _ = link.send(&Report::Failed(why));
            ExitCode::FAILURE
        }
    }
}

fn start(link: &Link, order: &Order) -> Result<Child, String> {
    let plan = &order.plan;
    let is_full = plan.level == Level::Full;
    let _ = rustix::process::setsid();
    let _ = std::fs::write("/proc/self/oom_score_adj", FIRST_TO_GO);
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let problem = |what: &'static str| move |error| format!("{what} ({error})");
    if !is_full {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(problem("cannot adopt"))?;
    }
    let view = view::of(plan);
    let has_proc = if is_full {
        mounts::enter(plan, &view)?
    } else {
        view::link_toolchains(&plan.home, &order.temporary).map_err(|error| format!("no home ({error})"))?;
        true
    };
    limits::set(&plan.limits, plan.level).map_err(|error| format!("cannot set limits ({error})"))?;
    // Without namespaces, too: the system's root has some that Landlock does not bound.
    namespaces::drop_capabilities().map_err(|error| format!("cannot give up rights ({error})"))?;
    rustix::thread::set_no_new_privs(true).map_err(problem("cannot give up new rights"))?;
    // Nobody inside can look into this process or change it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(problem("cannot hide"))?;
    if is_full {
        // After everything that would take it back. Had the supervisor ended before, its end of the
        // link would be closed, which `wait` sees.
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(problem("cannot bind"))?;
    }
    let landlock = rules::apply(plan, &view, &order.temporary)?;
    let seccomp = filter::apply(sockets(plan.level, plan.rights.network))?;
    if plan.level == Level::Landlock && landlock == Enforced::Nothing {
        return Err("the kernel has no Landlock".to_owned());
    }
    let ready = Report::Ready {
        landlock: landlock != Enforced::Nothing,
        signals: landlock != Enforced::All,
        seccomp,
        proc: has_proc,
    };
    link.send(&ready).map_err(|error| error.to_string())?;
    let mut command = Command::new(&plan.shell);
    command.arg("-c").arg(&plan.command).current_dir(&plan.directory).stdin(Stdio::null());
    command.env_clear().envs(environment::of(plan, &order.temporary));
    // Signals to its own group reach the command alone.
    command.process_group(0);
    command.spawn().map_err(|error| format!("cannot start {} ({error})", plan.shell.display()))
}

fn sockets(level: Level, network: bool) -> Sockets {
    match (level, network) {
        (Level::Landlock, false) => Sockets::None,
        (Level::Landlock, true) => Sockets::NotUnix,
        (Level::Full | Level::None, _) => Sockets::Usual,
    }
}

/// Waits for the shell. When it has ended, everything else is ended, too.
fn wait(link: &Link, child: &Child, level: Level) {
    let handle = rustix::process::pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok();
    let mut end = None;
    while end.is_none() {
        let shell = handle.as_ref().map(|handle| PollFd::new(handle, PollFlags::IN));
        let Ok([is_alone, _]) = wait_for([Some(link.wanted()), shell], REAP) else { break };
        tree::reap(|pid, status| {
            if pid == child.id() {
                end = Some(status);
            }
        });
        if is_alone {
            break;
        }
    }
    if level < Level::Full {
        tree::end_descendants(|pid, status| {
            if pid == child.id() {
                end = end.or(Some(status));
            }
        });
    }
    if let Some(status) = end {
        let _ = link.send(&Report::Ended { code: code(status), signal: status.terminating_signal() });
    }
}

fn code(status: WaitStatus) -> Option<i32> {
    status.exit_status()
}
