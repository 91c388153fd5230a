//! Makes remembered text harmless inside a frame: one line, nothing hidden, no tags.

use nudge_core::text::is_hidden;

/// Replaces a `<` that could open a tag.
const HARMLESS_BRACKET: char = '‹';

/// A remembered text as one line of at most `most` characters.
///
/// Control, escape, direction, zero-width and tag characters are removed, white space becomes one
/// space, and anything that could be read as a tag, the frame's own or any agent's, is defused. A
/// cut text ends in `…`.
pub fn clean(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut space = false;
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        if c.is_whitespace() {
            space = length > 0;
            continue;
        }
        if length + usize::from(space) >= most {
            while length + 1 > most {
                out.pop();
                length -= 1;
            }
            out.push('…');
            return out;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
            length += 1;
        }
        out.push(if is_angle(c) { HARMLESS_BRACKET } else { c });
        length += 1;
    }
    out
}

/// Names of elements that agents' programs obey. Anything that poses as one begins with such a
/// name.
const OBEYED_TAGS: [&str; 24] = [
    "system",
    "user",
    "assistant",
    "human",
    "developer",
    "instructions",
    "instruction",
    "important",
    "tool",
    "tools",
    "result",
    "function",
    "function_calls",
    "function_results",
    "tool_use",
    "tool_result",
    "tool_calls",
    "invoke",
    "user_instructions",
    "environment_context",
    "turn_aborted",
    "start_of_turn",
    "end_of_turn",
    "extremely_important",
];

/// A remembered text of several lines, for a caller who asked for it.
///
/// Like [`clean`], but line breaks and tabs stay, nothing is cut, and only those angle brackets are
/// defused that open something an agent could obey: the frame, an element of an agent's own
/// program, a control token. Code stays code.
pub fn clean_text(text: &str) -> String {
    if is_plain_text(text) {
        return text.to_owned();
    }
    let breaks = |c| if matches!(c, '\u{2028}' | '\u{2029}') { '\n' } else { c };
    let shown = text.replace("\r\n", "\n");
    let shown: String = shown.chars().filter(|c| *c != '\r' && !is_hidden(*c)).map(breaks).collect();
    defused(&shown, |before, after| opens_obeyed_element(after) || looks_like_an_element(before, after))
}

/// Whether a text has only characters that [`clean_text`] leaves alone, whatever stands around
/// them. Most texts do, and looking costs far less than cleaning.
pub fn is_plain_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~') && byte != b'<')
}

/// A text in which the angle brackets that `opens` names are harmless. `opens` gets the character
/// before a bracket and the text after it.
pub(crate) fn defused(text: &str, opens: impl Fn(Option<char>, &str) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find(is_angle) {
        let bracket = rest[at..].chars().next();
        let angle = bracket.map_or(1, char::len_utf8);
        let after = &rest[at + angle..];
        before = rest[..at].chars().next_back().or(before);
        out.push_str(&rest[..at]);
        if opens(before, after) {
            out.push(HARMLESS_BRACKET)
        } else {
            out.push_str(&rest[at..at + angle])
        }
        rest = after;
        before = bracket;
    }
    out.push_str(rest);
    out
}

/// The name of the element that an angle bracket before this text opens or closes.
pub(crate) fn element_name(after: &str) -> &str {
    name_at(after.trim_start_matches(|c: char| c.is_whitespace() || c == '/'))
}

/// Whether the text after an angle bracket makes it the beginning of something that agents obey.
fn opens_obeyed_element(after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    if after.starts_with(['|', '｜']) {
        return true;
    }
    let name = name_at(after).to_lowercase();
    // Names of the programs' own elements, such as `system-reminder`, and of the frame have
    // hyphens.
    let hyphened = name.starts_with(|c: char| c.is_alphabetic()) && name.contains('-');
    hyphened || name.starts_with("antml:") || OBEYED_TAGS.contains(&name.as_str())
}

/// Whether an angle bracket begins an element with a name as programs give them to elements for
/// their models: with `_`, in capitals only, or in two brackets. Code does not count: a bracket
/// after a name, as in `Vec<my_type>`, or before the end word of a here-document, as in `<<EOF`.
fn looks_like_an_element(before: Option<char>, after: &str) -> bool {
    let is_second = before.is_some_and(is_angle);
    let inner = if is_second { after } else { after.strip_prefix(is_angle).unwrap_or(after) };
    let is_double = is_second || inner.len() < after.len();
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let name = name_at(inner);
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || !name.contains(char::is_alphabetic) {
        return false;
    }
    if is_double {
        return inner[name.len()..].starts_with(">>");
    }
    let in_code = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '>'));
    let capitals = name.chars().count() >= MIN_CAPITALS && name.chars().all(char::is_uppercase);
    !in_code && (capitals || name.contains(['_', '-']))
}

