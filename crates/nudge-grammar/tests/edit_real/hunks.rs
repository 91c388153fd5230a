//! A second, strict way to apply a diff, to compare with: every number must be right.

/// A hunk: the first old line from 0, and its lines with their signs.
pub struct Hunk {
    pub start: usize,
    pub lines: Vec<String>,
}

impl Hunk {
    /// The lines that are there before.
    pub fn old(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.starts_with([' ', '-'])).map(|line| &line[1..])
    }
}

/// The file after the hunks, or `None` when a line is not where its number says.
pub fn apply(before: &str, hunks: &[Hunk]) -> Option<String> {
    let lines: Vec<&str> = before.split('\n').collect();
    let (mut after, mut at) = (Vec::new(), 0);
    for hunk in hunks {
        after.extend_from_slice(lines.get(at..hunk.start)?);
        at = hunk.start;
        for line in &hunk.lines {
            let Some(text) = line.get(1..) else { continue };
            let is_there = lines.get(at) == Some(&text);
            match line.as_bytes()[0] {
                b' ' if is_there => after.push(text),
                b'-' if is_there => {}
                b'+' => after.push(text),
                b'\\' => continue,
                _ => return None,
            }
            at += usize::from(!line.starts_with('+'));
        }
    }
    after.extend_from_slice(lines.get(at..)?);
    Some(after.join("\n"))
}

/// The hunks of a diff that a tool wrote.
pub fn parse(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in diff.lines() {
        if let Some(numbers) = line.strip_prefix("@@ -") {
            let old = numbers.split(' ').next().expect("an old range");
            let (start, count) = old.split_once(',').unwrap_or((old, "1"));
            let start: usize = start.parse().expect("a number");
            let start = if count == "0" { start } else { start - 1 };
            hunks.push(Hunk { start, lines: Vec::new() });
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push(line.to_owned());
        }
    }
    hunks
}
