//! The entries of a packet, each quoted and measured once, for all blocks to choose from.

use nudge_core::scheme::Category;

use super::cost::{EntryCost, cost_of, count_tokens};
use super::entry::{PacketEntry, PacketTokens};
use super::render::Rendering;
use super::table::{BudgetTable, PacketFacts, budget_table};

/// What the blocks read.
pub(super) struct Page<'a> {
    /// The latest prompt, if the model gets it.
    pub(super) prompt: Option<Row<'a>>,
    /// The other entries that the model gets, in the order of the facts.
    pub(super) rows: Vec<Row<'a>>,
    /// The reminders at the end.
    pub(super) instructions: &'a str,
    /// What all rows cost together.
    cost: u32,
}

/// An entry that the model gets.
pub(super) struct Row<'a> {
    pub(super) entry: &'a PacketEntry,
    pub(super) rendering: Rendering<'a>,
    pub(super) cost: EntryCost,
}

impl<'a> Page<'a> {
    /// Quotes and measures what the model gets.
    pub(super) fn new(facts: &PacketFacts<'a>) -> Self {
        let is_latest = |entry: &PacketEntry| {
            entry.category == Category::Prompt && facts.prompt.is_some_and(|prompt| prompt.path == entry.path)
        };
        let others = facts.entries.iter().filter(|entry| entry.reaches_model() && !is_latest(entry));
        let mut page = Self {
            prompt: facts.prompt.filter(|prompt| prompt.reaches_model()).map(Row::new),
            rows: others.map(Row::new).collect(),
            instructions: facts.instructions,
            cost: 0,
        };
        // Measured as one text: the costs of the rows are rounded up, each alone.
        page.cost = count_tokens(&page.all().map(Row::all).collect::<String>());
        page
    }

    /// The table of a packet that costs this much.
    pub(super) fn budget(&self, tokens: PacketTokens) -> BudgetTable {
        budget_table(self.all().map(|row| (row.entry, &row.cost)), self.cost, tokens)
    }

    /// The rows of one category.
    pub(super) fn of(&self, category: Category) -> impl Iterator<Item = &Row<'a>> {
        self.rows.iter().filter(move |row| row.entry.category == category)
    }

    /// All rows, the prompt first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Row<'a>> {
        self.prompt.iter().chain(&self.rows)
    }

    /// The cost of each row.
    pub(super) fn costs(&self) -> Vec<EntryCost> {
        self.all().map(|row| row.cost.clone()).collect()
    }
}

impl<'a> Row<'a> {
    fn new(entry: &'a PacketEntry) -> Self {
        let rendering = Rendering::new(entry);
        let cost = cost_of(&rendering);
        Self { entry, rendering, cost }
    }

    /// The row in one line.
    pub(super) fn line(&self) -> String {
        self.rendering.line(self.cost.premium)
    }

    /// The row with its body.
    pub(super) fn whole(&self) -> String {
        self.rendering.whole(self.cost.premium)
    }

    /// All that the packet has of the row.
    fn all(&self) -> String {
        let is_shown_twice = self.entry.category == Category::Data && self.entry.is_visible();
        if is_shown_twice { self.line() + &self.whole() } else { self.shown() }
    }

    /// The row as its visibility has it, with these attributes first.
    pub(super) fn shown_with(&self, first: &str) -> String {
        if self.entry.is_visible() {
            self.rendering.whole_with(first, self.cost.premium)
        } else {
            self.rendering.line_with(first, self.cost.premium)
        }
    }

    /// The row as its visibility has it.
    pub(super) fn shown(&self) -> String {
        self.shown_with("")
    }
}

/// Appends a block. Without content there is no block.
pub(super) fn append(mut text: String, name: &str, content: &str) -> String {
    if !content.is_empty() {
        text.push_str(&format!("<{name}>\n{content}</{name}>\n"));
    }
    text
}
