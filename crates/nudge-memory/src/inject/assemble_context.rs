//! `assemble_context`: what memory has about a topic, within a budget that the caller sets.

mod sources;
mod wire;

use nudge_context::{Packed, pack};
use nudge_core::tokens::Tokens;
use nudge_core::{Fault, Tier};

use crate::operation::{Effect, Op, OpContext, Profile};
use sources::{Gathered, gather};
pub use wire::{
    AssembleParams, AssembledContext, AssembledItem, ContextType, LeftOutItem, SkippedSource, SourceShare,
};

/// How many items of each type are used by default, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// How many tokens the text may cost by default, and how many at most.
const TOKENS: i64 = 1_500;
const MOST_TOKENS: i64 = 20_000;

/// The `assemble_context` operation.
pub struct AssembleContext;

impl Op for AssembleContext {
    const NAME: &'static str = "assemble_context";
    const ALIASES: &'static [&'static str] = &["nudge.assemble_context"];
    const TITLE: &'static str = "Assemble context";
    const DOC: &'static str = "Collect what memory has about a task into one text of at most max_tokens: \
        statements, hints, earlier prompts, conclusions, failures, edits, commits. Explains why each item \
        is included.";
    const REFERENCE: &'static str = "Collect everything memory has about a task into one text within a \
        token budget, and explain why each item is included or left out.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = AssembleParams;
    type Answer = AssembledContext;

    fn run(ctx: &OpContext<'_>, params: AssembleParams) -> Result<AssembledContext, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let budget = params.max_tokens.unwrap_or(TOKENS).clamp(0, MOST_TOKENS) as u32;
        let gathered = gather(ctx, &params, limit, budget)?;
        let packed = pack(gathered.sources.clone(), Tokens(budget), &super::delimiter()?);
        Ok(answer(&gathered, packed))
    }
}

fn answer(gathered: &Gathered, packed: Packed) -> AssembledContext {
    let items: Vec<AssembledItem> = packed
        .shown
        .iter()
        .map(|shown| AssembledItem {
            id: shown.entry.0,
            source: shown.source.to_owned(),
            tokens: shown.tokens.0,
            why: gathered.why(shown.entry),
            cut: shown.is_cut,
        })
        .collect();
    let left_out = packed.left_out.iter().map(|left| LeftOutItem {
        id: left.entry.0,
        source: left.source.to_owned(),
        why: match left.why {
            nudge_context::LeftOut::Same => "another item says the same".to_owned(),
            why => why.words().to_owned(),
        },
    });
    let weak = gathered.weak.iter().map(|(entry, source)| LeftOutItem {
        id: entry.0,
        source: (*source).to_owned(),
        why: "it has too few of the words".to_owned(),
    });
    let is_short = |left: &nudge_context::NotShown| left.why == nudge_context::LeftOut::Budget;
    AssembledContext {
        truncated: items.iter().any(|item| item.cut) || packed.left_out.iter().any(is_short),
        token_count: packed.tokens.0,
        item_count: items.len(),
        items,
        left_out: left_out.chain(weak).collect(),
        sources: shares(&packed),
        skipped: gathered.skipped.clone(),
        markdown: packed.text,
    }
}

/// The share of each type, with its headings added up.
fn shares(packed: &Packed) -> Vec<SourceShare> {
    let mut shares: Vec<SourceShare> = Vec::new();
    for spent in packed.spent.iter().filter(|spent| spent.share.0 > 0) {
        match shares.iter_mut().find(|share| share.source == spent.source) {
            Some(share) => {
                share.tokens += spent.share.0;
                share.used += spent.used.0;
            }
            None => shares.push(SourceShare {
                source: spent.source.to_owned(),
                tokens: spent.share.0,
                used: spent.used.0,
            }),
        }
    }
    shares
}
