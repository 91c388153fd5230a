//! The one place that prints: pages for people, one line of JSON for programs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use nudge_core::{Fault, FaultKind, text};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::fault_page;
use crate::file_limit;
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
    /// Why standard output did not take what was printed, if it did not.
    unwritten: RefCell<Option<io::Error>>,
}

impl Output {
    /// Prints JSON or pages, coloured as wished.
    pub(crate) fn new(json: bool, color: ColorWish) -> Self {
        match color {
            ColorWish::Auto => {}
            ColorWish::Always => anstream::ColorChoice::Always.write_global(),
            ColorWish::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self { json, unwritten: RefCell::new(None) }
    }

    /// Whether programs read what is printed.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints an answer: exactly as it is for programs, as `render` says for people.
    pub(crate) fn answer(&self, answer: &Value, render: impl FnOnce(&mut Page)) {
        if self.json {
            self.print(&format!("{}\n", neutral_json(&answer.to_string())));
        } else {
            let mut page = Page::new(columns());
            render(&mut page);
            self.print(&page.into_text());
        }
    }

    /// Prints JSON where that is what a pipe gets, whether it was asked for or not.
    pub(crate) fn data(&self, value: &Value) {
        self.print(&format!("{}\n", neutral_json(&value.to_string())));
    }

    /// Prints text that is meant for files and pipes as it is.
    pub(crate) fn document(&self, text: &str) {
        self.print(text);
    }

    /// Prints a stored text alone: to a program exactly, to a terminal without what would steer it.
    pub(crate) fn value(&self, text: &str) {
        if io::stdout().is_terminal() {
            let mut page = Page::new(columns());
            for line in text.lines() {
                page.text(line).end();
            }
            self.print(&page.into_text());
        } else {
            self.print(&format!("{text}\n"));
        }
    }

    /// The exit code at the end: one that was good is not when its output could not be written.
    pub(crate) fn close(&self, exit: Exit) -> Exit {
        match self.unwritten.take() {
            Some(error) => not_written(&error, exit),
            None => exit,
        }
    }

    fn print(&self, text: &str) {
        if let Err(error) = to_stdout(text) {
            *self.unwritten.borrow_mut() = Some(error);
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
            if to_stdout(&format!("{}\n", neutral_json(&error.to_string()))).is_ok() {
                return;
            }
        }
        to_stderr(&fault_text(fault));
    }
}

/// A fault as a person reads it: what, the facts, what to do.
fn fault_text(fault: &Fault) -> String {
    let mut page = Page::new(columns());
    page.bad("error:").text(" ").line(&fault.message).end();
    for line in fault_page::details(fault) {
        page.text("  - ").line(line).end();
    }
    if let Some(next) = &fault.next {
        page.strong("hint:").text(" ").line(next).end();
    }
    page.into_text()
}

/// The width to fit lists into: what `COLUMNS` says, else the terminal's; a pipe takes all.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&n| n >= 20);
    said.unwrap_or_else(|| {
        let stdout = io::stdout();
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
    text::one_line_of_columns(text, columns.saturating_sub(used).max(12))
}

/// Writes to standard output. A reader that went away (`nudge ls | head -1`) is no failure of ours.
pub(crate) fn to_stdout(text: &str) -> io::Result<()> {
    let out = io::stdout();
    let text = painted(text, anstream::AutoStream::choice(&out));
    let mut out = out.lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Says that standard output could not be written, which turns success into failure.
pub(crate) fn not_written(error: &io::Error, exit: Exit) -> Exit {
    let message = format!("standard output could not be written: {error}");
    let fault = Fault::new(FaultKind::Unavailable, "output", message)
        .next("free some space or send the output elsewhere; what the command changed is changed");
    to_stderr(&fault_text(&file_limit::explain(&fault).unwrap_or(fault)));
    if exit == Exit::Ok { Exit::Failed } else { exit }
}

/// Writes to standard error. Where that fails there is nowhere left to say so.
pub(crate) fn to_stderr(text: &str) {
    let out = io::stderr();
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
