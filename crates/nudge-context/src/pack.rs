//! Packs items of several sources into one budget, for a caller who asks for context on a topic.
//!
//! Each source gets a share of the budget by its weight. A share that is not needed goes to the
//! others. An item that is too long is cut and marked; one that says the same as another is left
//! out.

use std::collections::HashMap;

use nudge_core::EntryId;
use nudge_core::tokens::{self, Tokens};

use crate::assemble::LeftOut;
use crate::clean::quoted;
use crate::frame::{Delimiter, Lead};

/// The fewest tokens in which a cut item is worth showing.
const MIN_TOKENS: u32 = 24;

/// An item may take one part in four of its source's share.
const ITEMS_PER_SHARE: u32 = 4;

/// Where items come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that requests use.
    pub name: &'static str,
    /// The heading above its items.
    pub heading: &'static str,
    /// Its share of the budget relative to the others.
    pub weight: u32,
    /// Whether its items are the user's own words.
    pub is_the_persons: bool,
    /// The best first.
    pub items: Vec<Item>,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The entry it is about.
    pub entry: EntryId,
    /// The text before its own, such as `[3d ago] asked`.
    pub label: String,
    /// Its text.
    pub text: String,
    /// The file it is about; one item per file is enough.
    pub file: Option<String>,
    /// Whether somebody stated it: then only an item with the same words counts as a repeat.
    pub is_stated: bool,
}

/// The result of packing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The text, including its frame; empty when there is nothing to show.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The items it shows, in order.
    pub shown: Vec<Shown>,
    /// The items it leaves out.
    pub left_out: Vec<NotShown>,
    /// What each source got, in order.
    pub spent: Vec<Spent>,
}

/// An item that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The entry.
    pub entry: EntryId,
    /// The name of its source.
    pub source: &'static str,
    /// The cost of its line.
    pub tokens: Tokens,
    /// Whether its text was cut.
    pub is_cut: bool,
}

/// An item that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotShown {
    /// The entry.
    pub entry: EntryId,
    /// The name of its source.
    pub source: &'static str,
    /// Why.
    pub why: LeftOut,
}

/// The part of the budget that a source got.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its name.
    pub source: &'static str,
    /// What it was given: by its weight, plus what others did not need.
    pub share: Tokens,
    /// What it used.
    pub used: Tokens,
}

/// Packs sources into `budget` tokens.
pub fn pack(sources: Vec<Source>, budget: Tokens, delimiter: &Delimiter) -> Packed {
    let (sources, mut left_out) = without_repeats(sources);
    let mut sheets: Vec<BlockLayout> = sources.into_iter().map(BlockLayout::of).collect();
    let frame = cost(&delimiter.frame(lead(&sheets, |sheet| sheet.source.items.is_empty()), ""));
    give(&mut sheets, budget.0.saturating_sub(frame));
    let mut spare = 0;
    for sheet in &mut sheets {
        spare = sheet.fill(spare);
    }
    // The rest goes to sources with too little, in order.
    for sheet in &mut sheets {
        spare = sheet.fill(spare);
    }
    loop {
        let text = whole(&sheets, delimiter);
        if cost(&text) <= budget.0 {
            left_out.extend(sheets.iter().flat_map(BlockLayout::rest));
            return packed(&sheets, text, left_out);
        }
        // Lines cost a little more together than apart.
        let Some(last) = sheets.iter_mut().rev().find(|sheet| !sheet.lines.is_empty()) else {
            left_out.extend(sheets.iter().flat_map(BlockLayout::rest));
            return packed(&sheets, String::new(), left_out);
        };
        last.remove_last_line();
    }
}

fn packed(sheets: &[BlockLayout], text: String, left_out: Vec<NotShown>) -> Packed {
    let shown = sheets.iter().flat_map(BlockLayout::shown).collect();
    let spent = sheets.iter().map(|sheet| Spent {
        source: sheet.source.name,
        share: Tokens(sheet.share),
        used: Tokens(sheet.used()),
    });
    Packed { tokens: Tokens(cost(&text)), text, shown, left_out, spent: spent.collect() }
}

