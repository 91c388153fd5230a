//! The contents of the demo: one screen for each step, with no trace of the machine it ran on.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Context;
use regex::Regex;

use super::super::agent::Workspace;
use super::screen;
use super::screen::{COLUMNS, Line, ROWS, Style, cut, parse};

/// The title of the recording.
const TITLE: &str = "Nudge with Claude Code and Codex: real agents, a scripted model";

/// The script in a prompt: as Nudge quotes it, up to the end of the quotation, and in its original
/// form, up to the end of the line.
static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\s*(?:<<|‹‹)(?:SCRIPT \[\{"[^\n]*|[^"\n]*)"#).expect("a fixed pattern"));

/// The first words of the lines that frame the remembered text.
const FRAME_STARTS: [&str; 2] = ["What Nudge remembers", "The whole of a #number"];

/// Strings that must not be in the recording, because they name the machine.
const MACHINE_PATHS: [&str; 7] = ["/tmp/", "/var/", "/root", "/work/", "/home/", "/Users/", "/nh"];

/// The screens so far, and where the picture goes.
pub(super) struct Recording {
    out: PathBuf,
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
                line if FRAME_STARTS.iter().any(|words| line.starts_with(words)) => Style::DIM,
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
        Ok(Self { out: out.to_owned(), screens: Vec::new(), shown_as })
    }

    /// A text as it is shown: without paths of this machine, and without the script for the model.
    pub(super) fn clean(&self, text: &str) -> String {
        let text = self.shown_as.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        SCRIPT.replace_all(&text, "").into_owned()
    }

    /// Adds a screen.
    pub(super) fn show(&mut self, scene: Scene) {
        let lines = cut(scene.0, ROWS, 0);
        for line in &lines {
            println!("    {}", line.text());
        }
        println!();
        self.screens.push(lines);
    }

    /// Writes the picture; returns what is wrong with the recording.
    pub(super) fn end(self) -> anyhow::Result<Vec<String>> {
        let picture = screen::draw(TITLE, &self.screens);
        std::fs::write(self.out.join("demo.svg"), &picture)?;
        let texts: Vec<String> = self.screens.iter().flatten().map(Line::text).collect();
        let named = MACHINE_PATHS.iter().filter(|place| texts.iter().any(|text| text.contains(**place)));
        Ok(named.map(|place| format!("the recording names {place} of this machine")).collect())
    }
}
