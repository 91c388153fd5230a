//! The runs in a command line, and what happens to the exit status and the output of each.

mod readers;

use super::runner::{Call, call};
use super::shell::{Body, DEEPEST, List, Stage, Step, Then, parse};
use super::unwrapped::{Unwrapped, unwrapped};
use super::view::{View, view};

/// Steps of a list; a line with more is not looked at.
const MOST_STEPS: usize = 200;

/// Stages of a pipeline; a line with more is not looked at.
const MOST_STAGES: usize = 60;

/// A run in a command line.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) call: Call,
    pub(crate) exit: Exit,
    /// What its output goes through before it is seen.
    pub(crate) views: Vec<View>,
    /// It may have run more than once, in a loop.
    pub(crate) repeats: bool,
    /// It is stopped when it takes too long, and then its end is missing.
    pub(crate) timed: bool,
    /// It stands behind `||`: a line that ended well may have gone around it.
    pub(crate) skippable: bool,
    /// Commands that may fail stand before it and `&&`: it may never have been reached.
    pub(crate) led: bool,
}

/// What the exit status of the whole line says of one run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is that of the run.
    #[default]
    Own,
    /// Commands follow by `&&`: zero is that of the run too, another may be theirs. `harmless` ones
    /// cannot fail.
    Shared { harmless: bool },
    /// It says nothing.
    Hidden,
}

/// Every run of a command line, in its order.
pub(crate) fn runs(line: &str) -> Vec<Found> {
    let mut plan = Plan { found: Vec::new(), depth: 0, is_too_long: false };
    plan.list(&parse(line), &Around::default());
    if plan.is_too_long { Vec::new() } else { plan.found }
}

struct Plan {
    found: Vec<Found>,
    depth: usize,
    /// It has more steps or stages than are looked at.
    is_too_long: bool,
}

/// What holds for a list, a stage or a command from outside.
#[derive(Clone, Default)]
struct Around {
    exit: Exit,
    views: Vec<View>,
    pipefail: bool,
    /// `set -e`: `;` is as good as `&&`.
    errexit: bool,
    repeats: bool,
    skippable: bool,
    led: bool,
}

impl Plan {
    fn list(&mut self, list: &List, outer: &Around) {
        self.is_too_long |= list.len() > MOST_STEPS;
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
            // Another run that fails is a failure all the same.
            around.led |= self.found.len() == runs && !is_harmless(step);
            before = Some(step);
        }
    }

    fn step(&mut self, step: &Step, behind: &[Step], around: &Around, outer: Exit) {
        self.is_too_long |= step.stages.len() > MOST_STAGES;
        if self.is_too_long {
            return;
        }
        let last = step.stages.len().saturating_sub(1);
        let handed = handed_on(behind);
        for (at, stage) in step.stages.iter().enumerate() {
            let mut around = around.clone();
            let is_handed = handed == Some(Handed::OfFirst) && at == 0 && step.then == Then::Next;
            if is_handed {
                around.exit = outer;
            } else if at < last && !around.pipefail {
                around.exit = Exit::Hidden;
            }
            // `set -e` does not hold in what is asked whether it went well.
            around.errexit &= !step.negated && !matches!(step.then, Then::And | Then::Or);
            let filters = step.stages.get(at + 1..).unwrap_or_default();
            let mut views: Vec<View> = filters.iter().filter_map(|filter| view(&filter.words)).collect();
            views.extend(readers::hidden_by_file(stage, behind));
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
                    led: around.led,
                });
            }
            // `eval` runs its line in this very shell.
            Some(Unwrapped::Line(line, [])) => self.line(line, around),
            Some(Unwrapped::Line(line, options)) => self.line(line, &around.fresh(options)),
            Some(Unwrapped::Shell(options)) => {
                self.line(stage.document.as_deref().unwrap_or_default(), &around.fresh(options));
            }
            None => {}
        }
    }

    fn line(&mut self, line: &str, around: &Around) {
        if self.depth < DEEPEST {
            self.depth += 1;
            self.list(&parse(line), around);
            self.depth -= 1;
        }
    }
}

impl Around {
    /// Takes up `set -eo pipefail`. What may not have been run turns nothing on.
    fn set(&mut self, words: &[String], is_uncertain: bool) {
        if let Some((name, options)) = words.split_first()
            && name == "set"
        {
            let set = self.with(options);
            self.pipefail = set.pipefail && (self.pipefail || !is_uncertain);
            self.errexit = set.errexit && (self.errexit || !is_uncertain);
        }
    }

    /// As a new shell with these options has it.
    fn fresh(&self, options: &[String]) -> Self {
        Self { pipefail: false, errexit: false, ..self.clone() }.with(options)
    }

    /// With options turned on by `-` and off by `+`.
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

/// What the exit status of the list says of one of its steps.
fn exit_of(step: &Step, behind: &[Step], outer: Exit, errexit: bool) -> Exit {
    if step.negated {
        return Exit::Hidden;
    }
    if step.then == Then::Next && handed_on(behind) == Some(Handed::OfLast) {
        return outer;
    }
    if behind.is_empty() && step.then == Then::End {
        return outer;
    }
    // Of `a && b; c` only `b` ends a line with `set -e`.
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

/// Whether what comes behind a step is only reached when it went well.
fn leads(step: &Step, errexit: bool) -> bool {
    step.then == Then::And || (errexit && step.then == Then::Next)
}

/// Commands that only say something.
fn is_harmless(step: &Step) -> bool {
    let says = |stage: &Stage| {
        matches!(
            stage.words.first().map(String::as_str),
            Some("echo" | "true" | "printf" | ":" | "date" | "pwd" | "set" | "export" | "unset")
        )
    };
    !step.negated && step.stages.iter().all(says)
}

/// Whose exit status `exit …` behind a step hands on.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Handed {
    OfLast,
    OfFirst,
}

fn handed_on(behind: &[Step]) -> Option<Handed> {
    let [Stage { words, .. }] = behind.first()?.stages.as_slice() else { return None };
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["exit", "$?"] => Some(Handed::OfLast),
        ["exit", "${PIPESTATUS[0]}" | "$PIPESTATUS" | "${PIPESTATUS}" | "${pipestatus[1]}"] => {
            Some(Handed::OfFirst)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
