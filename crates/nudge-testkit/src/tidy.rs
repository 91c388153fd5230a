//! Replaces what differs from run to run, so that a page can be compared whole.

use std::path::Path;

/// The text with the home directory, timestamps, ids, ports and process ids made constant.
pub fn tidy(text: &str, home: &Path) -> String {
    let text = text.replace(&*home.to_string_lossy(), "[HOME]");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let fresh = out.chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric());
        match fresh.then(|| constant(rest)).flatten() {
            Some((length, name)) => {
                out.push_str(name);
                rest = &rest[length..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// The length of what must be replaced at the start of `text`, and its name.
fn constant(text: &str) -> Option<(usize, &'static str)> {
    if let Some(length) =
        shape(text, "0000-00-00T00:00:00.000Z").or_else(|| shape(text, "0000-00-00T00:00:00Z"))
    {
        return Some((length, "[TIME]"));
    }
    // As part of a file name, where colons are unwelcome.
    if let Some(length) =
        shape(text, "0000-00-00T00-00-00.000Z").or_else(|| shape(text, "0000-00-00T00-00-00"))
    {
        return Some((length, "[TIME]"));
    }
    if let Some(length) = shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") {
        return Some((length, "[UUID]"));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with("s ago") {
        return Some((digits, "[N]"));
    }
    if let Some(length) = size(text) {
        return Some((length, "[SIZE]"));
    }
    for (word, name) in [("pid ", "pid [PID]"), ("port ", "port [PORT]"), ("127.0.0.1:", "127.0.0.1:[PORT]")]
    {
        if let Some(number) = text.strip_prefix(word) {
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 1 {
                return Some((word.len() + digits, name));
            }
        }
    }
    None
}

/// The length of a size such as `12.5 MiB`.
fn size(text: &str) -> Option<usize> {
    let number = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let unit = text.get(number..)?;
    let known = ["B", "iB"].iter().find_map(|end| {
        ["K", "M", "G"].iter().find_map(|first| {
            unit.strip_prefix(' ')?.strip_prefix(first)?.strip_prefix(end).map(|_| 2 + end.len())
        })
    })?;
    (number > 0).then_some(number + known)
}

/// The pattern's length when `text` starts with it; `0` stands for a digit, `x` for a hex digit.
fn shape(text: &str, pattern: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..pattern.len())?;
    let fits = bytes.iter().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        other => *byte == other,
    });
    fits.then_some(pattern.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_what_changes() {
        let text =
            "/tmp/nh1/x at 2026-11-15T06:10:27.123Z, pid 4711 on port 8765, v3, 12 hints, 3s ago, 1.5 MiB\n";
        assert_eq!(
            tidy(text, Path::new("/tmp/nh1")),
            "[HOME]/x at [TIME], pid [PID] on port [PORT], v3, 12 hints, [N]s ago, [SIZE]\n"
        );
    }
}
