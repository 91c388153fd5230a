//! The results of the cases, and whether they meet the aims.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::case::{Case, Part};
use super::entry_points::Passage;

/// The maximum share of changed look-alikes, in percent.
const MAX_TOUCHED: usize = 2;

/// Aims for each entry point, in percent: the minimum of caught credentials, the maximum of changed
/// innocent texts.
const MIN_CAUGHT: usize = 98;
const MAX_CHANGED: usize = 1;

/// The table of the entry points.
pub(super) fn by_door(passages: &[Passage], cases: &[Case]) -> String {
    let (credentials, innocent) = totals(cases);
    let mut out = String::from("\n| door | credentials caught | innocent texts changed |\n|---|---:|---:|\n");
    for passage in passages {
        let _ = writeln!(
            out,
            "| {} | {}/{credentials} ({:.1} %) | {}/{innocent} ({:.1} %) |",
            passage.entry_point.name(),
            credentials - passage.leaked.len(),
            share(credentials - passage.leaked.len(), credentials),
            passage.changed.len(),
            share(passage.changed.len(), innocent),
        );
    }
    out
}

/// Whether every entry point meets the aims.
pub(super) fn reaches_aims(passages: &[Passage], cases: &[Case]) -> bool {
    let (credentials, innocent) = totals(cases);
    passages.iter().all(|passage| {
        let caught = credentials - passage.leaked.len();
        caught * 100 >= credentials * MIN_CAUGHT && passage.changed.len() * 100 <= innocent * MAX_CHANGED
    })
}

/// The credentials that got through and the texts that were changed, each with its text and its
/// entry points, one JSON object per line.
pub(super) fn misses(passages: &[Passage], cases: &[Case]) -> String {
    let mut out = String::new();
    for (number, case) in cases.iter().enumerate() {
        let entry_points = |of: &dyn Fn(&Passage) -> bool| -> Vec<&str> {
            passages.iter().filter(|passage| of(passage)).map(|passage| passage.entry_point.name()).collect()
        };
        let missed = entry_points(&|passage| passage.leaked.contains(&number));
        let changed = entry_points(&|passage| passage.changed.contains(&number));
        if !missed.is_empty() || !changed.is_empty() {
            let line = serde_json::json!({
                "id": case.id, "kind": case.kind, "missed_in": missed, "changed_in": changed,
                "text": case.text, "secret": case.secrets,
            });
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

fn totals(cases: &[Case]) -> (usize, usize) {
    let innocent = cases.iter().filter(|case| case.is_look_alike()).count();
    (cases.len() - innocent, innocent)
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// For each leaked case, where it was found; never the credential itself.
    pub(super) leaks: BTreeMap<usize, BTreeSet<String>>,
    /// For each changed look-alike, where it was found.
    pub(super) touched: BTreeMap<usize, BTreeSet<String>>,
    /// The searched places, so that a reader can see the extent of the search.
    pub(super) searched: Vec<String>,
}

impl Findings {
    pub(super) fn leak(&mut self, case: usize, place: impl Into<String>) {
        self.leaks.entry(case).or_default().insert(place.into());
    }

    pub(super) fn touch(&mut self, case: usize, place: impl Into<String>) {
        self.touched.entry(case).or_default().insert(place.into());
    }

    /// Whether every credential is gone and few enough look-alikes were changed.
    pub(super) fn passes(&self, cases: &[Case]) -> bool {
        let look_alikes = cases.iter().filter(|case| case.is_look_alike()).count();
        self.leaks.is_empty() && self.touched.len() * 100 <= look_alikes * MAX_TOUCHED
    }

    /// The tables. They contain no credential.
    pub(super) fn render(&self, cases: &[Case]) -> String {
        let mut out =
            String::from("| place | credentials redacted | look-alikes touched |\n|---|---:|---:|\n");
        for part in Part::ALL {
            let of = |case: &Case| case.part == part;
            let (redacted, touched) = (self.redacted(cases, of), self.touched_of(cases, of));
            let _ = writeln!(out, "| {} | {redacted} | {touched} |", part.name());
        }
        let _ = writeln!(
            out,
            "| all | {} | {} |",
            self.redacted(cases, |_| true),
            self.touched_of(cases, |_| true)
        );
        let _ = writeln!(
            out,
            "\nof shapes that somebody publishes: {}; of shapes that nobody does: {}",
            self.redacted(cases, |case| case.named),
            self.redacted(cases, |case| !case.named)
        );
        out.push_str("\n| kind | redacted |\n|---|---:|\n");
        let kinds: BTreeSet<&str> =
            cases.iter().filter(|case| !case.is_look_alike()).map(|case| case.kind.as_str()).collect();
        for kind in kinds {
            let _ = writeln!(out, "| {kind} | {} |", self.redacted(cases, |case| case.kind == kind));
        }
        let _ = writeln!(out, "\nsearched: {}", self.searched.join("; "));
        for (title, list) in [("LEAKED", &self.leaks), ("TOUCHED", &self.touched)] {
            for (number, places) in list {
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                let case = &cases[*number];
                let _ = writeln!(
                    out,
                    "{title}: {} ({}, {}) in {}",
                    case.id,
                    case.kind,
                    case.part.name(),
                    places.join(", ")
                );
            }
        }
        out
    }

    fn redacted(&self, cases: &[Case], of: impl Fn(&Case) -> bool) -> String {
        let all = || cases.iter().enumerate().filter(|(_, case)| !case.is_look_alike() && of(case));
        let clean = all().filter(|(number, _)| !self.leaks.contains_key(number)).count();
        format!("{clean}/{}", all().count())
    }

    fn touched_of(&self, cases: &[Case], of: impl Fn(&Case) -> bool) -> String {
        let all = || cases.iter().enumerate().filter(|(_, case)| case.is_look_alike() && of(case));
        let touched = all().filter(|(number, _)| self.touched.contains_key(number)).count();
        format!("{touched}/{}", all().count())
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::{Case, Part};
    use super::Findings;

    fn cases() -> Vec<Case> {
        let case = |id: &str, secrets: &[&str]| Case {
            id: id.to_owned(),
            kind: "kind".to_owned(),
            part: Part::Prompt,
            named: false,
            text: "pw hunter2hunter2".to_owned(),
            secrets: secrets.iter().map(|secret| (*secret).to_owned()).collect(),
        };
        let look_alikes = (0..100).map(|number| case(&format!("look-{number}"), &[]));
        std::iter::once(case("cred-1", &["hunter2hunter2"])).chain(look_alikes).collect()
    }

    #[test]
    fn a_leak_fails_and_is_named_without_its_value() {
        let cases = cases();
        let mut findings = Findings::default();
        assert!(findings.passes(&cases));
        findings.leak(0, "prompt.body");
        assert!(!findings.passes(&cases));
        let report = findings.render(&cases);
        assert!(report.contains("LEAKED: cred-1 (kind, prompt) in prompt.body"), "{report}");
        assert!(report.contains("| all | 0/1 | 0/100 |") && !report.contains("hunter2"), "{report}");
    }

    #[test]
    fn two_in_a_hundred_innocent_texts_may_be_touched() {
        let cases = cases();
        let mut findings = Findings::default();
        findings.touch(1, "prompt");
        findings.touch(2, "prompt");
        assert!(findings.passes(&cases));
        findings.touch(3, "set");
        assert!(!findings.passes(&cases));
        assert!(findings.render(&cases).contains("TOUCHED: look-2"));
    }
}
