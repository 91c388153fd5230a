//! The runs in a command line, and what happens to the exit status and the output of each.

use super::runner::{Call, call};
use super::shell::{Body, List, MAX_DEPTH, Stage, Step, Then, parse};
use super::unwrapped::{Unwrapped, unwrapped};
use super::view::{View, view};

/// The maximum number of steps in a list; a line with more is not analysed.
const MAX_STEPS: usize = 200;

/// The maximum number of stages in a pipeline; a line with more is not analysed.
const MAX_STAGES: usize = 60;

/// A run in a command line.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) call: Call,
    pub(crate) exit: Exit,
    /// The filters its output passes through.
    pub(crate) views: Vec<View>,
    /// It may have run more than once, in a loop.
    pub(crate) repeats: bool,
    /// It has a time limit; if that is exceeded, the end of its output is missing.
    pub(crate) timed: bool,
    /// It follows `||`, so a line that succeeded may have skipped it.
    pub(crate) skippable: bool,
    /// It follows `&&` and commands that may fail, so it may never have been reached.
    pub(crate) follows_and: bool,
}

/// What the exit status of the whole line says about one run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is the run's own.
    #[default]
    Own,
    /// Commands follow after `&&`: zero is also the run's status, but a failure may be theirs.
    /// `harmless` ones cannot fail.
    Shared { harmless: bool },
    /// It says nothing about the run.
    Hidden,
}

/// Every run of a command line, in order.
pub(crate) fn runs(line: &str) -> Vec<Found> {
    let mut plan = Plan { found: Vec::new(), depth: 0, is_too_long: false };
    plan.list(&parse(line), &Around::default());
    if plan.is_too_long { Vec::new() } else { plan.found }
}

struct Plan {
    found: Vec<Found>,
    depth: usize,
    /// The line has more steps or stages than are analysed.
    is_too_long: bool,
}

/// What the surroundings impose on a list, a stage or a command.
#[derive(Clone, Default)]
struct Around {
    exit: Exit,
    views: Vec<View>,
    pipefail: bool,
    /// `set -e`: `;` then works like `&&`.
    errexit: bool,
    repeats: bool,
    skippable: bool,
    led: bool,
}

impl Plan {
    fn list(&mut self, list: &List, outer: &Around) {
        self.is_too_long |= list.len() > MAX_STEPS;
        let mut around = outer.clone();
        let mut before: Option<&Step> = None;
        for (at, step) in list.iter().enumerate() {
            if self.is_too_long {
                return;
            }
            let behind = list.get(at + 1..).unwrap_or_default();
            let is_other_way = before.is_some_and(|step| step.then == Then::Or);
            around.skippable = outer.skippable || is_other_way;
            around.led = outer.led || (around.led && before.is_some_and(|step| leads(step, around.errexit)));
            if let [Stage { words, .. }] = step.stages.as_slice() {
                around.set(words, is_other_way);
            }
            around.exit = exit_of(step, behind, outer.exit, around.errexit);
            let runs = self.found.len();
            self.step(step, behind, &around, outer.exit);
            // Another run's failure counts as a failure anyway.
            around.led |= self.found.len() == runs && !is_harmless(step);
            before = Some(step);
        }
    }

    fn step(&mut self, step: &Step, behind: &[Step], around: &Around, outer: Exit) {
        self.is_too_long |= step.stages.len() > MAX_STAGES;
        if self.is_too_long {
            return;
        }
        let last = step.stages.len().saturating_sub(1);
        let handed = handed_on(behind);
        for (at, stage) in step.stages.iter().enumerate() {
            let mut around = around.clone();
            let is_handed = handed == Some(ReturnedExit::OfFirst) && at == 0 && step.then == Then::Next;
            if is_handed {
                around.exit = outer;
            } else if at < last && !around.pipefail {
                around.exit = Exit::Hidden;
            }
            // `set -e` does not apply to commands tested for success.
            around.errexit &= !step.negated && !matches!(step.then, Then::And | Then::Or);
            let filters = step.stages.get(at + 1..).unwrap_or_default();
            let mut views: Vec<View> = filters.iter().filter_map(|filter| view(&filter.words)).collect();
            views.extend(hidden_by_file(stage, behind));
            views.append(&mut around.views);
            around.views = views;
            self.stage(stage, &around);
        }
    }

    fn stage(&mut self, stage: &Stage, around: &Around) {
        match &stage.body {
            Body::Group(list) => self.list(list, around),
            Body::Branches(list) => {
                self.list(list, &Around { exit: Exit::Hidden, repeats: true, ..around.clone() });
            }
            Body::None => self.command(stage, around),
        }
        for line in &stage.inner {
            self.line(line, &Around { exit: Exit::Hidden, views: vec![View::Blind], ..around.clone() });
        }
    }

    fn command(&mut self, stage: &Stage, around: &Around) {
        match unwrapped(&stage.words) {
            Some(Unwrapped::Program(program, arguments)) => {
                let Some(call) = call(program, arguments) else { return };
                let exit = if call.ignores_failures { Exit::Hidden } else { around.exit };
                self.found.push(Found {
                    call,
                    exit,
                    views: around.views.clone(),
                    repeats: around.repeats || stage.words.iter().any(|word| word == "xargs"),
                    timed: stage.words.iter().any(|word| word.ends_with("timeout")),
                    skippable: around.skippable,
                    follows_and: around.led,
                });
            }
            // `eval` runs its line in the same shell.
            Some(Unwrapped::Line(line, [])) => self.line(line, around),
            Some(Unwrapped::Line(line, options)) => self.line(line, &around.fresh(options)),
            Some(Unwrapped::Shell(options)) => {
                self.line(stage.document.as_deref().unwrap_or_default(), &around.fresh(options));
            }
            None => {}
        }
    }

