//! The reference page of all operations, in Markdown.

use std::fmt::Write;

use nudge_core::{FaultKind, text};
use nudge_memory::discover::{Catalogue, CatalogueRow};
use serde_json::Value;

use super::reference_of;
use crate::pages::schema::{Field, fields};

/// The page wraps at this column, like every page of the documentation.
const COLUMNS: usize = 100;

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
    for line in text::wrap(text, COLUMNS - rest.len()) {
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
