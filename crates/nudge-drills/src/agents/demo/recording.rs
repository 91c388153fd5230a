//! The contents of the demo: one screen for each step, with no trace of the machine it ran on.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Context;
use regex::Regex;
use serde_json::json;

use super::super::agent::Workspace;
use super::screen::{COLUMNS, Colour, Line, ROWS, Style, cut, parse};
use super::svg;

/// The title of the recording.
const TITLE: &str = "Nudge with Claude Code and Codex: real agents, a scripted model";

/// The script in a prompt: as Nudge quotes it, up to the end of the quotation, and in its original
/// form, up to the end of the line.
static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\s*(?:<<|‹‹)(?:SCRIPT \[\{"[^\n]*|[^"\n]*)"#).expect("a fixed pattern"));

/// The first words of the lines that frame the remembered text.
const FRAMING: [&str; 2] = ["What Nudge remembers", "The whole of a #number"];

/// Strings that must not be in the recording, because they name the machine.
const MACHINE_PATHS: [&str; 7] = ["/tmp/", "/var/", "/root", "/work/", "/home/", "/Users/", "nudge-drill-"];

/// The files, and the screens so far.
pub(super) struct Recording {
    out: PathBuf,
    cast: Cast,
    screens: Vec<Vec<Line>>,
    /// Replacements for the display, the longest first.
    shown_as: Vec<(String, &'static str)>,
}

/// One step as it is shown.
pub(super) struct Scene(Vec<Line>);

impl Scene {
    /// Starts a scene with a line that says what it is about.
    pub(super) fn about(words: &str) -> Self {
        Self(vec![Line::of(Style::DIM, &format!("# {words}"))])
    }

    /// What the user types.
    pub(super) fn typed(mut self, words: &str) -> Self {
        self.0.push(Line::of(Style::PROMPT, "$ ").and(Style::BOLD, words));
        self
    }

    /// The output of the command: at most `most` lines, `at_the_end` of them from the end.
    pub(super) fn printed(mut self, text: &str, most: usize, at_the_end: usize) -> Self {
        let lines = parse(text.trim_end()).iter().flat_map(|line| line.wrapped(COLUMNS)).collect();
        self.0.extend(cut(lines, most, at_the_end));
        self
    }

    /// A label for what happened in an agent.
    pub(super) fn label(mut self, agent: &str, words: &str) -> Self {
        self.0.push(Line::of(Style::LABEL, agent).and(Style::LABEL, " ▸ ").and(Style::default(), words));
        self
    }

    /// The text that the model was given: at most `most` lines. The lines that matter are
    /// highlighted.
    pub(super) fn given(mut self, text: &str, most: usize, matters: &[&str]) -> Self {
        let lines = text.trim().lines().filter(|line| !line.trim().is_empty());
        let lines = lines.map(|line| {
            let style = match line {
                line if matters.iter().any(|word| line.contains(word)) => Style::BRIGHT,
                line if line.starts_with('#') => Style::BOLD,
                line if FRAMING.iter().any(|words| line.starts_with(words)) => Style::DIM,
                _ => Style::default(),
            };
            Line::of(style, &format!("  {line}"))
        });
        let lines = lines.flat_map(|line| line.wrapped(COLUMNS)).collect();
        self.0.extend(cut(lines, most, 0));
        self
    }

    pub(super) fn space(mut self) -> Self {
        self.0.push(Line::default());
        self
    }
}

impl Recording {
    pub(super) fn begin(out: &Path, workspace: &Workspace) -> anyhow::Result<Self> {
        std::fs::create_dir_all(out)?;
        let work = workspace.project.parent().context("a project lies in a folder")?;
        let mut shown_as = Vec::new();
        for path in [workspace.home.path(), work] {
            shown_as.push((path.display().to_string(), "~"));
        }
        shown_as.push((workspace.home.binary().display().to_string(), "nudge"));
        Ok(Self {
            out: out.to_owned(),
            cast: Cast::begin(&out.join("demo.cast"), TITLE)?,
            screens: Vec::new(),
            shown_as,
        })
    }

    /// A text as it is shown: without paths of this machine, and without the script for the model.
    pub(super) fn clean(&self, text: &str) -> String {
        let text = self.shown_as.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        SCRIPT.replace_all(&text, "").into_owned()
    }

    /// Adds a screen.
    pub(super) fn show(&mut self, scene: Scene) -> anyhow::Result<()> {
        let lines = cut(scene.0, ROWS, 0);
        for line in &lines {
            println!("    {}", line.text());
        }
        println!();
        self.cast.screen(&lines)?;
        self.screens.push(lines);
        Ok(())
    }

    /// Writes the picture; returns what is wrong with the recording.
    pub(super) fn end(self) -> anyhow::Result<Vec<String>> {
        let picture = svg::draw(TITLE, &self.screens);
        std::fs::write(self.out.join("demo.svg"), &picture)?;
        self.cast.end()?;
        let texts: Vec<String> = self.screens.iter().flatten().map(Line::text).collect();
        let named = MACHINE_PATHS.iter().filter(|place| texts.iter().any(|text| text.contains(**place)));
        Ok(named.map(|place| format!("the recording names {place} of this machine")).collect())
    }
}

// Writes a recording in the format of asciinema: asciicast, version 2.

/// Seconds for a key press, for a printed line, and for reading a screen.
const KEY: f64 = 0.04;

const ROW: f64 = 0.06;

const READ: f64 = 5.0;

/// A recording that is written as it goes.
struct Cast {
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
