//! The one place that prints: pages for people, one line of JSON for programs.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use nudge_core::Fault;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::fault_page;
use crate::file_limit;
use crate::fit;
use crate::neutral::neutral_json;
use crate::page::Page;

/// When to colour. `auto` is on a terminal that wants it; `NO_COLOR` is honoured.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWish {
    #[default]
    Auto,
    Always,
    Never,
}

/// How this invocation prints.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// Prints JSON or pages, coloured as wished.
    pub(crate) fn new(json: bool, color: ColorWish) -> Self {
        match color {
            ColorWish::Auto => {}
            ColorWish::Always => anstream::ColorChoice::Always.write_global(),
            ColorWish::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self { json }
    }

    /// Whether programs read what is printed.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints an answer: exactly as it is for programs, as `render` says for people.
    pub(crate) fn answer(&self, answer: &Value, render: impl FnOnce(&mut Page)) {
        if self.json {
            to_stdout(&format!("{}\n", neutral_json(&answer.to_string())));
        } else {
            let mut page = Page::new(columns());
            render(&mut page);
            to_stdout(&page.into_text());
        }
    }

    /// Prints JSON where that is what a pipe gets, whether it was asked for or not.
    pub(crate) fn data(&self, value: &Value) {
        to_stdout(&format!("{}\n", neutral_json(&value.to_string())));
    }

    /// Prints text that is meant for files and pipes as it is.
    pub(crate) fn document(&self, text: &str) {
        to_stdout(text);
    }

    /// Prints a stored text alone: to a program exactly, to a terminal without what would steer it.
    pub(crate) fn value(&self, text: &str) {
        if std::io::stdout().is_terminal() {
            let mut page = Page::new(columns());
            for line in text.lines() {
                page.text(line).end();
            }
            to_stdout(&page.into_text());
        } else {
            to_stdout(&format!("{text}\n"));
        }
    }

    /// Prints a page on standard error, beside the answer.
    pub(crate) fn aside(&self, render: impl FnOnce(&mut Page)) {
        let mut page = Page::new(columns());
        render(&mut page);
        to_stderr(&page.into_text());
    }

    /// Says why a command failed, and the way out; gives the exit code.
    pub(crate) fn fail(&self, failure: &Failure) -> Exit {
        match failure {
            Failure::Fault(fault) => self.fault(file_limit::explain(fault).as_ref().unwrap_or(fault)),
            Failure::Usage(message) => self.aside(|page| {
                page.bad("error:").text(" ").text(message).end();
                page.end().text("For more information, try '--help'.").end();
            }),
        }
        failure.exit()
    }

    fn fault(&self, fault: &Fault) {
        if self.json {
            let error = json!({"error": fault.to_json()});
            return to_stdout(&format!("{}\n", neutral_json(&error.to_string())));
        }
        self.aside(|page| {
            page.bad("error:").text(" ").text(&fault.message).end();
            for line in fault_page::details(fault) {
                page.text("  - ").text(line).end();
            }
            if let Some(next) = &fault.next {
                page.strong("hint:").text(" ").text(next).end();
            }
        });
    }
}

/// The width to fit lists into: what `COLUMNS` says, else the terminal's; a pipe takes all.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&n| n >= 20);
    said.unwrap_or_else(|| {
        let stdout = std::io::stdout();
        if !stdout.is_terminal() {
            return usize::MAX;
        }
        // A terminal that was never told its size says 0.
        let width = rustix::termios::tcgetwinsize(&stdout).map_or(0, |size| usize::from(size.ws_col));
        if width == 0 { 80 } else { width.max(20) }
    })
}

/// Cuts a value to what is left of a line, or leaves it whole where nothing limits it.
pub(crate) fn cut(text: &str, columns: usize, used: usize) -> String {
    fit::one_line(text, columns.saturating_sub(used).max(12))
}

// A reader that went away (`nudge ls | head -1`) is no failure of ours.
fn to_stdout(text: &str) {
    let out = std::io::stdout();
    let text = painted(text, anstream::AutoStream::choice(&out));
    let mut out = out.lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn to_stderr(text: &str) {
    let out = std::io::stderr();
    let text = painted(text, anstream::AutoStream::choice(&out));
    let _ = out.lock().write_all(text.as_bytes());
}

/// The page with or without its colours, whole: one write, where a stream that strips on the way
/// makes one for every piece.
fn painted(text: &str, choice: anstream::ColorChoice) -> Cow<'_, str> {
    match choice {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string().into(),
        _ => text.into(),
    }
}
