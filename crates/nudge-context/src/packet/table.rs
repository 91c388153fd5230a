//! The packet and what it is made from; the budget table: what the visible entries of each scheme
//! cost, and what everything else costs.

use std::collections::BTreeMap;

use super::cost::EntryCost;
use super::entry::{PacketEntry, PacketTokens};
use super::numbers::Numbers;
use super::quoting;

/// What a packet consists of. `usage` is the sum of the rows, `summarized` and `system`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetTable {
    /// A row for each scheme with visible entries, the most expensive first.
    pub rows: Vec<BudgetRow>,
    /// What all entries cost even if none were visible.
    pub summarized: BudgetShare,
    /// What no decision about visibility changes: the system message, the instructions, the tags of
    /// the blocks, and this table.
    pub system: BudgetShare,
    /// The sum.
    pub total: BudgetTotal,
}

/// The visible entries of a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRow {
    /// The scheme, as in the tags.
    pub scheme: String,
    /// How many of its entries are visible.
    pub visible: u32,
    /// Their premiums together: what their demotion frees.
    pub tokens: u32,
    /// That, in percent of the ceiling.
    pub percent: u32,
}

/// A part of the packet that has no row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BudgetShare {
    /// Its cost.
    pub tokens: u32,
    /// That, in percent of the ceiling.
    pub percent: u32,
}

/// The last line of the table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BudgetTotal {
    /// How many entries are visible.
    pub visible: u32,
    /// How many entries are summarized.
    pub summarized: u32,
    /// Usage, ceiling and what is free.
    pub tokens: PacketTokens,
}

/// The table of a packet: its entries with their costs, what they cost together, and what the
/// packet costs. Entries that the model does not get are skipped.
///
/// `entries` is measured on the text of all entries, because the costs of many short ones, each
/// rounded up, would add up to more.
pub fn budget_table<'a>(
    costs: impl IntoIterator<Item = (&'a PacketEntry, &'a EntryCost)>,
    entries: u32,
    tokens: PacketTokens,
) -> BudgetTable {
    let share = |part: u32| BudgetShare { tokens: part, percent: percent(part, tokens.ceiling) };
    let mut schemes: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut summarized = 0;
    for (entry, cost) in costs.into_iter().filter(|(entry, _)| entry.reaches_model()) {
        if entry.is_visible() {
            let (count, premium) = schemes.entry(quoting::tag(&entry.scheme)).or_default();
            *count += 1;
            *premium = premium.saturating_add(cost.premium);
        } else {
            summarized += 1;
        }
    }
    let premium = schemes.values().fold(0, |sum: u32, (_, premium)| sum.saturating_add(*premium));
    let visible = schemes.values().map(|(count, _)| count).sum();
    BudgetTable {
        rows: rows(schemes, tokens.ceiling),
        summarized: share(entries.saturating_sub(premium)),
        system: share(tokens.usage.saturating_sub(entries)),
        total: BudgetTotal { visible, summarized, tokens },
    }
}

/// The most expensive scheme first; equal ones by name.
fn rows(schemes: BTreeMap<&str, (u32, u32)>, ceiling: u32) -> Vec<BudgetRow> {
    let row = |(scheme, (visible, tokens)): (&str, (u32, u32))| BudgetRow {
        scheme: scheme.to_owned(),
        visible,
        tokens,
        percent: percent(tokens, ceiling),
    };
    let mut rows: Vec<BudgetRow> = schemes.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.tokens));
    rows
}

fn percent(part: u32, ceiling: u32) -> u32 {
    let percent = (u64::from(part) * 100).checked_div(u64::from(ceiling)).unwrap_or_default();
    u32::try_from(percent).unwrap_or(u32::MAX)
}

impl BudgetTable {
    /// The table as text.
    pub fn text(&self) -> String {
        self.text_with(Numbers::plain(self.total.tokens))
    }

    /// The table as text, with figures of a certain width.
    pub(super) fn text_with(&self, numbers: Numbers) -> String {
        let mut out = String::new();
        if !self.rows.is_empty() {
            out.push_str("| scheme | visible | tokens | % |\n|---|---|---|---|\n");
        }
        for BudgetRow { scheme, visible, tokens, percent } in &self.rows {
            out.push_str(&format!("| {scheme} | {visible} | {tokens} | {percent} |\n"));
        }
        out.push_str(&self.lines(numbers));
        out
    }

    fn lines(&self, numbers: Numbers) -> String {
        let BudgetTotal { visible, summarized, tokens } = self.total;
        let PacketTokens { usage, free, ceiling } = tokens;
        let share = |share: BudgetShare| {
            format!("{} tokens ({}% of budget)", numbers.figure(share.tokens), numbers.figure(share.percent))
        };
        format!(
            "Summarized: all {} entries, {}.\nSystem: {}.\nTotal: {visible} visible + {summarized} \
             summarized entries; tokenUsage {} / ceiling {ceiling}. {} tokens free.\n",
            visible + summarized,
            share(self.summarized),
            share(self.system),
            numbers.figure(usage),
            numbers.figure(free),
        )
    }
}

/// What the packet of a turn is made from.
#[derive(Copy, Clone, Debug)]
pub struct PacketFacts<'a> {
    /// The latest prompt. It may be among the entries too.
    pub prompt: Option<&'a PacketEntry>,
    /// The entries of the run; those of one turn in the order in which they happened.
    pub entries: &'a [PacketEntry],
    /// The system prompt: the program's own text.
    pub system: &'a str,
    /// The reminders at the end: the program's own text, the same on every turn.
    pub instructions: &'a str,
    /// How many tokens the model can read.
    pub context_size: u32,
    /// How many percent of them a packet may take.
    pub ceiling_percent: u32,
}

impl PacketFacts<'_> {
    /// The most tokens that a packet may take.
    pub fn ceiling(&self) -> u32 {
        let ceiling = u64::from(self.context_size) * u64::from(self.ceiling_percent) / 100;
        u32::try_from(ceiling).unwrap_or(u32::MAX)
    }
}

/// The two messages of a turn, and what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The system message.
    pub system: String,
    /// The user message.
    pub user: String,
    /// What both cost together.
    pub tokens: PacketTokens,
    /// What that consists of. The model reads it at the end of the user message.
    pub budget: BudgetTable,
    /// What each entry in them costs: the prompt first, then the entries in their order.
    pub rows: Vec<EntryCost>,
    /// The turn of the latest prompt, where the current loop began; 0 without a prompt.
    pub loop_start_turn: u32,
}
