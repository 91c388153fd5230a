//! Answers a request for environment values: only the requested names, never the rest.

use std::collections::BTreeMap;

use nudge_core::{EnvView, Fault, FaultKind};
use nudge_memory::{Ambient, Caller};
use serde_json::Value;

/// How often one call may be sent back for more names. Conditions are all known after the first
/// round; the others are for hints that change in between.
pub const MAX_ROUNDS: usize = 4;

/// Adds the values that `fault` requests to the caller. False when it requests nothing new, or when
/// the caller has no environment of its own.
pub fn answer(caller: &mut Caller, fault: &Fault) -> bool {
    answer_from(caller, fault, |name| {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    })
}

/// The fault to report instead of a request that could not be met; callers never see the request
/// itself.
pub fn unanswerable() -> Fault {
    Fault::new(
        FaultKind::Internal,
        "environment_unknown",
        "a condition needs environment values that were not given",
    )
    .next("pass them in `context.env`")
}

fn answer_from(caller: &mut Caller, fault: &Fault, look_up: impl Fn(&str) -> Option<String>) -> bool {
    let Ambient::Here(context) = &mut caller.ambient else { return false };
    let all = match &context.env {
        EnvView::Absent => return false,
        EnvView::Complete(values) => Some(values.clone()),
        EnvView::Partial(_) => None,
    };
    let mut known = match std::mem::replace(&mut context.env, EnvView::Absent) {
        EnvView::Partial(known) => known,
        EnvView::Complete(_) | EnvView::Absent => BTreeMap::new(),
    };
    let before = known.len();
    for name in names(fault) {
        let value = match &all {
            Some(values) => values.get(name).cloned(),
            None => look_up(name),
        };
        known.insert(name.to_owned(), value);
    }
    let grew = known.len() > before;
    context.env = EnvView::Partial(known);
    grew
}

fn names(fault: &Fault) -> impl Iterator<Item = &str> {
    fault.data.get("names").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use nudge_core::Context;
    use nudge_memory::Surface;
    use serde_json::json;

    use super::*;

    fn asking(env: EnvView) -> Caller {
        let mut caller = Caller::new(Surface::Mcp, crate::now());
        caller.ambient = Ambient::Here(Context { env, ..Context::unknown() });
        caller
    }

    fn need(names: &[&str]) -> Fault {
        Fault::new(FaultKind::NeedEnv, "need_env", "more").with("names", json!(names))
    }

    fn known(caller: &Caller) -> &EnvView {
        match &caller.ambient {
            Ambient::Here(context) => &context.env,
            Ambient::Nothing => &EnvView::Absent,
        }
    }

    #[test]
    fn only_the_names_asked_for_are_added_once() {
        let mut caller = asking(EnvView::Partial(BTreeMap::new()));
        let look_up = |name: &str| (name == "CI").then(|| "1".to_owned());
        assert!(answer_from(&mut caller, &need(&["CI", "GONE"]), look_up));
        let values = BTreeMap::from([("CI".to_owned(), Some("1".to_owned())), ("GONE".to_owned(), None)]);
        assert_eq!(known(&caller), &EnvView::Partial(values));
        assert!(!answer_from(&mut caller, &need(&["CI"]), look_up));
    }

    #[test]
    fn a_complete_view_answers_from_itself() {
        let mut caller =
            asking(EnvView::Complete(BTreeMap::from([("A".into(), "x".into()), ("B".into(), "y".into())])));
        assert!(answer_from(&mut caller, &need(&["A"]), |_| None));
        assert_eq!(
            known(&caller),
            &EnvView::Partial(BTreeMap::from([("A".to_owned(), Some("x".to_owned()))]))
        );
    }

    #[test]
    fn a_caller_without_surroundings_has_nothing_to_add() {
        let mut caller = Caller::new(Surface::Rpc, crate::now());
        assert!(!answer_from(&mut caller, &need(&["A"]), |_| Some("x".into())));
    }
}
