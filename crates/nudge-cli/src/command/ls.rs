//! `nudge ls`: lists components, or the keys of one component.

use clap::Args;
use nudge_core::{Context, text};
use nudge_memory::hints::wire::{ComponentsAnswer, KeyRow, KeysAnswer, KeysParams};
use nudge_memory::operation::NoParams;

use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;
use crate::pages::words;

/// The maximum width of the first column. Longer names stick out.
const NAME_COLUMN: usize = 28;

/// How many characters of a value `list_keys` returns.
const PREVIEW: usize = 80;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// List the keys of this component, including hints that do not apply here
    component: Option<String>,
}

impl LsArgs {
    /// Lists components or keys.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let context = Context::unknown();
        match self.component {
            None => {
                let answer = invocation.call("list_components", &NoParams {}, context)?;
                invocation.show::<ComponentsAnswer>(&answer, render_components)
            }
            Some(component) => {
                let answer = invocation.call("list_keys", &KeysParams { component }, context)?;
                invocation.show::<KeysAnswer>(&answer, render_keys)
            }
        }
    }
}

fn render_components(page: &mut Page, answer: &ComponentsAnswer) {
    if answer.components.is_empty() {
        page.text("no hints yet; add one with `nudge set COMPONENT KEY VALUE`").end();
    }
    let column = widest(answer.components.iter().map(|row| row.name.as_str()));
    for row in &answer.components {
        name(page, &row.name, column);
        page.text(words::count(row.hint_count, "hint")).end();
    }
}

fn render_keys(page: &mut Page, answer: &KeysAnswer) {
    let column = widest(answer.hints.iter().map(|row| row.key.as_str()));
    for row in &answer.hints {
        key(page, row, column);
    }
}

fn key(page: &mut Page, row: &KeyRow, column: usize) {
    let columns = page.columns();
    name(page, &row.key, column);
    match &row.preview {
        Some(preview) => {
            let shown = cut(&marked(preview), columns, column.max(text::width(&row.key)) + 2);
            page.text(shown).end()
        }
        None if row.secret => page.faint("(secret)").end(),
        None => page.faint("(does not apply here)").end(),
    };
    if let Some(scope) = &row.scope {
        let condition = format!("if {}", hint::conditions(scope));
        page.text(" ".repeat(column + 2)).faint(cut(&condition, columns, column + 2)).end();
    }
}

/// A preview, with a mark where the operation cut it.
fn marked(preview: &str) -> String {
    let cut = if preview.chars().count() == PREVIEW { "…" } else { "" };
    format!("{preview}{cut}")
}

fn name(page: &mut Page, name: &str, column: usize) {
    page.strong(name).text(" ".repeat(column.saturating_sub(text::width(name)) + 2));
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(text::width).max().unwrap_or(0).min(NAME_COLUMN)
}
