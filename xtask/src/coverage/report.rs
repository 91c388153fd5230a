//! Judges each id and prints id → anchor → tests.

use std::collections::BTreeMap;

use super::map::RequirementState;
use super::requirement::Id;
use crate::anchors::Anchors;

/// The verdict on an id.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Anchors, each with the tests that show it.
    Covered(Vec<(String, Vec<String>)>),
    Exempt(String),
    Waiting(String),
    /// Why it counts as missing.
    Missing(String),
}

/// A verdict for every requested id. An anchor that is not stated or not shown makes its id
/// missing.
pub(super) fn verdicts(
    asked: &[Id],
    map: &BTreeMap<Id, RequirementState>,
    anchors: &Anchors,
) -> Vec<(Id, Verdict)> {
    asked.iter().map(|id| (*id, verdict(map.get(id), anchors))).collect()
}

fn verdict(standing: Option<&RequirementState>, anchors: &Anchors) -> Verdict {
    match standing {
        None => Verdict::Missing("not listed".into()),
        Some(RequirementState::Exempt(reason)) => Verdict::Exempt(reason.clone()),
        Some(RequirementState::Waiting(part)) => Verdict::Waiting(part.clone()),
        Some(RequirementState::Covered(names)) => {
            let shown: Vec<_> = names.iter().map(|name| (name.clone(), anchors.shown_by(name))).collect();
            let unstated = names.iter().find(|name| !anchors.stated.contains_key(*name));
            let unshown = shown.iter().find(|(_, tests)| tests.is_empty());
            match (unstated, unshown) {
                (Some(name), _) => Verdict::Missing(format!("no page states {{#{name}}}")),
                (_, Some((name, _))) => Verdict::Missing(format!("no test shows @{name}")),
                _ => Verdict::Covered(shown),
            }
        }
    }
}

/// Prints every verdict and the totals; with `summary` only what is missing and the totals.
pub(super) fn print(verdicts: &[(Id, Verdict)], summary: bool) {
    for (id, verdict) in verdicts {
        match verdict {
            Verdict::Missing(why) => println!("{id:<6} MISSING  {why}"),
            _ if summary => {}
            Verdict::Exempt(reason) => println!("{id:<6} exempt   {reason}"),
            Verdict::Waiting(part) => println!("{id:<6} waiting  {part}"),
            Verdict::Covered(anchors) => {
                for (anchor, tests) in anchors {
                    println!("{id:<6} covered  {anchor}");
                    tests.iter().for_each(|test| println!("                  {test}"));
                }
            }
        }
    }
    println!("{}", totals(verdicts));
}

/// Whether none of the requested ids is missing or, if strict, waiting.
pub(super) fn in_order(verdicts: &[(Id, Verdict)], strict: bool) -> bool {
    !verdicts.iter().any(|(_, verdict)| match verdict {
        Verdict::Missing(_) => true,
        Verdict::Waiting(_) => strict,
        Verdict::Covered(_) | Verdict::Exempt(_) => false,
    })
}

fn totals(verdicts: &[(Id, Verdict)]) -> String {
    let count = |is: fn(&Verdict) -> bool| verdicts.iter().filter(|(_, verdict)| is(verdict)).count();
    format!(
        "coverage: {} ids: {} covered, {} exempt, {} waiting, {} missing",
        verdicts.len(),
        count(|verdict| matches!(verdict, Verdict::Covered(_))),
        count(|verdict| matches!(verdict, Verdict::Exempt(_))),
        count(|verdict| matches!(verdict, Verdict::Waiting(_))),
        count(|verdict| matches!(verdict, Verdict::Missing(_))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn judged() -> Vec<(Id, Verdict)> {
        let tree = Tree::of(&[
            ("docs/spec/a.md", "## A {#shown}\n## B {#unshown}\n"),
            ("crates/a/tests/t.rs", "/// @shown @unstated\n#[test]\nfn t() {}\n"),
        ]);
        let covered = |name: &str| Some(RequirementState::Covered(vec![name.into()]));
        let standings = [
            covered("shown"),
            covered("unshown"),
            covered("unstated"),
            Some(RequirementState::Exempt("not built (S14)".into())),
            Some(RequirementState::Waiting("runs".into())),
            None,
        ];
        let ids: Vec<Id> = (1..=6).filter_map(|number| Id::parse(&format!("N-0{number}"))).collect();
        let map = ids.iter().zip(standings).filter_map(|(id, standing)| Some((*id, standing?))).collect();
        verdicts(&ids, &map, &Anchors::read(&tree))
    }

    #[test]
    fn an_id_is_covered_only_by_an_anchor_that_is_stated_and_shown() {
        let found: Vec<Verdict> = judged().into_iter().map(|(_, verdict)| verdict).collect();
        assert_eq!(
            found,
            [
                Verdict::Covered(vec![("shown".into(), vec!["crates/a/tests/t.rs::t".into()])]),
                Verdict::Missing("no test shows @unshown".into()),
                Verdict::Missing("no page states {#unstated}".into()),
                Verdict::Exempt("not built (S14)".into()),
                Verdict::Waiting("runs".into()),
                Verdict::Missing("not listed".into()),
            ]
        );
        assert_eq!(totals(&judged()), "coverage: 6 ids: 1 covered, 1 exempt, 1 waiting, 3 missing");
    }

    #[test]
    fn missing_always_fails_and_waiting_only_when_strict() {
        let mut verdicts = judged();
        assert!(!in_order(&verdicts, false));
        verdicts.retain(|(_, verdict)| !matches!(verdict, Verdict::Missing(_)));
        assert!(in_order(&verdicts, false));
        assert!(!in_order(&verdicts, true));
        verdicts.retain(|(_, verdict)| !matches!(verdict, Verdict::Waiting(_)));
        assert!(in_order(&verdicts, true));
    }
}
