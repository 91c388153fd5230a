//! Writes a recording in the format of asciinema: asciicast, version 2.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::screen::{COLUMNS, Colour, Line, ROWS, Style};

/// Seconds for a key press, for a printed line, and for reading a screen.
const KEY: f64 = 0.04;
const ROW: f64 = 0.06;
const READ: f64 = 5.0;

/// A recording that is written as it goes.
pub(super) struct Cast {
    file: File,
    /// Seconds since the start: the time that a viewer needs, not the time that the agents took.
    clock: f64,
}

impl Cast {
    pub(super) fn begin(path: &Path, title: &str) -> anyhow::Result<Self> {
        let mut file = File::create(path)?;
        let head = json!({"version": 2, "width": COLUMNS, "height": ROWS, "title": title,
            "env": {"TERM": "xterm-256color", "SHELL": "/bin/sh"}});
        writeln!(file, "{head}")?;
        Ok(Self { file, clock: 0.0 })
    }

    /// Adds a screen: its first lines at once, then the others; lines with a prompt are typed.
    pub(super) fn screen(&mut self, lines: &[Line]) -> anyhow::Result<()> {
        self.write_event(0.0, "\u{1b}[2J\u{1b}[H")?;
        for line in lines {
            let typed = line.text().starts_with("$ ");
            for (number, (style, text)) in line.pieces().enumerate() {
                if typed && number > 0 {
                    for key in text.chars() {
                        self.write_event(KEY, &with_sgr(style, &key.to_string()))?;
                    }
                } else {
                    self.write_event(ROW, &with_sgr(style, text))?;
                }
            }
            self.write_event(if typed { KEY * 10.0 } else { 0.0 }, "\r\n")?;
        }
        self.clock += READ;
        Ok(())
    }

    /// Ends the recording; the last screen stays.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        self.write_event(0.0, "")
    }

    fn write_event(&mut self, after: f64, text: &str) -> anyhow::Result<()> {
        self.clock += after;
        let rounded = (self.clock * 1000.0).round() / 1000.0;
        Ok(writeln!(self.file, "{}", json!([rounded, "o", text]))?)
    }
}

/// A piece of text with its style switched on and off again.
fn with_sgr(style: Style, text: &str) -> String {
    let colour = style.colour.map(|colour| match colour {
        Colour::Red => "31",
        Colour::Green => "32",
        Colour::Yellow => "33",
        Colour::Blue => "36",
    });
    let codes: Vec<&str> =
        [style.bold.then_some("1"), style.dim.then_some("2"), colour].into_iter().flatten().collect();
    if codes.is_empty() { text.to_owned() } else { format!("\u{1b}[{}m{text}\u{1b}[0m", codes.join(";")) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_recording_has_a_head_and_events_in_their_order() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("x.cast");
        let mut cast = Cast::begin(&path, "t").expect("a file");
        let typed = Line::of(Style::PROMPT, "$ ").and(Style::default(), "ls");
        cast.screen(&[typed, Line::of(Style::DIM, "a")]).expect("written");
        cast.end().expect("written");
        let text = std::fs::read_to_string(path).expect("text");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((&lines[0]["version"], &lines[0]["width"]), (&json!(2), &json!(100)));
        let said: String = lines[1..].iter().filter_map(|event| event[2].as_str()).collect();
        assert_eq!(said, "\u{1b}[2J\u{1b}[H\u{1b}[1;32m$ \u{1b}[0mls\r\n\u{1b}[2ma\u{1b}[0m\r\n");
        let times: Vec<f64> = lines[1..].iter().filter_map(|event| event[0].as_f64()).collect();
        assert!(times.is_sorted() && times.last().is_some_and(|last| *last > READ));
    }
}
