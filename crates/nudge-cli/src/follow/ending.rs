//! How a run ended: the answer on standard output, and everything else on standard error.

use nudge_agent::runs::{RunAnswer, RunView};
use nudge_core::{Fault, FaultKind};
use serde_json::Value;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::run;

/// Prints the answer, its sources and its cost.
pub(super) fn show(
    invocation: &Invocation,
    raw: &Value,
    view: &RunView,
    number: Option<u32>,
    is_quiet: bool,
) -> Exit {
    let fault = fault(view, number);
    if invocation.output.is_json() {
        invocation.output.answer(raw, |_| {});
        return fault.map_or(Exit::Ok, |fault| Exit::of(&fault));
    }
    let answer = prompt(view, number).map_or("", |one| one.answer.trim_end());
    if !answer.is_empty() {
        invocation.output.value(answer);
    }
    if !is_quiet {
        invocation.output.note(|page| run::ending(page, view, !answer.is_empty()));
    }
    fault.map_or(Exit::Ok, |fault| invocation.output.fail(&Failure::Fault(fault)))
}

/// Prints what there is of a run that the user stopped.
pub(super) fn aborted(invocation: &Invocation, raw: &Value, view: &RunView, partial: &str, is_quiet: bool) {
    if invocation.output.is_json() {
        invocation.output.answer(raw, |_| {});
    } else if !is_quiet {
        invocation.output.note(|page| run::aborted(page, view, partial));
    }
}

/// The prompt with this number, or the last one.
fn prompt(view: &RunView, number: Option<u32>) -> Option<&RunAnswer> {
    view.loops.iter().find(|one| Some(one.number) == number).or_else(|| view.loops.last())
}

/// Why there is no answer; `None` if there is one.
pub(super) fn fault(view: &RunView, number: Option<u32>) -> Option<Fault> {
    let prompt = prompt(view, number);
    let status = prompt.map_or(view.status, |one| one.status);
    let reason = prompt.map(|one| one.reason.as_str()).filter(|reason| !reason.is_empty());
    let reason = reason.or(view.outcome.as_deref()).map(|reason| format!(": {reason}")).unwrap_or_default();
    let run = &view.run;
    let look = format!("`nudge run show {run}` shows what happened");
    let again = format!("`nudge run resume {run}` tries it again; {look}");
    let is_rejected = view.outcome.as_deref().is_some_and(|outcome| outcome.starts_with("rejected"));
    let has_answer = prompt.is_some_and(|one| !one.answer.is_empty());
    Some(match status {
        200 | 204 if is_rejected && !has_answer => {
            let why = "the question was rejected, so there is no answer";
            Fault::new(FaultKind::Forbidden, "rejected", why).next(look)
        }
        200 | 204 => return None,
        422 => Fault::new(FaultKind::NotFound, "no_answer", "the model found no answer").next(look),
        413 => {
            let why = format!("the prompt of run `{run}` does not fit the model{reason}");
            Fault::new(FaultKind::TooLarge, "overflow", why)
                .next("ask for less, or choose a model with a larger context")
        }
        499 => Fault::new(FaultKind::Internal, "run_aborted", format!("run `{run}` was aborted{reason}"))
            .next(again),
        _ => Fault::new(FaultKind::Internal, "run_failed", format!("run `{run}` failed ({status}){reason}"))
            .next(again),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(status: u16, reason: &str) -> RunView {
        let one = RunAnswer {
            number: 2,
            status,
            reason: reason.to_owned(),
            state: "x".to_owned(),
            ..RunAnswer::default()
        };
        RunView { run: "port".to_owned(), status: 102, loops: vec![one], ..RunView::default() }
    }

    #[test]
    fn every_ending_has_its_exit_code() {
        let code =
            |status| fault(&ended(status, ""), Some(2)).map_or(Exit::Ok, |fault| Exit::of(&fault)).code();
        assert_eq!([200, 204, 413, 422, 429, 499, 500].map(code), [0, 0, 2, 3, 1, 1, 1]);
    }

    #[test]
    fn a_rejected_question_is_no_answer() {
        let run = RunView { outcome: Some("rejected".to_owned()), ..ended(200, "") };
        assert_eq!(fault(&run, Some(2)).map(|fault| Exit::of(&fault).code()), Some(4));
    }

    #[test]
    fn a_failure_says_why_and_what_to_do() {
        let fault = fault(&ended(429, "the provider is busy"), Some(2)).expect("a failure");
        assert_eq!(fault.message, "run `port` failed (429): the provider is busy");
        let next = "`nudge run resume port` tries it again; `nudge run show port` shows what happened";
        assert_eq!(fault.next.as_deref(), Some(next));
    }
}
