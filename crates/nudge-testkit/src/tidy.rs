//! Replaces values that differ from run to run, so that a whole page can be compared.

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

/// The length of the value to replace at the start of `text`, and its placeholder.
fn constant(text: &str) -> Option<(usize, &'static str)> {
    if let Some(length) =
        shape(text, "0000-00-00T00:00:00.000Z").or_else(|| shape(text, "0000-00-00T00:00:00Z"))
    {
        return Some((length, "[TIME]"));
    }
    // As part of a file name, where colons are avoided.
    if let Some(length) =
        shape(text, "0000-00-00T00-00-00.000Z").or_else(|| shape(text, "0000-00-00T00-00-00"))
    {
        return Some((length, "[TIME]"));
    }
    if let Some(length) = moment(text) {
        return Some((length, "[TIME]"));
    }
    if let Some(length) = day_and_time(text) {
        let blanks = text[length..].bytes().take_while(|byte| *byte == b' ').count();
        // A list pads its times to the widest one, which depends on the hour of the day.
        return Some((length + blanks.saturating_sub(2), "[TIME]"));
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

/// The length of `2026-11-14 10:32`, with the distance that may follow: ` (3 days ago)`.
fn moment(text: &str) -> Option<usize> {
    let length = shape(text, "0000-00-00 00:00")?;
    let distance = text[length..].strip_prefix(" (").and_then(|rest| rest.split_once(')'));
    let is_distance =
        |words: &str| words.ends_with(" ago") || words == "just now" || words.starts_with("in ");
    Some(length + distance.filter(|(words, _)| is_distance(words)).map_or(0, |(words, _)| words.len() + 3))
}

/// The length of `today 14:02`, `yesterday 09:11` or `Nov 14 10:32`.
fn day_and_time(text: &str) -> Option<usize> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let named = ["today", "yesterday", "tomorrow"].into_iter().find_map(|word| {
        let rest = text.strip_prefix(word)?;
        Some(word.len() + shape(rest, " 00:00")?)
    });
    let dated = || {
        let rest = MONTHS.into_iter().find_map(|month| text.strip_prefix(month))?;
        Some(3 + shape(rest, " 00 00:00").or_else(|| shape(rest, "  0 00:00"))?)
    };
    named.or_else(dated)
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

/// The pattern's length when `text` starts with it; `0` matches a digit, `x` a hex digit.
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
    fn times_are_constant_whatever_the_hour() {
        let text = "1  today 14:02      command\n2  Nov  4 10:32  x\nat 2026-11-14 10:32 (3 days ago), yesterday 23:59: y\n";
        assert_eq!(
            tidy(text, Path::new("/tmp/nh1")),
            "1  [TIME]  command\n2  [TIME]  x\nat [TIME], [TIME]: y\n"
        );
    }

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
