//! Whose transcript a file is, by how it begins.

use serde_json::Value;

use super::format::Format;
use super::line;

/// How many lines are looked at: the first may be damaged, or hold nothing telling.
const LINES: usize = 20;

/// So much of a beginning is looked at that holds no whole line.
const HEAD: usize = 2_000;

/// Whose transcript begins so, of the agents whose formats are given: the first that knows a line.
pub(crate) fn recognise<A: Copy>(begin: &str, among: &[(A, &Format)]) -> Option<A> {
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    let known = |is_own: &dyn Fn(&Format) -> bool| {
        among.iter().find(|(_, format)| is_own(format)).map(|(agent, _)| *agent)
    };
    let by_line = begin.lines().take(LINES).filter_map(line::object).find_map(|fields| {
        let fields = Value::Object(fields.into_inner());
        known(&|format| (format.beginning.line)(&fields))
    });
    by_line.or_else(|| {
        // A line that is longer than what was read of it, or a document over many lines.
        let head: String = begin.chars().take(HEAD).filter(|sign| !sign.is_whitespace()).collect();
        known(&|format| (format.beginning.head)(&head))
    })
}
