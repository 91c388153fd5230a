//! The figures of one replay of one project.

mod failures;
mod reader;
mod searches;
mod tally;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::data::{Place, Project};
use super::heard::Heard;
use super::words::Rarity;
pub(super) use failures::{Failures, Group};
use reader::Reader;
use searches::Searches;
pub(super) use tally::{Share, Tally};

/// The figures of a project.
#[derive(Debug, Default)]
pub(super) struct Score {
    /// Named shares, in display order.
    pub(super) shares: Vec<(&'static str, Tally)>,
    /// Repeats within one session: no start could have helped.
    pub(super) in_session: u64,
    /// Instructions for one task that were injected as lasting rules: session, number, line.
    pub(super) task_rules_kept: Vec<(Place, String)>,
    /// Tokens of each start that was given something, sorted.
    pub(super) tokens: Vec<u32>,
    pub(super) starts: u64,
    pub(super) used: BTreeMap<String, (u64, u64)>,
    pub(super) proposals: u64,
    pub(super) failures: Failures,
}

impl Score {
    pub(super) fn of(project: &Project, heard: &Heard, rarity: &Rarity) -> Self {
        let reader = Reader::new(project, heard, rarity);
        let (repeats, of_others, in_session) = reader.repeats();
        let (at_start, at_prompt) = reader.helped();
        let (control, new_topic, short) = reader.silence();
        let (recall, precision) = reader.instructions();
        let (found, refused) = Searches::of(project, heard).tallies();
        let starts = heard.starts();
        let mut tokens: Vec<u32> =
            starts.iter().filter_map(|(_, asked)| Some(asked.given.as_ref()?.tokens)).collect();
        tokens.sort_unstable();
        Self {
            shares: vec![
                ("instructions: become a proposal (recall)", recall),
                ("instructions: proposals that hold (precision)", precision),
                ("repeats: had the words before", repeats),
                ("repeats of an earlier session: had the words before", of_others),
                ("helped at the start", at_start),
                ("helped at the prompt", at_prompt),
                ("search with the prompt as it stands: hit at 10", found),
                ("search with the prompt as it stands: refused", refused),
                ("not silent: control", control),
                ("not silent: new topic", new_topic),
                ("not silent: other prompts of five words or fewer", short),
            ],
            in_session,
            task_rules_kept: reader.standing(),
            tokens,
            starts: starts.len() as u64,
            used: heard.used.clone(),
            proposals: heard.proposals.len() as u64,
            failures: Failures::of(project, heard),
        }
    }

    /// Tokens of the starts at a percentile, by nearest rank.
    pub(super) fn tokens_at(&self, percent: usize) -> Option<u32> {
        self.tokens.get((self.tokens.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    }

    pub(super) fn json(&self) -> Value {
        let shares: serde_json::Map<String, Value> =
            self.shares.iter().map(|(name, tally)| ((*name).to_owned(), tally.json())).collect();
        let standing: Vec<Value> = self
            .task_rules_kept
            .iter()
            .map(|(place, line)| json!({"session": place.session, "seq": place.seq, "line": line}))
            .collect();
        json!({
            "shares": shares, "repeats_in_session": self.in_session, "standing": standing, "starts": self.starts,
            "starts_given": self.tokens.len(), "tokens_p50": self.tokens_at(50), "tokens_p95": self.tokens_at(95),
            "used": self.used, "proposals": self.proposals,
        })
    }
}

#[cfg(test)]
mod tests;
