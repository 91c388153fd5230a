//! `premortem`: what went wrong before in the same kind of work, shown before it starts.

use std::collections::BTreeMap;

use nudge_context::quoted;
use nudge_core::hypothesis::{Domain, Status, Strategy};
use nudge_core::{Fault, tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Word;
use super::stored::{self, Stored, Wanted};
use super::values::values_in;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::ProjectParam;

/// How many lines a section has by default, and how many at most.
const DEFAULT_LIMIT: i64 = 5;
const MAX_LIMIT: i64 = 20;

/// How much of a text a line quotes, in characters.
const MAX_QUOTE_CHARS: usize = 200;

/// Parameters of `premortem`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PremortemParams {
    /// Kind of work you are about to begin.
    pub domain: Word<Domain>,
    /// How you plan to approach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Word<Strategy>>,
    /// Maximum lines per section, 1-20. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `premortem`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PremortemAnswer {
    /// The text in Markdown; empty if nothing is known.
    pub markdown: String,
    /// Cost of the text in tokens.
    pub token_count: u32,
    /// Number of lines.
    pub item_count: usize,
}

/// The `premortem` operation.
pub struct Premortem;

impl Op for Premortem {
    const NAME: &'static str = "premortem";
    const TITLE: &'static str = "Premortem";
    const DOC: &'static str = "Call before you begin: reports what went wrong before in the same kind of \
        work, how each strategy did, what was unexpected, and what was learned.";
    const REFERENCE: &'static str = "Report what went wrong before in the same kind of work, how each \
        strategy did, and what was learned.";
    const EFFECT: Effect = Effect::Read;
    type Params = PremortemParams;
    type Answer = PremortemAnswer;

    fn run(ctx: &OpContext<'_>, params: PremortemParams) -> Result<PremortemAnswer, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let wanted = Wanted { domain: Some(params.domain.0), ..Wanted::default() };
        let found = stored::experiences(ctx, &params.project, wanted)?;
        let strategy = params.strategy.map(|word| word.0);
        let chosen: Vec<&Stored> = found
            .iter()
            .filter(|stored| strategy.is_none_or(|wanted| stored.row.strategy == wanted))
            .collect();
        let mut sections = vec![
            ("Common Failures", failures(&chosen)),
            ("Strategy Performance", performance(&found)),
            ("Unexpected Outcomes", surprises(&chosen)),
            ("Root Causes", causes(&chosen)),
        ];
        // Without an experience of this kind of work, a value would be about something else.
        if !found.is_empty() {
            let values = values_in(ctx, &params.project)?;
            let lines = values.iter().map(|value| format!("- {}\n", quoted(&value.text, MAX_QUOTE_CHARS)));
            sections.push(("Principles", lines.collect()));
        }
        Ok(written(sections, limit))
    }
}

fn written(sections: Vec<(&str, Vec<String>)>, limit: usize) -> PremortemAnswer {
    let mut item_count = 0;
    let mut parts = Vec::new();
    for (name, lines) in sections {
        let lines: Vec<String> = lines.into_iter().take(limit).collect();
        item_count += lines.len();
        if !lines.is_empty() {
            parts.push(format!("## {name}\n{}", lines.concat()));
        }
    }
    let markdown = parts.join("\n");
    PremortemAnswer { token_count: tokens::estimate(&markdown).0, markdown, item_count }
}

fn of_status<'s>(found: &'s [&Stored], status: Status) -> impl Iterator<Item = &'s Stored> {
    found.iter().copied().filter(move |stored| stored.row.status == status)
}

fn failures(found: &[&Stored]) -> Vec<String> {
    let lines = of_status(found, Status::Falsified).map(|stored| {
        let record = &stored.record;
        let seen = record
            .outcome
            .as_ref()
            .map_or_else(String::new, |outcome| quoted(&outcome.result, MAX_QUOTE_CHARS));
        format!("- \"{}\" was wrong: \"{seen}\"\n", quoted(&record.hypothesis, MAX_QUOTE_CHARS))
    });
    lines.collect()
}

fn performance(found: &[Stored]) -> Vec<String> {
    let mut counts: BTreeMap<Strategy, (usize, usize)> = BTreeMap::new();
    for stored in found {
        let count = counts.entry(stored.row.strategy).or_default();
        count.0 += usize::from(stored.row.status == Status::Confirmed);
        count.1 += 1;
    }
    let mut counts: Vec<(Strategy, (usize, usize))> = counts.into_iter().collect();
    counts.sort_by_key(|(strategy, (_, all))| (std::cmp::Reverse(*all), *strategy));
    counts
        .into_iter()
        .map(|(strategy, (held, all))| format!("- {}: {held} of {all} confirmed\n", strategy.name()))
        .collect()
}

fn surprises(found: &[&Stored]) -> Vec<String> {
    let surprises =
        of_status(found, Status::Falsified).filter_map(|stored| stored.record.surprise.as_deref());
    surprises.map(|surprise| format!("- \"{}\"\n", quoted(surprise, MAX_QUOTE_CHARS))).collect()
}

fn causes(found: &[&Stored]) -> Vec<String> {
    let mut by_kind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for stored in of_status(found, Status::Falsified) {
        if let Some(cause) = &stored.record.root_cause {
            by_kind.entry(cause.category.0.name()).or_default().push(&cause.description);
        }
    }
    let mut by_kind: Vec<(&str, Vec<&str>)> = by_kind.into_iter().collect();
    by_kind.sort_by_key(|(name, all)| (std::cmp::Reverse(all.len()), *name));
    let lines = by_kind.into_iter().map(|(name, all)| {
        let times = if all.len() == 1 { "once".to_owned() } else { format!("{} times", all.len()) };
        format!("- {name}, {times}: \"{}\"\n", quoted(all[0], MAX_QUOTE_CHARS))
    });
    lines.collect()
}
