//! Statements: lines that apply until they are corrected.

use nudge_core::EntryId;
use nudge_core::text::first_chars;

use crate::clean::quoted;

/// The longest statement that is shown whole, in characters; of a longer one, the first sentence is
/// shown.
const MAX_WHOLE_CHARS: usize = 200;

/// How much of a statement is shown where not all fit whole, in characters.
const MAX_SHORT_CHARS: usize = 80;

/// How much of a label or a source is shown, in characters.
const MAX_LABEL_CHARS: usize = 80;

/// Something that applies here because somebody stated or pinned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The entry.
    pub entry: EntryId,
    /// Its kind. The kinds take turns.
    pub kind: StatedKind,
    /// The text before the words, such as `hint build/test` or `in frontend/`; may be empty.
    pub label: String,
    /// The words.
    pub text: String,
    /// Who stated it, how and when, such as `said in 3 sessions, last 2d ago`.
    pub source: String,
    /// Whether the user stated it.
    pub by_person: bool,
    /// How the code that it is about has changed; `None` if it has not.
    pub drift: Option<String>,
}

/// The kinds of statements, in the order in which they take turns.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatedKind {
    /// Words to remember.
    Statement,
    /// Something pinned.
    Pin,
    /// A hint that applies.
    Hint,
    /// Words that were said once and may not apply.
    SaidOnce,
}

impl Stated {
    /// `- "we use pnpm, never npm" (said in 3 sessions, last 2d ago) #41`
    pub(crate) fn line(&self) -> String {
        let label = if self.label.is_empty() { String::new() } else { format!("{}: ", part(&self.label)) };
        let drift = self.drift.as_deref().map_or_else(String::new, |drift| format!("; {}", part(drift)));
        format!("- {label}\"{}\" ({}{drift}) #{}\n", self.shown(), part(&self.source), self.entry.0)
    }

    /// `- "we use pnpm" #41`: for a block with many statements.
    pub(crate) fn short_line(&self) -> String {
        let first = first_sentence(&self.text);
        let shown = quoted(first, MAX_SHORT_CHARS);
        let more = if self.text.trim().len() > first.len() && !shown.ends_with('…') { " …" } else { "" };
        format!("- \"{shown}{more}\" #{}\n", self.entry.0)
    }

    fn shown(&self) -> String {
        if self.text.chars().count() <= MAX_WHOLE_CHARS {
            return quoted(&self.text, MAX_WHOLE_CHARS);
        }
        let first = first_sentence(&self.text);
        if first.chars().count() < MAX_WHOLE_CHARS {
            format!("{} …", quoted(first, MAX_WHOLE_CHARS))
        } else {
            quoted(first, MAX_WHOLE_CHARS)
        }
    }
}

fn part(text: &str) -> String {
    quoted(text, MAX_LABEL_CHARS).replace(['(', ')'], "")
}

fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let end = text.char_indices().find_map(|(at, c)| {
        let after = &text[at + c.len_utf8()..];
        let ends = c == '\n' || (matches!(c, '.' | '!' | '?') && after.starts_with(char::is_whitespace));
        ends.then_some(at + c.len_utf8())
    });
    first_chars(&text[..end.unwrap_or(text.len())], MAX_WHOLE_CHARS + 1).trim_end()
}

/// The kinds in one turn, each with how many of it.
pub(crate) type KindTurns = [(StatedKind, usize); 3];

/// The turn of the user's statements.
pub(crate) const STATED_TURN: KindTurns =
    [(StatedKind::Statement, 2), (StatedKind::Pin, 1), (StatedKind::Hint, 1)];

/// The turn of agents' statements, which have little room. What was pinned comes first.
pub(crate) const TURN_OF_AGENTS: KindTurns =
    [(StatedKind::Pin, 1), (StatedKind::Statement, 2), (StatedKind::Hint, 1)];

/// Statements in display order. The kinds take turns, so that no kind pushes another out. What was
/// said once comes last, and within each kind, what has drifted comes after what has not.
pub(crate) fn interleave_kinds(stated: Vec<Stated>, turn: KindTurns) -> Vec<Stated> {
    let of = |kind: StatedKind| {
        let mut found: Vec<Stated> = stated.iter().filter(|one| one.kind == kind).cloned().collect();
        found.sort_by_key(|one| one.drift.is_some());
        found.into_iter()
    };
    let mut kinds = turn.map(|(kind, many)| (of(kind), many));
    let mut ordered = Vec::with_capacity(stated.len());
    loop {
        let before = ordered.len();
        for (kind, many) in &mut kinds {
            ordered.extend(kind.take(*many));
        }
        if ordered.len() == before {
            break;
        }
    }
    ordered.extend(of(StatedKind::SaidOnce));
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(entry: i64, kind: StatedKind, text: &str) -> Stated {
        Stated {
            entry: EntryId(entry),
            kind,
            label: String::new(),
            text: text.to_owned(),
            source: "remembered 2d ago".to_owned(),
            by_person: true,
            drift: None,
        }
    }

    #[test]
    fn a_long_statement_is_shown_by_its_first_sentence() {
        let long =
            stated(4, StatedKind::Statement, &format!("Use pnpm here. {}", "Because of that. ".repeat(20)));
        assert_eq!(long.line(), "- \"Use pnpm here. …\" (remembered 2d ago) #4\n");
        let whole = stated(5, StatedKind::Statement, "Use pnpm here. Never npm.");
        assert_eq!(whole.line(), "- \"Use pnpm here. Never npm.\" (remembered 2d ago) #5\n");
    }

    #[test]
    fn the_sorts_take_turns() {
        let given = (1..=5).map(|n| stated(n, StatedKind::Statement, "s"));
        let given = given.chain([
            stated(6, StatedKind::SaidOnce, "o"),
            stated(7, StatedKind::Hint, "h"),
            stated(8, StatedKind::Pin, "p"),
        ]);
        let order: Vec<i64> =
            interleave_kinds(given.collect(), STATED_TURN).iter().map(|one| one.entry.0).collect();
        assert_eq!(order, [1, 2, 8, 7, 3, 4, 5, 6]);
    }

    #[test]
    fn of_agents_what_was_pinned_comes_first() {
        let given = [(1, StatedKind::Statement), (2, StatedKind::Hint), (3, StatedKind::Pin)];
        let given = given.map(|(entry, kind)| stated(entry, kind, "s"));
        let ordered = interleave_kinds(given.into(), TURN_OF_AGENTS);
        assert_eq!(ordered.iter().map(|one| one.entry.0).collect::<Vec<_>>(), [3, 1, 2]);
    }

    #[test]
    fn what_has_drifted_comes_after_what_has_not() {
        let mut drifted = stated(1, StatedKind::Statement, "a");
        drifted.drift = Some("src/a.rs changed since".to_owned());
        let order = interleave_kinds(vec![drifted, stated(2, StatedKind::Statement, "b")], STATED_TURN);
        assert_eq!(order[0].entry.0, 2);
        assert!(order[1].line().contains("; src/a.rs changed since)"));
    }
}
