//! `nudge discover`: the operations, as a list, as one page each, or as the reference.

use std::fmt::Write;

use clap::Args;
use nudge_agent::registry;
use nudge_agent::registry::{Catalogue, CatalogueRow, catalogue};
use nudge_core::{Fault, FaultKind, text};
use serde_json::{Value, json};

use crate::agent_above::UserOnly;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::schema::{Field, fields};
use crate::pages::words::cut;

#[derive(Debug, Args)]
pub(crate) struct DiscoverArgs {
    /// Describe this operation: parameters, result, permissions
    name: Option<String>,
    /// Print the operations reference as Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

impl DiscoverArgs {
    /// Reads this binary's registry of operations. It does not open the memory.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let catalogue = catalogue(self.name.as_deref())?;
        if self.markdown {
            invocation.output.document(&reference(&catalogue));
            return Ok(Exit::Ok);
        }
        let mut answer = serde_json::to_value(&catalogue).map_err(|error| {
            Fault::new(
                FaultKind::Internal,
                "unserialisable",
                format!("cannot write the catalogue as JSON: {error}"),
            )
        })?;
        if self.name.is_none() {
            answer["user_only_commands"] = UserOnly::ALL
                .iter()
                .map(|(_, command, call)| json!({"command": command, "example": format!("nudge {call}")}))
                .collect();
        }
        invocation.output.answer(&answer, |page| match &catalogue.operations[..] {
            [one] if self.name.is_some() => describe(page, one),
            _ => list(page, &catalogue),
        });
        Ok(Exit::Ok)
    }
}

/// The text for people. The row has the one for agents.
fn reference_of(row: &CatalogueRow) -> &'static str {
    registry::find(&row.name).map_or("", |operation| operation.reference)
}

fn list(page: &mut Page, catalogue: &Catalogue) {
    let columns = page.columns();
    let column = catalogue.operations.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &catalogue.operations {
        let gap = " ".repeat(column - row.name.len() + 2);
        page.strong(&row.name).text(gap).text(cut(reference_of(row), columns, column + 2)).end();
    }
    page.end();
    let more = "`nudge discover NAME` describes one; --json and --markdown print everything.";
    paragraph(page, more, "");
}

fn describe(page: &mut Page, row: &CatalogueRow) {
    page.strong(&row.name).text(format!(": {}", row.title)).end();
    paragraph(page, reference_of(row), "  ");
    page.end();
    page.text(format!("  aliases: {}", row.aliases.join(", "))).end();
    page.text(format!("  effect: {}, rights needed: {}, profile: {}", row.effect, row.tier, row.profile))
        .end();
    table(page, "Parameters", &fields(&row.params));
    table(page, "Result", &fields(&row.result));
}

fn table(page: &mut Page, title: &str, fields: &[Field]) {
    page.end().strong(title).end();
    if fields.is_empty() {
        page.text("  none").end();
    }
    for field in fields {
        let must = if field.required { ", required" } else { "" };
        page.text("  ").text(&field.path).faint(format!(" ({}{must})", field.kind)).end();
        if !field.doc.is_empty() {
            paragraph(page, &field.doc, "      ");
        }
    }
}

fn paragraph(page: &mut Page, text: &str, indent: &str) {
    let columns = page.columns().min(100).saturating_sub(indent.len());
    for line in text::wrap(text, columns) {
        page.text(indent).text(line).end();
    }
}

// The reference page of all operations, in Markdown.

/// The page wraps at this column, like every page of the documentation.
const PAGE_COLUMNS: usize = 100;

/// The page: every operation with its parameters and result, then the errors they share.
pub(crate) fn reference(catalogue: &Catalogue) -> String {
    let mut out = String::from(
        "# Operations\n\n\
         Written by `nudge discover --markdown`. Every operation is an MCP tool and a method of `/rpc`;\n\
         most are commands too. The rights, lowest first, are `model` (agents and programs), `client`\n\
         (your own command line), `plugin` and `system` (the server itself). The profile is the smallest\n\
         tool list that has the operation. In a field name, `[]` is each item of a list.\n",
    );
    for row in &catalogue.operations {
        operation(&mut out, row);
    }
    errors(&mut out);
    out
}

fn operation(out: &mut String, row: &CatalogueRow) {
    let aliases: Vec<String> = row.aliases.iter().map(|alias| format!("`{alias}`")).collect();
    add(out, format_args!("\n## `{}`\n\n", row.name));
    wrapped(out, reference_of(row), "", "");
    out.push('\n');
    wrapped(out, &format!("aliases: {}", aliases.join(", ")), "- ", "  ");
    add(
        out,
        format_args!("- effect: {}\n- rights needed: {}\n- profile: {}\n", row.effect, row.tier, row.profile),
    );
    section(out, "Parameters", &row.params);
    section(out, "Result", &row.result);
}

fn section(out: &mut String, title: &str, schema: &Value) {
    add(out, format_args!("\n### {title}\n\n"));
    let fields = fields(schema);
    if fields.is_empty() {
        out.push_str("None.\n");
    }
    for field in &fields {
        item(out, field);
    }
}

fn item(out: &mut String, field: &Field) {
    let must = if field.required { ", required" } else { "" };
    // A long list of words needs places where the line can break.
    let kind = field.kind.replace('|', " | ");
    let text = format!("`{}` ({kind}{must}): {}", field.path, field.doc);
    wrapped(out, text.trim_end_matches(": "), "- ", "  ");
}

fn wrapped(out: &mut String, text: &str, first: &str, rest: &str) {
    let mut indent = first;
    for line in text::wrap(text, PAGE_COLUMNS - rest.len()) {
        add(out, format_args!("{indent}{line}\n"));
        indent = rest;
    }
}

fn errors(out: &mut String) {
    out.push_str(
        "\n## Errors\n\nEvery error is `{id, code, message, data: {reason, …}, next?}`. \
         `next` is the next step.\n\n| id | code |\n|---|---|\n",
    );
    // `NeedEnv` is the last kind. It never leaves our own programs, so it is not part of the
    // contract.
    for kind in FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::NeedEnv) {
        add(out, format_args!("| `{}` | {} |\n", kind.id(), kind.code()));
    }
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all");
}