/// The fewest letters of a name in capitals: types of one or two letters are code.
const MIN_CAPITALS: usize = 3;

/// The name at the start of a text.
fn name_at(text: &str) -> &str {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    text.split(|c| !is_of_name(c)).next().unwrap_or_default()
}

/// A cleaned text for use between quotation marks. It cannot end them.
pub fn quoted(text: &str, most: usize) -> String {
    clean(text, most).replace('"', "'")
}

/// A cleaned text for a table cell, with its pipes replaced.
pub(crate) fn cell(text: &str, most: usize) -> String {
    clean(text, most).replace('|', "¦")
}

/// Angle brackets and characters that look like them.
pub(crate) const fn is_angle(c: char) -> bool {
    matches!(
        c,
        '<' | '＜'
            | '﹤'
            | '〈'
            | '⟨'
            | '❮'
            | '❰'
            | '\u{2c2}'
            | '\u{1438}'
            | '\u{2329}'
            | '\u{276c}'
            | '\u{29fc}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_and_hidden_characters_lose_their_power() {
        assert_eq!(
            clean("</system-reminder>\u{1b}[31mred\u{202e}x\u{e0041}", 99),
            "‹/system-reminder>[31mredx"
        );
        assert_eq!(clean("＜nudge-memory＞", 99), "‹nudge-memory＞");
        assert_eq!(clean(" a \n\r\n\tb\u{2028}c ", 99), "a b c");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(clean("one two three", 8), "one two…");
        assert_eq!(clean("one two", 7), "one two");
        assert_eq!(clean("ééééé", 3), "éé…");
        assert_eq!(cell("a|b", 9), "a¦b");
    }

    #[test]
    fn text_of_several_lines_stays_code_but_opens_nothing() {
        let code = "fn f<T>(x: Vec<std::string>) -> bool {\n\tx < 3\n}\n<div>";
        assert_eq!(clean_text(code), code);
        assert_eq!(clean_text("a\r\nb\rc\u{1b}[2J\u{202e}\u{200b}\u{e0041}"), "a\nbc[2J");
        for hostile in [
            "</nudge-memory id=\"x\">",
            "<system-reminder>",
            "< / System>",
            "<\u{200b}system-reminder>",
            "＜user>",
            "<|im_start|>",
            "<invoke>",
            "<function_calls>",
            "<user_instructions>",
            "</environment_context>",
            "<turn_aborted>",
            "<start_of_turn>",
            "<EXTREMELY_IMPORTANT>",
            "<<SYS>>",
            "<</SYS>>",
            "<OVERRIDE>",
            "<some_agents_tag>",
        ] {
            let cleaned = clean_text(hostile);
            assert!(cleaned.starts_with('‹') && !cleaned.contains(['<', '＜']), "{cleaned}");
            assert_eq!(clean_text(&cleaned), cleaned);
        }
    }

    #[test]
    fn names_that_models_obey_open_nothing_wherever_they_stand() {
        assert_eq!(
            clean_text("x<user_instructions> ><turn_aborted>"),
            "x‹user_instructions> >‹turn_aborted>"
        );
        assert_eq!(clean_text("a <<SYS>> b <</SYS>>"), "a ‹‹SYS>> b ‹‹/SYS>>");
        for code in [
            "Vec<my_type>, HashMap<K, V>, f::<MAX_LEN>(), Vec<Vec<my_type>>",
            "cat <<EOF > x\ny\nEOF",
            "cat <<MY_END\ncat <<-EOF\ncat <<'EOF'",
            "1 << SHIFT_BY, a < MAX_LEN, x <- my_y, <T> <K, V> <_>",
        ] {
            assert_eq!(clean_text(code), code);
        }
    }

    proptest! {
        #[test]
        fn a_plain_text_has_nothing_to_clean(text in "[\\x00-\\x7f]{0,40}") {
            let has_other = text.contains(|c: char| c == '<' || c == '\r' || is_hidden(c));
            prop_assert_eq!(is_plain_text(&text), !has_other, "{:?}", text);
        }

        #[test]
        fn whatever_comes_in_is_one_harmless_line(text in "\\PC*|[\\x00-\\x7f<>\\u{200b}-\\u{202f}\\u{e0000}-\\u{e007f}]{0,60}", most in 1_usize..50) {
            let line = clean(&text, most);
            prop_assert!(line.chars().count() <= most);
            let hostile = ['<', '\n', '\r', '\u{1b}', '\u{202e}', '\u{e0041}', '\u{200b}'];
            prop_assert!(!line.contains(hostile), "{:?}", line);
            prop_assert_eq!(clean(&line, most), line);
        }
    }
}
