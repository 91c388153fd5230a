//! The reference page of all operations, in Markdown.

use std::fmt::Write;

use nudge_core::FaultKind;
use nudge_memory::discover::{Catalogue, CatalogueRow};

use crate::pages::schema::{Field, fields};

/// The page: every operation with its parameters and result, then the errors they share.
pub(crate) fn reference(catalogue: &Catalogue) -> String {
    let mut out = String::from(
        "# Operations\n\n\
         Written by `nudge discover --markdown`. The same operations are MCP tools, methods of `/rpc`\n\
         and, for most of them, commands.\n",
    );
    for row in &catalogue.operations {
        operation(&mut out, row);
    }
    errors(&mut out);
    out
}

fn operation(out: &mut String, row: &CatalogueRow) {
    let aliases: Vec<String> = row.aliases.iter().map(|alias| format!("`{alias}`")).collect();
    add(out, format_args!("\n## `{}`\n\n{}\n\n", row.name, row.doc));
    add(out, format_args!("- also called: {}\n", aliases.join(", ")));
    add(
        out,
        format_args!(
            "- effect: {}\n- least rights: {}\n- tool list: {}\n",
            row.effect, row.tier, row.profile
        ),
    );
    table(out, "Parameters", &fields(&row.params));
    table(out, "Result", &fields(&row.result));
}

fn table(out: &mut String, title: &str, fields: &[Field]) {
    if fields.is_empty() {
        add(out, format_args!("\n### {title}\n\nNone.\n"));
        return;
    }
    add(out, format_args!("\n### {title}\n\n| field | type | required | what it is |\n|---|---|---|---|\n"));
    for field in fields {
        let must = if field.required { "yes" } else { "" };
        let (kind, doc) = (cell(&field.kind), cell(&field.doc));
        add(out, format_args!("| `{}` | {kind} | {must} | {doc} |\n", field.path));
    }
}

fn errors(out: &mut String) {
    out.push_str(
        "\n## Errors\n\nEvery error is `{id, code, message, data: {reason, …}, next?}`; \
         `next` says what to do.\n\n| id | code |\n|---|---|\n",
    );
    // The last kind that never leaves our own programs is no part of the contract.
    for kind in FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::NeedEnv) {
        add(out, format_args!("| `{}` | {} |\n", kind.id(), kind.code()));
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all");
}
