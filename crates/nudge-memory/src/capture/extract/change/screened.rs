//! Removes credentials from changed lines and contents, before signs are put in front of the lines.

use std::borrow::Cow;

use nudge_core::text::first_bytes;
use nudge_harness::tool::Line;
use nudge_secrets::REDACTED;

/// The hash distinguishes contents; it is too short for security.
const HASH_DIGITS: usize = 16;

/// How much of a content is scanned. Longer content is treated as if it contained a credential.
const LOOKED_AT: usize = 64 * 1024;

/// Sizes of contents with credentials are rounded to this step, because the exact length of a
/// password helps to guess it.
const STEP: usize = 256;

/// How much of all lines is scanned: far more than is shown.
const LINES_MOST: usize = 32 * 1024;

/// How much of one line is scanned: far more than is shown.
const LINE_MOST: usize = 4 * 1024;

/// What may be reported of a content.
pub(super) struct ContentReport {
    pub(super) size: usize,
    pub(super) hash: String,
    pub(super) redacted: bool,
}

/// The size and hash of a content, both computed after its credentials are removed.
pub(super) fn content(content: &str) -> ContentReport {
    let looked_at = first_bytes(content, LOOKED_AT);
    let clean = nudge_secrets::redact(looked_at);
    let redacted = matches!(clean, Cow::Owned(_));
    if !redacted && looked_at.len() == content.len() {
        return ContentReport { size: content.len(), hash: digits(content.as_bytes()), redacted };
    }
    let size = content.len().div_ceil(STEP) * STEP;
    ContentReport { size, hash: digits(format!("{size}\n{clean}").as_bytes()), redacted }
}

fn digits(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..HASH_DIGITS].to_owned()
}

/// For each line, its text without credentials; `None` if it had none. The added lines are scanned
/// as one text and the removed lines as another.
pub(super) fn lines(lines: &[Line<'_>]) -> Vec<Option<String>> {
    let mut clean = vec![None; lines.len()];
    for came in [true, false] {
        let of = |line: &Line<'_>| match line {
            Line::Added(_) => came,
            Line::Removed(_) => !came,
            Line::File(_) => false,
        };
        let mut text = String::new();
        let mut places = Vec::new();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| of(line)) {
            let (Line::Added(said) | Line::Removed(said)) = line else { continue };
            if text.len() > LINES_MOST {
                break;
            }
            let said = first_bytes(said, LINE_MOST);
            places.push((number, text.len(), said.len()));
            text.push_str(said);
            text.push('\n');
        }
        let findings = nudge_secrets::scan(&text);
        for (number, start, length) in places {
            let within = findings.iter().filter(|found| found.start < start + length && found.end > start);
            let mut shown = String::new();
            let mut from = start;
            for found in within {
                shown.push_str(&text[from..found.start.max(from)]);
                shown.push_str(REDACTED);
                from = found.end.min(start + length);
            }
            if from > start {
                shown.push_str(&text[from..start + length]);
                clean[number] = Some(shown);
            }
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = concat!("9Rxw9kFdu", "DvtsVBT0yd5");

    #[test]
    fn a_value_on_another_line_than_its_name_is_found() {
        let value = format!("    value: {SECRET}");
        let all = [
            Line::Added("  - name: DB_PASSWORD"),
            Line::Removed("x"),
            Line::Added(&value),
            Line::Added("ok"),
        ];
        let clean = lines(&all);
        assert_eq!(clean[2].as_deref(), Some("    value: [REDACTED]"));
        assert_eq!((clean[0].clone(), clean[1].clone(), clean[3].clone()), (None, None, None));
    }

    #[test]
    fn size_and_hash_tell_nothing_of_a_credential() {
        let of = |password: &str| content(&format!("user = app\npassword = {password}\n"));
        let (one, other) = (of(SECRET), of(concat!("tr0ub4dor", "-and-3")));
        assert!(one.redacted && one.size == 256);
        assert_eq!((one.size, one.hash), (other.size, other.hash));
        assert_ne!(content("user = app").hash, content("user = bob").hash);
        assert_eq!((content("user = app").size, content("user = app").redacted), (10, false));
    }
}
