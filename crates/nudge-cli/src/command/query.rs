//! `nudge query`: searches the hints that apply here.

use clap::Args;
use nudge_memory::hints::wire::{LeftOut, QueryAnswer, QueryParams, RankedHint};

use crate::context_args::ContextArgs;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::lists;
use crate::pages::Page;
use crate::pages::hint;

// The arguments. The summary is in `cli.rs`, with the others.
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
        let answer = invocation.call("query", &params, self.context.context())?;
        invocation.show::<QueryAnswer>(&answer, render)
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