    fn line(&mut self, line: &str, around: &Around) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.list(&parse(line), around);
            self.depth -= 1;
        }
    }
}

impl Around {
    /// Applies `set -eo pipefail`. A command that may not have run turns nothing on.
    fn set(&mut self, words: &[String], is_uncertain: bool) {
        if let Some((name, options)) = words.split_first()
            && name == "set"
        {
            let set = self.with(options);
            self.pipefail = set.pipefail && (self.pipefail || !is_uncertain);
            self.errexit = set.errexit && (self.errexit || !is_uncertain);
        }
    }

    /// The state of a new shell with these options.
    fn fresh(&self, options: &[String]) -> Self {
        Self { pipefail: false, errexit: false, ..self.clone() }.with(options)
    }

    /// The state with options turned on by `-` and off by `+`.
    fn with(&self, options: &[String]) -> Self {
        let mut around = self.clone();
        let own = options.iter().map(String::as_str).take_while(|word| *word != "--");
        let mut words = own.peekable();
        while let Some(word) = words.next() {
            let is_on = word.starts_with('-');
            let Some(letters) = word.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-')) else {
                continue;
            };
            if letters.contains('e') {
                around.errexit = is_on;
            }
            match words.peek().filter(|_| letters.contains('o')) {
                Some(&"pipefail") => around.pipefail = is_on,
                Some(&"errexit") => around.errexit = is_on,
                _ => {}
            }
        }
        around
    }
}

/// What the exit status of the list says about one of its steps.
fn exit_of(step: &Step, behind: &[Step], outer: Exit, errexit: bool) -> Exit {
    if step.negated {
        return Exit::Hidden;
    }
    if step.then == Then::Next && handed_on(behind) == Some(ReturnedExit::OfLast) {
        return outer;
    }
    if behind.is_empty() && step.then == Then::End {
        return outer;
    }
    // In `a && b; c` with `set -e`, only `b` can end the line.
    let mut then = step.then;
    let mut all = behind.iter();
    let mut is_harmless_behind = true;
    if !(errexit && then == Then::Next) {
        for next in all.by_ref() {
            if then != Then::And {
                return Exit::Hidden;
            }
            is_harmless_behind &= is_harmless(next);
            then = next.then;
        }
        if then != Then::End {
            return Exit::Hidden;
        }
    }
    let harmless = is_harmless_behind && all.all(is_harmless);
    match outer {
        Exit::Own => Exit::Shared { harmless },
        Exit::Shared { harmless: others } => Exit::Shared { harmless: harmless && others },
        Exit::Hidden => Exit::Hidden,
    }
}

/// Whether the commands after a step are only reached if it succeeds.
fn leads(step: &Step, errexit: bool) -> bool {
    step.then == Then::And || (errexit && step.then == Then::Next)
}

/// Whether a step only prints something.
fn is_harmless(step: &Step) -> bool {
    let says = |stage: &Stage| {
        matches!(
            stage.words.first().map(String::as_str),
            Some("echo" | "true" | "printf" | ":" | "date" | "pwd" | "set" | "export" | "unset")
        )
    };
    !step.negated && step.stages.iter().all(says)
}

/// Which exit status an `exit …` after a step returns.
#[derive(Copy, Clone, PartialEq, Eq)]
enum ReturnedExit {
    OfLast,
    OfFirst,
}

fn handed_on(behind: &[Step]) -> Option<ReturnedExit> {
    let [Stage { words, .. }] = behind.first()?.stages.as_slice() else { return None };
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["exit", "$?"] => Some(ReturnedExit::OfLast),
        ["exit", "${PIPESTATUS[0]}" | "$PIPESTATUS" | "${PIPESTATUS}" | "${pipestatus[1]}"] => {
            Some(ReturnedExit::OfFirst)
        }
        _ => None,
    }
}

// Output that goes to a file, and a later command that shows it: `make > log; tail log`.

/// Commands that show a file.
const SHOWING_PROGRAMS: [&str; 14] =
    ["cat", "tail", "head", "grep", "egrep", "fgrep", "rg", "sed", "less", "more", "bat", "nl", "awk", "tac"];

/// How the output of a stage is seen if it goes to a file; empty if it does not.
fn hidden_by_file(stage: &Stage, behind: &[Step]) -> Vec<View> {
    let Some(file) = stage.file.as_deref().filter(|file| !is_shown(file)) else { return Vec::new() };
    let mut shown = behind.iter().filter_map(|step| shown_by(step, file));
    shown.rfind(|views| !views.contains(&View::Blind)).unwrap_or_else(|| vec![View::Hidden])
}

fn is_shown(file: &str) -> bool {
    matches!(file, "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2")
}

/// The filters through which a step shows a file, if it shows it.
fn shown_by(step: &Step, file: &str) -> Option<Vec<View>> {
    let (first, filters) = step.stages.split_first()?;
    let Some(Unwrapped::Program(program, arguments)) = unwrapped(&first.words) else { return None };
    if !SHOWING_PROGRAMS.contains(&program) || !arguments.iter().any(|word| word == file) {
        return None;
    }
    let first = view(&first.words);
    Some(first.into_iter().chain(filters.iter().filter_map(|filter| view(&filter.words))).collect())
}

#[cfg(test)]
mod tests;
