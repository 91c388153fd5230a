//! `nudge config`: shows every setting, its value and where the value came from.

use clap::Args;
use nudge_core::text;
use nudge_home::settings::{KEYS, Layers, OTHER_VARIABLES, Resolved, resolve};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

/// A value wider than this goes on its own lines, so that the other values keep their columns.
const MAX_INLINE_VALUE: usize = 60;

/// The maximum length of such a line, however wide the terminal is.
const MAX_LINE: usize = 100;

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
            invocation.output.document(&reference());
            return Ok(Exit::Ok);
        }
        let home = invocation.home()?;
        let resolved = invocation.resolved()?;
        let file = home.config_file();
        let answer = json!({"config_file": file, "keys": resolved.keys, "warnings": resolved.warnings});
        invocation.output.answer(&answer, |page| render(page, resolved, &file));
        if !invocation.output.is_json() {
            invocation.output.note(|page| warnings(page, resolved));
        }
        Ok(Exit::Ok)
    }
}

fn render(page: &mut Page, resolved: &Resolved, file: &std::path::Path) {
    let rows: Vec<(&str, String, String)> =
        resolved.keys.iter().map(|row| (row.key, plain(&row.value), row.source.to_string())).collect();
    let keys = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let values = rows
        .iter()
        .map(|row| text::width(&row.1))
        .filter(|wide| *wide <= MAX_INLINE_VALUE)
        .max()
        .unwrap_or(0);
    for (key, value, source) in &rows {
        if text::width(value) > MAX_INLINE_VALUE {
            let gap = " ".repeat(values + 2);
            page.strong(format!("{key:<keys$}")).text("  ").text(gap).faint(source).end();
            for line in text::wrap(value, page.columns().min(MAX_LINE) - 2) {
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

// The reference of all settings, in Markdown.

/// The page wraps at this column, like every page of the documentation.
const PAGE_COLUMNS: usize = 100;

const INTRODUCTION: &str = "\
# Settings

Written by `nudge config --markdown`. A setting is read from these places; each overrides the ones
before it:

1. the default
2. `config.toml`
3. a project's `.nudge.toml`, which may only narrow a setting
4. the environment variable
5. the flag: the name of the key, such as `--default-ttl` or `--max-hints`; `--no-secret-guard`
   turns the guard off
";

/// The page: every key with its default, then the environment variables that are not settings.
pub(crate) fn reference() -> String {
    let mut out = String::from(INTRODUCTION);
    let defaults = resolve(&Layers::none()).map(|resolved| resolved.keys).unwrap_or_default();
    for (key, row) in KEYS.iter().zip(defaults) {
        out.push_str(&format!("\n## `{}`\n\n", key.name));
        wrapped(&mut out, &format!("{}.", key.doc), "");
        out.push('\n');
        wrapped(&mut out, &format!("- default: {}", shown(&row.default)), "  ");
        wrapped(&mut out, &format!("- accepts: {}", key.kind), "  ");
        wrapped(&mut out, &format!("- variable: `{}`", key.env), "  ");
        wrapped(&mut out, &format!("- a project's `.nudge.toml` {}", key.project), "  ");
    }
    out.push_str("\n## Other variables\n\n");
    for (name, doc) in OTHER_VARIABLES {
        wrapped(&mut out, &format!("- `{name}`: {doc}."), "  ");
    }
    out
}

/// A default as a reader would write it: a long list needs places where the line can break.
fn shown(default: &Value) -> String {
    match default {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(shown).collect();
            items.join(", ")
        }
        other => format!("`{other}`"),
    }
}

fn wrapped(out: &mut String, text: &str, indent: &str) {
    for (number, line) in text::wrap(text, PAGE_COLUMNS - indent.len()).into_iter().enumerate() {
        out.push_str(if number == 0 { "" } else { indent });
        out.push_str(&line);
        out.push('\n');
    }
}
