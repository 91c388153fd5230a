//! The bodies of visible skills, at the end of the system message.

use nudge_core::scheme::Category;

use super::page::Page;
use crate::chain::Filters;

/// The only filter of the system message.
const PRIORITY: u16 = 50;

/// Adds the bodies to the system message.
pub(super) fn add<'p>(chain: &mut Filters<'p, String>, page: &'p Page<'_>) {
    chain.add(PRIORITY, "skill", move |text| with_skills(text, page));
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
