//! `hint_stats`: how many hints there are and which are used.

use std::collections::BTreeSet;

use nudge_core::{Fault, Tier};
use nudge_store::HintFilter;

use super::open::open;
use super::wire::{StatsAnswer, TagCount, UseCount};
use crate::operation::{Effect, NoParams, Op, OpContext, Profile};

/// How many tags and hints are listed.
const TOP: usize = 10;

/// The `hint_stats` operation.
pub struct HintStats;

impl Op for HintStats {
    const NAME: &'static str = "hint_stats";
    const ALIASES: &'static [&'static str] = &["nudge.hint_stats"];
    const TITLE: &'static str = "Hint statistics";
    const DOC: &'static str = "Count hints and components; list the most frequent tags and the most used \
        hints.";
    const REFERENCE: &'static str = "Count hints and components, and list the most frequent tags and the \
        most used hints.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = NoParams;
    type Answer = StatsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<StatsAnswer, Fault> {
        let store = ctx.store();
        let filter = HintFilter { component: None, keys: Vec::new(), tags: Vec::new() };
        let all = store.hints(&filter, ctx.now())?;
        let total = all.len();
        let rows = open(ctx, all)?;
        let top_tags = if rows.len() == total {
            store.top_tags(u32::try_from(TOP).unwrap_or(u32::MAX), ctx.now())?
        } else {
            // Tags of hints that are closed to the caller would reveal them.
            Vec::new()
        };
        let hints = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let components: BTreeSet<&str> = rows.iter().map(|row| row.component.as_str()).collect();
        let components = i64::try_from(components.len()).unwrap_or(i64::MAX);
        let mut used: Vec<_> = rows.into_iter().filter(|row| row.use_count > 0).collect();
        used.sort_by_key(|row| (std::cmp::Reverse(row.use_count), row.entry.id));
        Ok(StatsAnswer {
            hints,
            components,
            max_hints: ctx.settings.max_hints,
            top_tags: top_tags.into_iter().map(|(tag, hints)| TagCount { tag, hints }).collect(),
            most_used: used
                .into_iter()
                .take(TOP)
                .map(|row| UseCount {
                    component: row.component,
                    key: row.key,
                    use_count: row.use_count,
                    last_used_at: row.last_used_at.map(|at| at.to_string()),
                })
                .collect(),
        })
    }
}
