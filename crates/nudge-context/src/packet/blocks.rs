//! The blocks of a packet, in the order of their priorities: each adds its filter to a chain.

use nudge_core::scheme::Category;

use super::numbers::Numbers;
use super::page::{Page, Row, append};
use crate::chain::Filters;

// The bodies of visible skills, at the end of the system message.

/// The only filter of the system message.
const SKILLS_PRIORITY: u16 = 50;

/// Adds the bodies to the system message.
pub(super) fn add_skills<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(SKILLS_PRIORITY, "skill", move |text| with_skills(text, page));
}

fn with_skills(mut text: String, page: &Page<'_>) -> String {
    let data = page.of(Category::Data);
    let mut skills: Vec<_> = data.filter(|row| row.entry.is_skill() && row.entry.is_visible()).collect();
    skills.sort_by_key(|row| &row.entry.path);
    for skill in skills {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&skill.whole());
    }
    text
}

// The block `prompt`: the task, on every turn, with the figures of the packet.

/// First: it does not change while the loop runs.
const PROMPT_PRIORITY: u16 = 30;

/// Adds the block to the user message.
pub(super) fn add_prompt<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>, numbers: Numbers) {
    chain.add(PROMPT_PRIORITY, "prompt", move |text| {
        let prompt = page.prompt.as_ref().map(|row| row.shown_with(&numbers.attributes()));
        text + &prompt.unwrap_or_default()
    });
}

// The block `summary`: one line for each data entry that is visible or summarized.
//
// It is ordered by path and does not show visibility, so it changes only when an entry lands.

/// Above the bodies, which change more often: a model's cache holds a common beginning.
const SUMMARY_PRIORITY: u16 = 50;

/// Adds the block to the user message.
pub(super) fn add_summary<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(SUMMARY_PRIORITY, "summary", move |text| append(text, "summary", &summary_content(page)));
}

fn summary_content(page: &Page<'_>) -> String {
    let mut rows: Vec<_> = page.of(Category::Data).collect();
    rows.sort_by_key(|row| &row.entry.path);
    rows.iter().map(|row| row.line()).collect()
}

// The block `visible`: the bodies of the data entries that are visible.
//
// It is ordered by turn, so a promoted entry comes last. Bodies of skills are in the system
// message.

/// Below the summary: it changes with every promotion.
const VISIBLE_PRIORITY: u16 = 75;

/// Adds the block to the user message.
pub(super) fn add_visible<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(VISIBLE_PRIORITY, "visible", move |text| append(text, "visible", &visible_content(page)));
}

fn visible_content(page: &Page<'_>) -> String {
    let data = page.of(Category::Data);
    let mut rows: Vec<_> = data.filter(|row| row.entry.is_visible() && !row.entry.is_skill()).collect();
    rows.sort_by_key(|row| (row.entry.turn, &row.entry.path));
    rows.iter().map(|row| row.whole()).collect()
}

// The block `log`: what happened, and the prompts before the latest, oldest first.

/// After what the model works with.
const LOG_PRIORITY: u16 = 100;

/// Adds the block to the user message.
pub(super) fn add_log<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(LOG_PRIORITY, "log", move |text| append(text, "log", &log_content(page)));
}

fn log_content(page: &Page<'_>) -> String {
    let mut rows: Vec<&Row<'_>> = page.rows.iter().filter(|row| belongs_to_log(row)).collect();
    // A stable order: the entries of one turn stay as they happened.
    rows.sort_by_key(|row| row.entry.turn);
    rows.iter().map(|row| row.shown()).collect()
}

fn belongs_to_log(row: &Row<'_>) -> bool {
    matches!(row.entry.category, Category::Logging | Category::Prompt)
}

// The block `unknowns`: the open questions, oldest first.

/// After the log: a question is about what happened so far.
const UNKNOWNS_PRIORITY: u16 = 150;

/// Adds the block to the user message.
pub(super) fn add_unknowns<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(UNKNOWNS_PRIORITY, "unknowns", move |text| append(text, "unknowns", &unknowns_content(page)));
}

fn unknowns_content(page: &Page<'_>) -> String {
    let mut rows: Vec<_> = page.of(Category::Unknown).collect();
    rows.sort_by_key(|row| row.entry.turn);
    rows.iter().map(|row| row.shown()).collect()
}

// The block `instructions`: the reminders, the same bytes on every turn.

/// Near the end, where the model acts: a rule far above is forgotten.
const INSTRUCTIONS_PRIORITY: u16 = 165;

/// Adds the block to the user message.
pub(super) fn add_instructions<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(INSTRUCTIONS_PRIORITY, "instructions", move |text| {
        append(text, "instructions", &instructions_content(page))
    });
}

fn instructions_content(page: &Page<'_>) -> String {
    let text = page.instructions;
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

// The block `budget`: the figures of the packet and what they consist of, at the very end.

/// Last: the model reads it just before it acts.
const BUDGET_PRIORITY: u16 = 175;

/// Adds the block to the user message.
pub(super) fn add_budget<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>, numbers: Numbers) {
    chain.add(BUDGET_PRIORITY, "budget", move |text| {
        let table = page.budget(numbers.tokens).text_with(numbers);
        format!("{text}<budget{}>\n{table}</budget>\n", numbers.attributes())
    });
}
