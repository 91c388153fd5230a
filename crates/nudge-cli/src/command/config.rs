//! `nudge config`: shows every setting, its value and where the value came from.

mod markdown;

use clap::Args;
use nudge_core::text;
use nudge_home::settings::Resolved;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

/// A value wider than this goes on its own lines, so that the other values keep their columns.
const WIDE: usize = 60;

/// The maximum length of such a line, however wide the terminal is.
const LINE: usize = 100;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Print the settings reference as Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

impl ConfigArgs {
    /// Resolves the settings that apply in this directory.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if self.markdown {
            invocation.output.document(&markdown::reference());
            return Ok(Exit::Ok);
        }
        let home = invocation.home()?;
        let resolved = invocation.resolved()?;
        let file = home.config_file();
        let answer = json!({"config_file": file, "keys": resolved.keys, "warnings": resolved.warnings});
        invocation.output.answer(&answer, |page| render(page, resolved, &file));
        if !invocation.output.is_json() {
            invocation.output.aside(|page| warnings(page, resolved));
        }
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, resolved: &Resolved, file: &std::path::Path) {
    let rows: Vec<(&str, String, String)> =
        resolved.keys.iter().map(|row| (row.key, plain(&row.value), row.source.to_string())).collect();
    let keys = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let values = rows.iter().map(|row| text::width(&row.1)).filter(|wide| *wide <= WIDE).max().unwrap_or(0);
    for (key, value, source) in &rows {
        if text::width(value) > WIDE {
            let gap = " ".repeat(values + 2);
            page.strong(format!("{key:<keys$}")).text("  ").text(gap).faint(source).end();
            for line in text::wrap(value, page.columns().min(LINE) - 2) {
                page.text("  ").text(line).end();
            }
            continue;
        }
        let gap = " ".repeat(values - text::width(value) + 2);
        page.strong(format!("{key:<keys$}")).text("  ").text(value).text(gap).faint(source).end();
    }
    let state = if file.exists() { "" } else { " (does not exist)" };
    page.end().faint(format!("file: {}{state}", file.display())).end();
}

fn warnings(page: &mut Page, resolved: &Resolved) {
    for warning in &resolved.warnings {
        page.warning("warning:").text(" ").text(warning).end();
    }
}

/// A value without JSON quotes. The items of a list of rules have none either.
fn plain(value: &Value) -> String {
    let rules = value.as_array().filter(|items| {
        !items.is_empty() && items.iter().all(|item| item.as_str().is_some_and(|text| text.contains('=')))
    });
    match rules {
        Some(rules) => rules.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
