//! Entries as text: a table of them, one in full, and what a verb did to each.

mod result;
mod table;

use nudge_memory::entries::{EntryTokens, EntryView};

use super::page::Page;
use super::words::{count, whom};

pub(crate) use result::{Deed, exit_of, exit_of_status, fault_of, results};
pub(crate) use table::table;

/// An entry under its path: facts on one line, then the body, indented.
pub(crate) fn in_full(page: &mut Page, entry: &EntryView) {
    page.strong(&entry.path).end();
    page.text("  ").faint(facts(entry)).end();
    if let Some(why) = &entry.withheld {
        page.text("  ").warning(format!("not shown: {why}")).end();
    }
    for line in entry.body.as_deref().unwrap_or_default().lines() {
        page.text("    ").text(line).end();
    }
}

/// `visible, 12 tokens, version 2, you, in shop`.
pub(crate) fn facts(entry: &EntryView) -> String {
    let mut facts = Vec::new();
    if entry.state != "resolved" {
        let outcome = entry.outcome.as_deref().map(|outcome| format!(" ({outcome})")).unwrap_or_default();
        facts.push(format!("{}{outcome}", entry.state));
    }
    facts.push(entry.visibility.clone().unwrap_or_else(|| "not in view".to_owned()));
    facts.push(cost(entry.tokens));
    if let Some(lines) = entry.lines {
        let last = (lines.from + lines.count).saturating_sub(1);
        facts.push(match lines.count {
            0 => format!("no lines of {}", lines.of),
            1 => format!("line {last} of {}", lines.of),
            _ => format!("lines {} to {last} of {}", lines.from, lines.of),
        });
    }
    facts.extend(entry.version.map(|version| format!("version {version}")));
    facts.extend(Some(whom(&entry.stated_by)).filter(|by| !by.is_empty()));
    facts.join(", ")
}

fn cost(tokens: EntryTokens) -> String {
    format!("{}{}", about(tokens), count(i64::from(tokens.visible), "token"))
}

/// The mark of a number that comes from the size alone.
const fn about(tokens: EntryTokens) -> &'static str {
    if tokens.estimated { "≈" } else { "" }
}

/// A number of entries: `1 entry`, `12 entries`.
pub(crate) fn entries(n: u64) -> String {
    count(i64::try_from(n).unwrap_or(i64::MAX), "entry")
}
