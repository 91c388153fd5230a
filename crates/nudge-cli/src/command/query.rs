//! `nudge query` searches the hints that apply here, and `nudge ls` lists components and keys.

use clap::Args;
use nudge_core::{Context, text};
use nudge_memory::hints::wire::{
    ComponentsAnswer, KeyRow, KeysAnswer, KeysParams, LeftOut, QueryAnswer, QueryParams, RankedHint,
};
use nudge_memory::hints::{ListComponents, ListKeys, QueryHints};
use nudge_memory::operation::NoParams;

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::lists;
use crate::pages::words::cut;
use crate::pages::{Page, hint, words};

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Only hints with this text in the name, value or reason
    #[arg(conflicts_with = "regex")]
    text: Option<String>,
    /// Only this component
    #[arg(long)]
    component: Option<String>,
    /// Only these keys
    #[arg(long, value_name = "KEY,…", visible_alias = "keys")]
    key: Vec<String>,
    /// Only hints with all of these tags
    #[arg(long, value_name = "TAG,…")]
    tags: Vec<String>,
    /// Only hints with a name, value or reason that matches
    #[arg(long)]
    regex: Option<String>,
    /// Show at most N hints [default: 10]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
    #[command(flatten)]
    context: ContextArgs,
}

impl QueryArgs {
    /// Searches, best first.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = QueryParams {
            component: self.component,
            keys: lists::items(&self.key),
            tags: lists::items(&self.tags),
            regex: self.regex.or_else(|| self.text.as_deref().map(literally)),
            context: None,
            limit: self.limit,
        };
        let answer = invocation.call::<QueryHints>(&params, self.context.context())?;
        invocation.show(&answer, render)
    }
}

/// A case-insensitive pattern that matches this text literally.
fn literally(text: &str) -> String {
    let escaped = text.chars().flat_map(|c| {
        let special = "\\.+*?()|[]{}^$#&-~".contains(c);
        special.then_some('\\').into_iter().chain(std::iter::once(c))
    });
    format!("(?i){}", escaped.collect::<String>())
}

fn render(page: &mut Page, answer: &QueryAnswer) {
    if answer.hints.is_empty() {
        page.text("no hint matches here; `nudge ls` lists all hints").end();
    }
    for ranked in &answer.hints {
        row(page, ranked);
    }
    let rest = left_out(&answer.left_out);
    if !rest.is_empty() {
        page.faint(format!("left out: {rest}")).end();
    }
}

/// Three lines, each cut to the terminal: score and name, the value, the reasons.
fn row(page: &mut Page, ranked: &RankedHint) {
    let columns = page.columns();
    page.text(format!("{:.2}  ", ranked.score)).strong(hint::name(&ranked.hint)).end();
    page.text("      ").text(cut(&hint::shown_value(&ranked.hint), columns, 6)).end();
    let reasons = hint::reasons(&ranked.match_explain);
    page.text("      ").faint(cut(&reasons, columns, 6)).end();
}

fn left_out(rest: &LeftOut) -> String {
    let words = [
        (rest.not_eligible, "not applicable here"),
        (rest.over_limit, "over the limit"),
        (rest.secret, "secret"),
        (rest.unreadable, "unreadable"),
    ];
    let words: Vec<String> =
        words.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    words.join(", ")
}

// `nudge ls`: lists components, or the keys of one component.

/// The maximum width of the first column. Longer names stick out.
const NAME_COLUMN: usize = 28;

/// How many characters of a value `list_keys` returns.
const MAX_PREVIEW: usize = 80;

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
                let answer = invocation.call::<ListComponents>(&NoParams {}, context)?;
                invocation.show(&answer, render_components)
            }
            Some(component) => {
                let answer = invocation.call::<ListKeys>(&KeysParams { component }, context)?;
                invocation.show(&answer, render_keys)
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
    let cut = if preview.chars().count() == MAX_PREVIEW { "…" } else { "" };
    format!("{preview}{cut}")
}

fn name(page: &mut Page, name: &str, column: usize) {
    page.strong(name).text(" ".repeat(column.saturating_sub(text::width(name)) + 2));
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(text::width).max().unwrap_or(0).min(NAME_COLUMN)
}
