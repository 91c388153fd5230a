//! A run as a story: what was asked, what the model said, what came of it, and how it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use nudge_testkit::tidy::tidy;
use serde_json::Value;

/// What the model said in each turn. A request that was repeated said something each time.
pub(crate) type Said = BTreeMap<u64, Vec<String>>;

/// The longest line of a story.
const MAX_LINE: usize = 150;

/// The most lines of one thing that the model said.
const MAX_LINES: usize = 8;

/// A run, turn by turn.
pub(crate) fn tell(view: &Value, said: &Said) -> String {
    let history: Vec<&Value> = view["history"].as_array().into_iter().flatten().collect();
    let numbers = history.iter().filter_map(|row| row["turn"].as_u64());
    let turns: BTreeSet<u64> = numbers.chain(said.keys().copied()).collect();
    let mut page = format!("\nrun {}", text(view, "run"));
    if let Some(parent) = view["parent"].as_str() {
        page.push_str(&format!(", a copy of {parent}"));
    }
    page.push('\n');
    for turn in turns {
        let _ = writeln!(page, "turn {turn}");
        let rows = || history.iter().filter(|row| row["turn"].as_u64() == Some(turn));
        rows().filter(|row| is_before(row)).for_each(|row| page.push_str(&row_line(row)));
        for text in said.get(&turn).into_iter().flatten() {
            page.push_str(&model_lines(text));
        }
        rows().filter(|row| !is_before(row)).for_each(|row| page.push_str(&row_line(row)));
    }
    page.push_str(&ending(view));
    page
}

/// Whether something happened before the request of its turn.
fn is_before(row: &Value) -> bool {
    let path = text(row, "record");
    let is_overflow = path.contains("/error/overflow") && !path.ends_with("overflow_after");
    row["tool"] == "prompt" || path.ends_with("/search/prompt") || is_overflow
}

fn row_line(row: &Value) -> String {
    let body = text(row, "body");
    if row["tool"] == "prompt" {
        return format!("  prompt: {}\n", one_line(&body, 90));
    }
    let target = text(row, "target");
    let slug = text(row, "record").rsplit('/').next().unwrap_or_default().to_owned();
    let about = if target.is_empty() && row["tool"] != "update" { slug } else { target };
    let outcome = row["outcome"].as_str().map(|outcome| format!(" [{outcome}]")).unwrap_or_default();
    let about = if about.is_empty() { about } else { format!(" {}", one_line(&about, 60)) };
    let body = body.replace('\n', " ⏎ ");
    let body = without_duration(&body);
    let line = format!("  {} {}{about}{outcome}: {body}", row["status"], text(row, "tool"));
    one_line(&line, MAX_LINE) + "\n"
}

fn model_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut page = String::new();
    for line in lines.iter().take(MAX_LINES) {
        let _ = writeln!(page, "  > {}", one_line(line, MAX_LINE));
    }
    if lines.len() > MAX_LINES {
        page.push_str("  > …\n");
    }
    if lines.is_empty() {
        page.push_str("  >\n");
    }
    page
}

/// How each prompt and the run ended.
fn ending(view: &Value) -> String {
    let mut page = String::new();
    for one in view["loops"].as_array().into_iter().flatten() {
        let _ = write!(page, "prompt {}: {} {}", one["number"], text(one, "state"), one["status"]);
        let _ = writeln!(page, ", {}", one_line(&text(one, "reason"), MAX_LINE));
        for line in text(one, "answer").lines() {
            let _ = writeln!(page, "  = {}", one_line(line, MAX_LINE));
        }
    }
    let outcome = view["outcome"].as_str().map(|outcome| format!(" ({outcome})")).unwrap_or_default();
    let _ = writeln!(page, "run: {} {}{outcome}", text(view, "state"), view["status"]);
    for unknown in view["unknowns"].as_array().into_iter().flatten() {
        let _ = writeln!(page, "open: {} {}", text(unknown, "path"), text(unknown, "body"));
    }
    for source in view["sources"].as_array().into_iter().flatten() {
        let cited = if source["cited"] == true { ", cited" } else { "" };
        let _ = writeln!(
            page,
            "source: {}{cited}: {}",
            text(source, "path"),
            one_line(&text(source, "preview"), 60)
        );
    }
    let _ = writeln!(page, "used: {}", used(&view["telemetry"]));
    page
}

fn used(telemetry: &Value) -> String {
    if telemetry.is_null() {
        return "unknown while a turn is under way".to_owned();
    }
    let count = |name: &str| telemetry[name].as_u64().unwrap_or_default();
    let is_estimate = telemetry["estimated"] == true;
    let tokens = |name: &str| if is_estimate { "about N".to_owned() } else { count(name).to_string() };
    let mut parts = vec![
        format!("{} turns", count("turns")),
        format!("{} tokens in", tokens("prompt_tokens")),
        format!("{} out", tokens("completion_tokens")),
    ];
    for (name, word) in [("cached_tokens", "cached"), ("reasoning_tokens", "reasoning")] {
        if count(name) > 0 {
            parts.push(format!("{} {word}", count(name)));
        }
    }
    parts.extend(telemetry["cost_usd"].as_f64().map(|cost| format!("${cost:.6}")));
    for (name, word) in [("errors", "turns with errors"), ("healed", "faults healed")] {
        if count(name) > 0 {
            parts.push(format!("{} {word}", count(name)));
        }
    }
    parts.join(", ")
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// A character that a reader sees: characters that turn or hide text are dots.
fn visible(c: char) -> char {
    match c {
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '·',
        '\n' | '\t' => ' ',
        c if c.is_control() => '·',
        c => c,
    }
}

/// The first characters of a text, in one line.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line: String = text.chars().map(visible).collect();
    if line.chars().count() <= most {
        return line.trim_end().to_owned();
    }
    line.chars().take(most).collect::<String>() + "…"
}

/// A text without what differs from one time to the next: places, times, ports, ids and estimates.
pub(crate) fn shown(text: &str, home: &Path) -> String {
    let tidied = tidy(text, home);
    let mut out = String::with_capacity(tidied.len());
    for (index, line) in tidied.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line = &without_duration(&without_row_id(line));
        let is_estimate = line.contains("The packet has ");
        out.push_str(&without_numbers(line, |before| {
            before.ends_with('#')
                || (is_estimate && ["has ", ", ", "of "].iter().any(|word| before.ends_with(word)))
        }));
    }
    out
}

/// A line without how long a command took.
fn without_duration(line: &str) -> String {
    let Some((before, rest)) = line.split_once(" after ") else { return line.to_owned() };
    match rest.split_once(" s;") {
        Some((seconds, rest)) if seconds.parse::<f64>().is_ok() => format!("{before} after N s;{rest}"),
        _ => line.to_owned(),
    }
}

/// A line of a list without the id at its start.
fn without_row_id(line: &str) -> String {
    let row = line.trim_start();
    let digits = row.bytes().take_while(u8::is_ascii_digit).count();
    match digits > 0 && row[digits..].starts_with("  [TIME]") {
        true => format!("N{}", &row[digits..]),
        false => line.to_owned(),
    }
}

/// A line with `N` for each number that follows such a text.
fn without_numbers(line: &str, is_after: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            out.push_str(if is_after(&out) { "N" } else { &rest[..digits] });
            rest = &rest[digits..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}
