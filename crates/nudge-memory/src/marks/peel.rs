//! Strips a command line to the command itself, without where and how it is run and how much output
//! is shown.

/// Removes here-documents; only the line that starts one counts.
pub(super) fn without_document(text: &str) -> String {
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, _)) if first.contains("<<") => first.to_owned(),
        _ => text.replace("\\\n", " ").replace('\n', " ; "),
    }
}

/// The command itself, without the parts that only say where and how it is run or how much of its
/// output is shown.
pub(super) fn peeled(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let next = without_tail(without_head(rest)).trim();
        if next == rest || next.is_empty() {
            return rest;
        }
        rest = next;
    }
}

fn without_head(text: &str) -> &str {
    if let Some(after) = text.strip_prefix("cd ") {
        let end = [after.find("&&").map(|at| at + 2), after.find(';').map(|at| at + 1)];
        if let Some(end) = end.into_iter().flatten().min() {
            return after[end..].trim_start();
        }
    }
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if is_assignment(first) && !rest.trim().is_empty() {
        return rest.trim_start();
    }
    let shell = matches!(first.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash"));
    let inner = rest.trim_start().strip_prefix("-lc ").or_else(|| rest.trim_start().strip_prefix("-c "));
    if let (true, Some(inner)) = (shell, inner) {
        return unquoted(inner.trim());
    }
    if first == "timeout"
        && let Some((length, command)) = rest.trim_start().split_once(' ')
        && length.starts_with(|c: char| c.is_ascii_digit())
    {
        return command;
    }
    text
}

fn without_tail(text: &str) -> &str {
    let text = text.strip_suffix("2>&1").unwrap_or(text).trim_end();
    if let Some((command, last)) = text.rsplit_once('|') {
        let shown = matches!(last.split_whitespace().next(), Some("tail" | "head" | "less" | "cat"));
        if shown && !command.ends_with('|') && !last.contains(['\'', '"', ';', '&']) {
            return command.trim_end();
        }
    }
    text
}

/// Whether a word is `NAME=value`, before a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        let named = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        named && !name.is_empty() && !value.contains(['"', '\'', '$'])
    })
}

fn unquoted(text: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}