/// What the first line says: whether any of it is the user's own words.
fn lead(sheets: &[BlockLayout], is_empty: impl Fn(&BlockLayout) -> bool) -> Lead {
    let has_the_persons = sheets.iter().any(|sheet| sheet.source.is_the_persons && !is_empty(sheet));
    if has_the_persons { Lead::PersonAndRecords } else { Lead::Records }
}

fn whole(sheets: &[BlockLayout], delimiter: &Delimiter) -> String {
    let mut text = String::new();
    for sheet in sheets.iter().filter(|sheet| !sheet.lines.is_empty()) {
        text.push_str(&sheet.heading());
        text.extend(sheet.lines.iter().map(|line| line.text.as_str()));
    }
    let lead = lead(sheets, |sheet| sheet.lines.is_empty());
    if text.is_empty() { text } else { delimiter.frame(lead, &text) }
}

/// The tokens of a text, counted high.
fn cost(text: &str) -> u32 {
    if text.is_empty() { 0 } else { tokens::at_most(text).0 }
}

/// A source and its lines so far.
struct BlockLayout {
    source: Source,
    lines: Vec<Line>,
    share: u32,
}

struct Line {
    /// The item's index in its source.
    place: usize,
    text: String,
    is_cut: bool,
}

impl BlockLayout {
    const fn of(source: Source) -> Self {
        Self { source, lines: Vec::new(), share: 0 }
    }

    fn heading(&self) -> String {
        format!("## {}\n", self.source.heading)
    }

    /// The cost of all its items.
    fn need(&self) -> u32 {
        if self.source.items.is_empty() {
            return 0;
        }
        let lines = self.source.items.iter().map(|item| cost(&line(item, None)));
        cost(&self.heading()) + lines.sum::<u32>()
    }

    fn used(&self) -> u32 {
        if self.lines.is_empty() {
            return 0;
        }
        cost(&self.heading()) + self.lines.iter().map(|line| cost(&line.text)).sum::<u32>()
    }

    /// Adds items while there is room: its share and what others did not use. Returns the rest.
    fn fill(&mut self, spare: u32) -> u32 {
        let all = self.share.max(self.used()) + spare;
        let heading = cost(&self.heading());
        let missing: Vec<usize> = (0..self.source.items.len()).filter(|place| !self.has(*place)).collect();
        let parts = ITEMS_PER_SHARE.min(self.source.items.len() as u32).max(1);
        let most =
            if self.need() <= all { all } else { (all.saturating_sub(heading) / parts).max(MIN_TOKENS) };
        for place in missing {
            let used = self.used().max(heading);
            let room = all.saturating_sub(used).min(most);
            let Some((text, is_cut)) = fitted(&self.source.items[place], room) else { continue };
            self.lines.push(Line { place, text, is_cut });
        }
        self.lines.sort_by_key(|line| line.place);
        all.saturating_sub(self.used())
    }

    fn has(&self, place: usize) -> bool {
        self.lines.iter().any(|line| line.place == place)
    }

    fn remove_last_line(&mut self) {
        self.lines.pop();
    }

    fn shown(&self) -> impl Iterator<Item = Shown> {
        self.lines.iter().map(|line| Shown {
            entry: self.source.items[line.place].entry,
            source: self.source.name,
            tokens: Tokens(cost(&line.text)),
            is_cut: line.is_cut,
        })
    }

    fn rest(&self) -> impl Iterator<Item = NotShown> {
        let items = self.source.items.iter().enumerate().filter(|(place, _)| !self.has(*place));
        items.map(|(_, item)| NotShown { entry: item.entry, source: self.source.name, why: LeftOut::Budget })
    }
}

/// The line of an item that costs at most `room`, and whether it was cut; `None` if that is too
/// little to show anything.
fn fitted(item: &Item, room: u32) -> Option<(String, bool)> {
    let entire = line(item, None);
    if cost(&entire) <= room {
        return Some((entire, false));
    }
    if room < MIN_TOKENS {
        return None;
    }
    // A longer text never costs less, so a binary search finds the longest that fits.
    let (mut fits, mut too_long) = (0, item.text.chars().count());
    while too_long - fits > 1 {
        let middle = (fits + too_long) / 2;
        if cost(&line(item, Some(middle))) <= room { fits = middle } else { too_long = middle }
    }
    let text = line(item, Some(fits));
    (fits > 0 && cost(&text) <= room).then_some((text, true))
}

