//! Ways to damage a valid text.

use serde_json::{Map, Value};

/// A small random number generator: a number always makes the same input.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`; 0 if `sides` is 0.
    pub(super) fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }
}

/// Texts that are hard to parse.
pub(super) const NASTY_TEXTS: &[&str] = &[
    "",
    "\u{0}",
    "\u{feff}",
    "\u{202e}\u{1b}[31m",
    "<private>",
    "</private>",
    "<nudge-memory id=\"x\">",
    "-----BEGIN RSA PRIVATE KEY-----",
    "git commit -m \"",
    "'\"`$(",
    "*** Begin Patch\n*** Update File: ",
    "\u{1F980}\u{200d}",
    "9223372036854775808",
    "é\u{301}",
    "/../../../../etc/passwd",
    "Exit code 99999999999999999999",
];

/// Applies several random kinds of damage.
pub(super) fn damaged(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        text = match random.below(8) {
            0 => flipped(&text, random),
            1 => text.chars().take(random.below(text.len() + 1)).collect(),
            2 => spliced(&text, other, random),
            3 => repeated(&text, random),
            4 => inserted(&text, NASTY_TEXTS[random.below(NASTY_TEXTS.len())], random),
            5 => deep(&text, random),
            _ => restructured(&text, random),
        };
    }
    text
}

fn flipped(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn cut_at(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn spliced(text: &str, other: &str, random: &mut Random) -> String {
    format!("{}{}", &text[..cut_at(text, random)], &other[cut_at(other, random)..])
}

fn repeated(text: &str, random: &mut Random) -> String {
    let (one, two) = (cut_at(text, random), cut_at(text, random));
    let piece = &text[one.min(two)..one.max(two)];
    let times = (200_000 / piece.len().max(1)).min(1 + random.below(50));
    format!("{}{}{}", &text[..one.max(two)], piece.repeat(times), &text[one.max(two)..])
}

fn inserted(text: &str, what: &str, random: &mut Random) -> String {
    let at = cut_at(text, random);
    format!("{}{what}{}", &text[..at], &text[at..])
}

fn deep(text: &str, random: &mut Random) -> String {
    let depth = random.below(2_000);
    inserted(text, &format!("{}{}", "[".repeat(depth), "]".repeat(depth)), random)
}

/// Changes a value inside one line, which stays valid JSON.
fn restructured(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    let at = random.below(lines.len());
    let whole = serde_json::from_str::<Value>(text).ok();
    let Some(mut value) = whole.clone().or_else(|| serde_json::from_str(lines.get(at)?).ok()) else {
        return text.to_owned();
    };
    change(&mut value, random, 0);
    if whole.is_some() {
        return value.to_string();
    }
    lines[at] = value.to_string();
    lines.join("\n")
}

fn change(value: &mut Value, random: &mut Random, depth: usize) {
    let stop = depth > 6 || random.below(4) == 0;
    match value {
        Value::Object(fields) if !stop && !fields.is_empty() => {
            let at = random.below(fields.len());
            if let Some((_, inner)) = fields.iter_mut().nth(at) {
                change(inner, random, depth + 1);
            }
        }
        Value::Array(items) if !stop && !items.is_empty() => {
            let at = random.below(items.len());
            change(&mut items[at], random, depth + 1);
        }
        _ => *value = another(value, random),
    }
}

fn another(value: &Value, random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::from(i64::MIN),
        3 => Value::from(1e308),
        4 => Value::Array(vec![value.clone(); 3]),
        5 => Value::Object(Map::from_iter([("file_path".to_owned(), value.clone())])),
        6 => Value::String(NASTY_TEXTS[random.below(NASTY_TEXTS.len())].repeat(1 + random.below(2_000))),
        7 => Value::String(value.to_string()),
        _ => Value::String(NASTY_TEXTS[random.below(NASTY_TEXTS.len())].to_owned()),
    }
}
