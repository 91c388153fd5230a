//! `cargo xtask coverage`: maps requirement ids to the anchors that state them and the tests that
//! show them.
//!
//! `docs/spec/traceability.toml` is the only place that names ids; the specification's pages do not
//! use them.

mod map;

use std::collections::{BTreeMap, BTreeSet};

use map::{Id, MAP, RequirementState};

use crate::anchors::Anchors;
use crate::finding::{self, Finding};
use crate::tree::{self, Tree};

/// An anchor with more ids than this states a chapter, not a behaviour.
const IDS_PER_ANCHOR: usize = 5;

/// Prints id → anchor → tests for the requested ids, and fails on a missing one (with `--strict`
/// also on a waiting one).
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let request = Request::parse(args)?;
    let tree = Tree::load()?;
    let Some(file) = tree.get(MAP) else { anyhow::bail!("{MAP} is not there") };
    let (map, mut findings) = map::read(file);
    let list = map::list(&tree::root())?;
    match &list {
        Some(list) => findings.extend(compare(&map, list)),
        None => {
            println!("notice: no requirements beside this checkout; the ids of {MAP} are taken as they are")
        }
    }
    findings.extend(crowded(&map));

    let known: BTreeSet<Id> = map.keys().copied().chain(list.into_iter().flatten()).collect();
    let asked = request.ids(&known)?;
    let verdicts = verdicts(&asked, &map, &Anchors::read(&tree));
    print(&verdicts, request.summary);
    Ok(finding::all_clear(&findings) && in_order(&verdicts, request.strict))
}

/// The parsed arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    letters: Vec<char>,
    ids: Vec<Id>,
    strict: bool,
    summary: bool,
}

impl Request {
    fn parse(args: &[String]) -> anyhow::Result<Self> {
        let mut request = Self::default();
        for arg in args {
            match arg.as_str() {
                "--strict" => request.strict = true,
                "--summary" => request.summary = true,
                _ if arg.len() == 1 && map::is_letter(&arg[..1]) => request.letters.extend(arg.chars()),
                _ => match Id::parse(arg) {
                    Some(id) => request.ids.push(id),
                    None => {
                        anyhow::bail!("`{arg}` is neither a letter ({}) nor an id such as N-01", map::LETTERS)
                    }
                },
            }
        }
        Ok(request)
    }

    /// The requested ids: all known ones if none is named.
    fn ids(&self, known: &BTreeSet<Id>) -> anyhow::Result<Vec<Id>> {
        if let Some(unknown) = self.ids.iter().find(|id| !known.contains(id)) {
            anyhow::bail!("there is no requirement {unknown}");
        }
        let all = self.letters.is_empty() && self.ids.is_empty();
        let meant = |id: &&Id| all || self.letters.contains(&id.letter) || self.ids.contains(id);
        Ok(known.iter().filter(meant).copied().collect())
    }
}

/// Ids that are in only one of the two lists.
fn compare(map: &BTreeMap<Id, RequirementState>, list: &BTreeSet<Id>) -> Vec<Finding> {
    let unlisted = list.iter().filter(|id| !map.contains_key(id)).map(|id| {
        let way_out =
            "map it to the anchors that state it, exempt it with a reason, or name what it waits for";
        Finding::new(MAP, 0, format!("{id} is required and not listed"), way_out)
    });
    let invented = map.keys().filter(|id| !list.contains(id));
    let invented =
        invented.map(|id| Finding::new(MAP, 0, format!("{id} is listed and not required"), "remove it"));
    unlisted.chain(invented).collect()
}

/// Anchors with too many ids.
fn crowded(map: &BTreeMap<Id, RequirementState>) -> Vec<Finding> {
    let mut ids_of: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (id, standing) in map {
        for anchor in standing.anchors() {
            ids_of.entry(anchor).or_default().push(id.to_string());
        }
    }
    let crowded = ids_of.into_iter().filter(|(_, ids)| ids.len() > IDS_PER_ANCHOR);
    crowded
        .map(|(anchor, ids)| {
            let problem = format!("{} ids on anchor `{anchor}`: {}", ids.len(), ids.join(", "));
            Finding::new(MAP, 0, problem, format!("at most {IDS_PER_ANCHOR}: split the anchor by behaviour"))
        })
        .collect()
}

// Judges each id and prints id → anchor → tests.

/// The verdict on an id.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Anchors, each with the tests that show it.
    Covered(Vec<(String, Vec<String>)>),
    Exempt(String),
    Waiting(String),
    /// Why it counts as missing.
    Missing(String),
}

/// A verdict for every requested id. An anchor that is not stated or not shown makes its id
/// missing.
fn verdicts(asked: &[Id], map: &BTreeMap<Id, RequirementState>, anchors: &Anchors) -> Vec<(Id, Verdict)> {
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
fn print(verdicts: &[(Id, Verdict)], summary: bool) {
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
fn in_order(verdicts: &[(Id, Verdict)], strict: bool) -> bool {
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

    fn id(text: &str) -> Id {
        Id::parse(text).expect("an id")
    }

    #[test]
    fn letters_and_ids_select_and_nothing_means_all() {
        let known: BTreeSet<Id> = ["N-01", "N-02", "X-14", "X-15"].map(id).into();
        let asked = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let ids = Request::parse(&args).and_then(|request| request.ids(&known));
            ids.map(|ids| ids.iter().map(Id::to_string).collect::<Vec<_>>())
        };
        assert_eq!(asked(&["N", "X-14"]).expect("known"), ["N-01", "N-02", "X-14"]);
        assert_eq!(asked(&["--strict"]).expect("known").len(), 4);
        assert!(asked(&["X-99"]).is_err());
        assert!(asked(&["Q"]).is_err());
    }

    #[test]
    fn both_lists_know_the_same_ids() {
        let map = BTreeMap::from([
            (id("N-01"), RequirementState::Waiting("runs".into())),
            (id("N-09"), RequirementState::Waiting("runs".into())),
        ]);
        let problems: Vec<_> =
            compare(&map, &["N-01", "N-02"].map(id).into()).into_iter().map(|f| f.problem).collect();
        assert_eq!(problems, ["N-02 is required and not listed", "N-09 is listed and not required"]);
    }

    #[test]
    fn a_sixth_id_on_one_anchor_is_refused() {
        let mut map: BTreeMap<Id, RequirementState> = BTreeMap::new();
        for number in 1..=5 {
            map.insert(id(&format!("N-0{number}")), RequirementState::Covered(vec!["hint_values".into()]));
        }
        assert_eq!(crowded(&map), []);
        map.insert(id("N-06"), RequirementState::Covered(vec!["hint_values".into()]));
        assert_eq!(crowded(&map).len(), 1);
    }

    fn judged() -> Vec<(Id, Verdict)> {
        let tree = Tree::of(&[
            ("docs/spec/a.md", "## A {#shown}\n## B {#unshown}\n"),
            ("crates/a/tests/t.rs", "/// @shown @unstated\n#[test]\nfn t() {}\n"),
        ]);
        let covered = |name: &str| Some(map::RequirementState::Covered(vec![name.into()]));
        let standings = [
            covered("shown"),
            covered("unshown"),
            covered("unstated"),
            Some(map::RequirementState::Exempt("not built (S14)".into())),
            Some(map::RequirementState::Waiting("runs".into())),
            None,
        ];
        let ids: Vec<Id> =
            (1..=6).filter_map(|number| super::map::Id::parse(&format!("N-0{number}"))).collect();
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
