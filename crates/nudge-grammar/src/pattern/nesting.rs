//! How deep brackets nest, and where one closes, with quoted text left out.

/// The position of the bracket that closes one opened just before `text`.
pub(super) fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if let Some(end) = quote {
            if c == end {
                quote = None;
            }
        } else if c == '"' || c == '\'' {
            quote = Some(c);
        } else if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// The text with everything between quotes replaced by nothing, so that it can be scanned.
///
/// `escapes` says whether a backslash protects a quote: it does in JSONPath, not in XPath.
pub(super) fn without_quoted(text: &str, escapes: bool) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if escapes && c == '\\' => is_escaped = true,
            Some(end) if c == end => {
                quote = None;
                bare.push(c);
            }
            Some(_) => {}
            None => {
                if c == '"' || c == '\'' {
                    quote = Some(c);
                }
                bare.push(c);
            }
        }
    }
    bare
}

/// The deepest nesting of round and square brackets.
pub(super) fn depth(bare: &str) -> usize {
    let (mut now, mut deepest) = (0usize, 0);
    for c in bare.chars() {
        match c {
            '(' | '[' => {
                now += 1;
                deepest = deepest.max(now);
            }
            ')' | ']' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