/// `- [3d ago] asked: "…" #12`, with at most `most` characters of its text.
fn line(item: &Item, most: Option<usize>) -> String {
    let Item { entry, label, text, .. } = item;
    let cut = if most.is_some() { " (cut)" } else { "" };
    let text = quoted(text, most.unwrap_or(usize::MAX));
    format!("- {label}: \"{text}\"{cut} #{}\n", entry.0)
}

// Items that say the same.

/// Long texts that share at least this part of their words say the same. Shorter ones must have the
/// same words.
const MIN_SHARED_WORDS: f64 = 0.9;

const MIN_LONG_WORDS: usize = 30;

/// The sources without items that repeat an earlier one, and the repeats.
fn without_repeats(mut sources: Vec<Source>) -> (Vec<Source>, Vec<NotShown>) {
    let mut known: Vec<Known> = Vec::new();
    let mut left_out = Vec::new();
    for source in &mut sources {
        let name = source.name;
        source.items.retain(|item| {
            let new = Known {
                entry: item.entry.0,
                file: item.file.clone(),
                is_stated: item.is_stated,
                words: words(&item.text),
            };
            let why = known.iter().find_map(|known| known.repeats(&new));
            match why {
                None => known.push(new),
                Some(why) => left_out.push(NotShown { entry: item.entry, source: name, why }),
            }
            why.is_none()
        });
    }
    (sources, left_out)
}

struct Known {
    entry: i64,
    file: Option<String>,
    is_stated: bool,
    words: HashMap<String, usize>,
}

impl Known {
    /// Why another item need not be shown next to it; `None` if it should be.
    fn repeats(&self, other: &Self) -> Option<LeftOut> {
        let nearly = !self.is_stated && !other.is_stated;
        if self.file.is_some() && self.file == other.file {
            Some(LeftOut::SameFile)
        } else if self.entry == other.entry || alike(&self.words, &other.words, nearly) {
            Some(LeftOut::Same)
        } else {
            None
        }
    }
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in split {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

/// Whether two texts have the same words. With `nearly`, long texts may differ a little.
fn alike(one: &HashMap<String, usize>, other: &HashMap<String, usize>, nearly: bool) -> bool {
    let count = |words: &HashMap<String, usize>| words.values().sum::<usize>();
    let longer = count(one).max(count(other));
    if longer == 0 {
        return false;
    }
    let common: usize = one.iter().map(|(word, times)| *times.min(other.get(word).unwrap_or(&0))).sum();
    common as f64 / longer as f64 >= if nearly && longer >= MIN_LONG_WORDS { MIN_SHARED_WORDS } else { 1.0 }
}

// How the budget is divided.

/// Gives each source a share by its weight; what one does not need goes to the others by theirs.
fn give(sheets: &mut [BlockLayout], budget: u32) {
    let mut open: Vec<usize> = (0..sheets.len()).filter(|place| sheets[*place].need() > 0).collect();
    let mut left = budget;
    while !open.is_empty() {
        let weights: u32 = open.iter().map(|place| sheets[*place].source.weight).sum();
        let share = |sheet: &BlockLayout| share(left, sheet.source.weight, weights);
        let content: Vec<usize> =
            open.iter().copied().filter(|place| sheets[*place].need() <= share(&sheets[*place])).collect();
        if content.is_empty() {
            for place in open {
                sheets[place].share = share(&sheets[place]);
            }
            return;
        }
        for place in &content {
            let need = sheets[*place].need();
            sheets[*place].share = need;
            left -= need;
        }
        open.retain(|place| !content.contains(place));
    }
}

fn share(left: u32, weight: u32, weights: u32) -> u32 {
    let share = u64::from(left) * u64::from(weight) / u64::from(weights.max(1));
    u32::try_from(share).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
