//! Recognises which agent wrote a transcript, by its beginning.

use serde_json::Value;

use super::format::Format;
use super::line;

/// How many lines are examined: the first may be damaged or unspecific.
const LINES: usize = 20;

/// How many characters are examined of a beginning without a whole line.
const HEAD: usize = 2_000;

/// The first of the given agents that recognises a line of this beginning.
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
        // A line longer than the part that was read, or a document over many lines.
        let head: String = begin.chars().take(HEAD).filter(|sign| !sign.is_whitespace()).collect();
        known(&|format| (format.beginning.head)(&head))
    })
}
