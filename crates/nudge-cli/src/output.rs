//! The only place that prints: pages for users, one line of JSON for programs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use nudge_core::{Fault, FaultKind};
use nudge_memory::hints::wire::Scope;
use serde::Deserialize;
use serde_json::{Value, json};

use super::pages::hint;
use crate::exit::{Exit, Failure};
use crate::file_limit;
use crate::pages::Page;
use crate::pages::words::cut;
use crate::sanitize::{sanitize_json, sanitize_line};

/// The widest status line. Standard output may be a pipe, which has no width.
const MAX_STATUS_WIDTH: usize = 79;

/// When to colour. `auto` is on a terminal that wants it; `NO_COLOR` is honoured.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMode {
    #[default]
    Auto,
    Always,
    Never,
}

/// How this invocation prints.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    /// Why standard output failed; `None` if everything was written.
    stdout_error: RefCell<Option<io::Error>>,
}

impl Output {
    /// Prints JSON or pages, with or without colour.
    pub(crate) fn new(json: bool, color: ColorMode) -> Self {
        match color {
            ColorMode::Auto => {}
            ColorMode::Always => anstream::ColorChoice::Always.write_global(),
            ColorMode::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self { json, stdout_error: RefCell::new(None) }
    }

    /// Whether the output is JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints an answer: unchanged for programs, as `render` builds it for users.
    pub(crate) fn answer(&self, answer: &Value, render: impl FnOnce(&mut Page)) {
        if self.json {
            self.data(answer);
        } else {
            let mut page = Page::new(columns());
            render(&mut page);
            self.print(&page.into_text());
        }
    }

    /// Prints JSON whether or not `--json` is given: rows that a flag of `search` asks for, and
    /// `token header`, which programs run.
    pub(crate) fn data(&self, value: &Value) {
        self.print(&format!("{}\n", sanitize_json(&value.to_string())));
    }

    /// Prints text for files and pipes unchanged.
    pub(crate) fn document(&self, text: &str) {
        self.print(text);
    }

    /// Prints a stored text alone: exactly for programs, and without control characters on a
    /// terminal.
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

    /// Prints the body of an entry alone: byte for byte for programs. On a terminal, control
    /// characters are spelled out, and the last line ends.
    pub(crate) fn body(&self, text: &str) {
        if !io::stdout().is_terminal() {
            self.keep(written(text));
            return;
        }
        let mut page = Page::new(columns());
        for line in text.lines() {
            page.text(line).end();
        }
        self.print(&page.into_text());
    }

    /// The final exit code: a success becomes a failure if its output could not be written.
    pub(crate) fn close(&self, exit: Exit) -> Exit {
        match self.stdout_error.take() {
            Some(error) => not_written(&error, exit),
            None => exit,
        }
    }

    fn print(&self, text: &str) {
        self.keep(to_stdout(text));
    }

    fn keep(&self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            *self.stdout_error.borrow_mut() = Some(error);
        }
    }

    /// Prints a page on standard error, next to the answer.
    pub(crate) fn note(&self, render: impl FnOnce(&mut Page)) {
        let mut page = Page::new(columns());
        render(&mut page);
        to_stderr(&page.into_text());
    }

    /// Whether a line on standard error can be replaced: it is a terminal that obeys.
    pub(crate) fn has_status_line() -> bool {
        io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Replaces the status line, the last one on standard error; `None` removes it.
    pub(crate) fn status_line(&self, text: Option<&str>) {
        let text = text.map(|text| cut(&sanitize_line(text), columns().min(MAX_STATUS_WIDTH), 1));
        let _ = io::stderr().lock().write_all(format!("\r\u{1b}[2K{}", text.unwrap_or_default()).as_bytes());
    }

    /// Reports why a command failed and what to do next; returns the exit code.
    pub(crate) fn fail(&self, failure: &Failure) -> Exit {
        match failure {
            Failure::Fault(fault) => self.fault(file_limit::explain(fault).as_ref().unwrap_or(fault)),
            Failure::Usage(message) if self.json => {
                self.fault(&Fault::invalid("usage", message.as_str()).next("`--help` shows the arguments"));
            }
            Failure::Usage(message) => self.note(|page| {
                page.bad("error:").text(" ").text(message).end();
                page.end().text("For more information, try '--help'.").end();
            }),
        }
        failure.exit()
    }

    fn fault(&self, fault: &Fault) {
        if self.json {
            let error = json!({"error": fault.to_json()});
            if to_stdout(&format!("{}\n", sanitize_json(&error.to_string()))).is_ok() {
                return;
            }
        }
        to_stderr(&fault_text(fault));
    }
}

/// A fault as text for users: the message, the facts, the next step.
fn fault_text(fault: &Fault) -> String {
    let mut page = Page::new(columns());
    page.bad("error:").text(" ").line(&fault.message).end();
    for line in fault_details(fault) {
        page.text("  - ").line(line).end();
    }
    if let Some(next) = &fault.next {
        page.strong("hint:").text(" ").line(next).end();
    }
    page.into_text()
}

/// The width for lists: `COLUMNS`, else the terminal's width. A pipe has no limit.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&n| n >= 20);
    said.unwrap_or_else(|| {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return usize::MAX;
        }
        // A terminal without a known size reports 0.
        let width = rustix::termios::tcgetwinsize(&stdout).map_or(0, |size| usize::from(size.ws_col));
        if width == 0 { 80 } else { width.max(20) }
    })
}

/// Writes to standard output. A closed reader (`nudge ls | head -1`) is not a failure.
pub(crate) fn to_stdout(text: &str) -> io::Result<()> {
    written(&painted(text, anstream::AutoStream::choice(&io::stdout())))
}

fn written(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Reports that standard output could not be written, which turns success into failure.
pub(crate) fn not_written(error: &io::Error, exit: Exit) -> Exit {
    let message = format!("cannot write to standard output: {error}");
    let fault = Fault::new(FaultKind::Unavailable, Fault::OUTPUT, message)
        .next("free some space or redirect the output; the changes of this command are saved");
    to_stderr(&fault_text(&file_limit::explain(&fault).unwrap_or(fault)));
    if exit == Exit::Ok { Exit::Failed } else { exit }
}

/// Writes to standard error. If that fails, there is nowhere left to report it.
pub(crate) fn to_stderr(text: &str) {
    let out = io::stderr();
    let text = painted(text, anstream::AutoStream::choice(&out));
    let _ = out.lock().write_all(text.as_bytes());
}

/// The page as one text, with or without its colours. That takes one write; a stream that strips
/// colours on the way makes one for every piece.
fn painted(text: &str, choice: anstream::ColorChoice) -> Cow<'_, str> {
    match choice {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string().into(),
        _ => text.into(),
    }
}

/// One line for each variant that did not apply, or each record that was rejected.
fn fault_details(fault: &Fault) -> Vec<String> {
    let list = |key: &str| fault.data.get(key).and_then(Value::as_array).into_iter().flatten();
    list("variants").map(variant).chain(list("faults").map(record)).collect()
}

fn variant(value: &Value) -> String {
    let scope = Scope::deserialize(&value["scope"]).unwrap_or_default();
    let conditions = hint::conditions(&scope);
    let shown = if conditions.is_empty() { "always".to_owned() } else { format!("if {conditions}") };
    match value["failed"].as_str() {
        Some(failed) => format!("{shown}: {failed}"),
        None => shown,
    }
}

fn record(value: &Value) -> String {
    format!("{}: {}", value["at"].as_str().unwrap_or("?"), value["message"].as_str().unwrap_or("not valid"))
}
