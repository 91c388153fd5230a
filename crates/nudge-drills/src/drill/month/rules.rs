//! The user's statements in each repository, and the checks on them at every start.

use std::path::Path;

use anyhow::Context;

use super::REQUEST;
use super::begun::{STATED, SessionStart};
use crate::drill::desktop::Desktop;
use crate::drill::verdict::Verdict;

/// The statements in one repository before any work is done there.
pub(super) struct Rules {
    pub(super) repository: &'static str,
    /// A rule that is remembered.
    remembered: &'static str,
    /// A note that is pinned.
    pinned: &'static str,
    /// A hint that applies in this repository only.
    hint: &'static str,
}

/// A wrong rule, and its correction.
pub(super) struct Corrected {
    pub(super) said: &'static str,
    pub(super) corrected: &'static str,
}

pub(super) const WRONG: Corrected = Corrected {
    said: "Deploy by hand with `make deploy` on the build server.",
    corrected: "Deploy with the release workflow; nobody deploys by hand.",
};

pub(super) fn all() -> Vec<Rules> {
    vec![
        Rules {
            repository: "shop",
            remembered: "Prices are integers in cents; never use floats for money.",
            pinned: "Staging is reset every Sunday night, so do not test orders there on Sundays.",
            hint: "pnpm test --run --coverage",
        },
        Rules {
            repository: "parcel",
            remembered: "Every new dependency needs a line in docs/dependencies.md.",
            pinned: "Tokens of carriers come from the keychain and never from a file.",
            hint: "cargo nextest run --all-features",
        },
    ]
}

impl Rules {
    /// The user makes the statements.
    pub(super) fn state(&self, desktop: &Desktop, root: &Path) -> anyhow::Result<()> {
        desktop.person(root, &["remember", self.remembered])?;
        let note = desktop.person(root, &["mark", self.pinned])?;
        let note = note["id"].as_i64().context("a note has a number")?.to_string();
        desktop.person(root, &["pin", &note])?;
        let set = ["set", "tests", "run", self.hint, "--repo", ".", "--ttl", "forever"];
        desktop.person(root, &set).map(drop)
    }

    fn texts(&self) -> [&'static str; 3] {
        [self.remembered, self.pinned, self.hint]
    }
}

/// Checks every start; those after the first `worked` had no work before them.
pub(super) fn check(begun: &[SessionStart], rules: &[Rules], worked: usize, verdict: &mut Verdict) {
    for one in begun {
        let begins = format!("{} in {}", one.at, one.repository);
        for rules in rules.iter().filter(|rules| rules.repository == one.repository) {
            for text in rules.texts() {
                verdict.demand(one.text.contains(text), format!("{begins} lacks {text:?}"));
            }
        }
        for other in rules.iter().filter(|rules| rules.repository != one.repository) {
            let is_there = one.text.contains(other.hint) || one.text.contains(other.remembered);
            verdict.demand(!is_there, format!("{begins} has a rule of {}", other.repository));
        }
        if one.repository == "shop" {
            let (holds, not) =
                if one.corrected { (WRONG.corrected, WRONG.said) } else { (WRONG.said, WRONG.corrected) };
            verdict.demand(one.text.contains(holds), format!("{begins} lacks {holds:?}"));
            verdict.demand(!one.text.contains(not), format!("{begins} has {not:?}"));
        }
        let as_rule = one.section(STATED).iter().any(|line| line.contains(REQUEST));
        verdict.demand(!as_rule, format!("{begins} has a request as a rule"));
    }
    for rules in rules {
        let mut empty = begun[worked..].iter().filter(|one| one.repository == rules.repository);
        let Some(first) = empty.next() else { continue };
        verdict.demand(!first.work().is_empty(), format!("{} has no work to show", rules.repository));
        for one in empty.filter(|one| one.work() != first.work()) {
            verdict.demand(
                false,
                format!("{} in {}: empty sessions change where the work stopped", one.at, one.repository),
            );
        }
    }
}
