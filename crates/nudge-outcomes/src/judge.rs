//! The verdict: by the exit status if that is conclusive, otherwise by the output.

use super::plan::{Exit, Found};
use super::reading::Reading;
use super::run::{Run, Runner, Verdict};
use super::runner::Task;
use super::tools::{Runs, Tool, is_trace, tools};
use super::view::View;

/// Judges the runs of a line by its output and exit status.
pub(crate) fn judge(found: &[Found], lines: &[&str], exit: Option<i32>) -> Option<Run> {
    let last = found.last()?;
    let read = read_all(found, lines);
    let verdict = by_exit(last, exit, &read, found).unwrap_or_else(|| read.verdict(found));
    let line = match verdict {
        Verdict::Passed => read.success_line(last),
        Verdict::Failed => read.failure_line(),
        Verdict::Unknown => None,
    };
    Some(Run { runner: last.call.runner, verdict, passed: read.passed(), failed: read.failed(), line })
}

/// What each tool reported, for all runs of a line.
struct Read<'a> {
    readings: Vec<(Tool, Reading)>,
    lines: &'a [&'a str],
}

fn read_all<'a>(found: &[Found], lines: &'a [&'a str]) -> Read<'a> {
    let mut readings: Vec<(Tool, Reading)> = Vec::new();
    for tool in found.iter().flat_map(|run| tools(run.call)) {
        if readings.iter().all(|(known, _)| known != tool) {
            readings.push((*tool, tool.read(lines, runs_of(*tool, found))));
        }
    }
    Read { readings, lines }
}

fn runs_of(tool: Tool, found: &[Found]) -> Runs {
    let own = || found.iter().filter(|run| tools(run.call).contains(&tool));
    let is_open = own().any(|run| run.repeats || run.call.is_script());
    Runs {
        most: if is_open { usize::MAX } else { own().count() },
        in_script: own().any(|run| run.call.is_script()),
        ignore_failures: own().any(|run| run.call.ignores_failures),
    }
}

/// The verdict by exit status; `None` if that is not conclusive.
fn by_exit(last: &Found, exit: Option<i32>, read: &Read<'_>, found: &[Found]) -> Option<Verdict> {
    let exit = exit?;
    match (last.exit, exit) {
        (Exit::Hidden, _) => None,
        (_, 0) if last.skippable => None,
        // An earlier run may have failed without stopping the line.
        (_, 0) if found.iter().any(|run| run.exit == Exit::Hidden || run.skippable) => {
            Some(read.verdict_but(found, |run| run.exit != Exit::Hidden && !run.skippable))
        }
        (_, 0) if read.contradicts(found) || read.nothing_ran(last) => Some(Verdict::Unknown),
        (_, 0) => Some(Verdict::Passed),
        (Exit::Shared { harmless: false }, _) => None,
        // A command before it may have failed, so that it never ran.
        _ if last.follows_and && !read.is_seen(found, exit) => Some(Verdict::Unknown),
        _ => Some(Verdict::Failed),
    }
}

impl Read<'_> {
    fn all(&self) -> impl Iterator<Item = &Reading> {
        self.readings.iter().map(|(_, reading)| reading)
    }

    /// What the tools of one run reported.
    fn of(&self, run: &Found) -> impl Iterator<Item = &Reading> {
        let own = tools(run.call);
        self.readings.iter().filter(|(tool, _)| own.contains(tool)).map(|(_, reading)| reading)
    }

    fn verdict(&self, found: &[Found]) -> Verdict {
        self.verdict_but(found, |_| false)
    }

    /// The verdict by output, if the exit status shows that some runs succeeded.
    fn verdict_but(&self, found: &[Found], is_known: impl Fn(&Found) -> bool) -> Verdict {
        if self.fails(found) {
            return Verdict::Failed;
        }
        let needs = |at: usize, run: &Found| {
            let mut later = found.iter().skip(at + 1);
            let is_reported_later = later.clone().any(|other| run.call.is_reported_by(other.call));
            let led_on = matches!(run.exit, Exit::Shared { .. }) && !run.skippable && later.next().is_some();
            !is_known(run) && !is_reported_later && !led_on
        };
        let needy: Vec<&Found> =
            found.iter().enumerate().filter(|(at, run)| needs(*at, run)).map(|(_, run)| run).collect();
        // Each run needs a result of its own.
        let is_alike = |run: &Found, other: &Found| {
            (other.call.runner, other.call.task) == (run.call.runner, run.call.task)
        };
        let alike = |run: &Found| found.iter().filter(|other| is_alike(run, other)).count();
        let all_succeed = needy.iter().all(|run| self.succeeds(run, alike(run)));
        if all_succeed { Verdict::Passed } else { Verdict::Unknown }
    }

    /// Whether the output reports a failure although the line succeeded. A count of failures always
    /// does. Other lines do where a script may have continued after them, and do not outweigh a
    /// summary.
    fn contradicts(&self, found: &[Found]) -> bool {
        let is_script = |run: &Found| run.call.is_script() || run.call.task == Task::Script;
        let succeeds = |run: &Found| self.of(run).any(|reading| reading.success(run.call.task).is_some());
        let has_failure = || self.all().any(|reading| reading.sure) && !found.iter().any(succeeds);
        self.failed() > Some(0) || (found.iter().any(is_script) && has_failure())
    }

    /// Whether a run was to test something and says that there was nothing to test.
    fn nothing_ran(&self, run: &Found) -> bool {
        run.call.task == Task::Test && self.of(run).any(|reading| reading.nothing_ran)
    }

    /// Whether the runs were reached: they printed something, or ended with a status that only they
    /// have.
    fn is_seen(&self, found: &[Found], exit: i32) -> bool {
        let is_own_exit = exit == 101 && found.iter().any(|run| run.call.runner == Runner::Cargo);
        is_own_exit
            || self.all().any(Reading::is_seen)
            || found.iter().any(|run| self.lines.iter().any(|line| is_trace(run.call, line)))
    }

    /// Whether a failure is seen. In output filtered by a search, only the most reliable lines
    /// count.
    fn fails(&self, found: &[Found]) -> bool {
        if self.all().any(|reading| reading.sure) {
            return true;
        }
        let is_picked = found.iter().any(|run| run.views.iter().any(|view| matches!(view, View::Grep(_))));
        // A successful build after tests says nothing about the tests.
        let has_tests = found.iter().any(|run| run.call.task == Task::Test);
        let task = if has_tests { Some(Task::Test) } else { found.last().map(|run| run.call.task) };
        let success = self.all().filter_map(|reading| reading.success(task?)).map(|success| success.at).max();
        let likely = self.all().filter_map(|reading| reading.likely).max();
        let doubtful = self.all().filter_map(|reading| reading.doubtful).max().filter(|_| !is_picked);
        likely.max(doubtful) > success
    }

    /// Whether a success is seen that remains valid behind all filters of the run, with a result
    /// for each equal run.
    fn succeeds(&self, run: &Found, alike: usize) -> bool {
        self.of(run).any(|reading| {
            let Some(success) = reading.success(run.call.task) else { return false };
            let is_enough = alike <= reading.results.max(1) && !run.repeats && (success.last || !run.timed);
            let all_seen = |most: Option<usize>| most.is_some_and(|most| self.lines.len() < most);
            is_enough
                && run.views.iter().all(|view| match view {
                    View::Tail(most) => {
                        !(success.open || run.call.keeps_going || run.call.has_other_gates) || all_seen(*most)
                    }
                    View::Head(most) => success.last || all_seen(*most),
                    View::Grep(grep) => !run.call.has_other_gates && grep.shows(reading.canonical),
                    View::Blind => success.whole && !run.call.is_script() && !run.call.has_other_gates,
                    View::Hidden => false,
                })
        })
    }

    fn success_line(&self, last: &Found) -> Option<String> {
        let success = self.of(last).find_map(|reading| reading.success(last.call.task));
        success.map(|success| success.line.clone())
    }

    fn failure_line(&self) -> Option<String> {
        let lines = self.all().filter_map(Reading::failure);
        lines.min_by_key(|(rank, _)| *rank).map(|(_, line)| line.to_owned())
    }

    fn passed(&self) -> Option<u32> {
        self.all().filter_map(|reading| reading.passed).reduce(u32::saturating_add)
    }

    fn failed(&self) -> Option<u32> {
        self.all().filter_map(|reading| reading.failed).reduce(u32::saturating_add)
    }
}
