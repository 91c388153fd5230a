//! `nudge entry constraint`: which files belong to the project, and which are read-only.

use clap::Args;
use nudge_core::text::width;
use nudge_memory::entries::{StoreAnswer, StoreFiles, StoreParams};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Without a pattern, the constraints are listed; the last one that matches a file
decides. With a pattern alone, files are part of the project even if git ignores
them.

Examples:
  nudge entry constraint
  nudge entry constraint 'migrations/**' --readonly
  nudge entry constraint 'migrations/**' --clear")]
pub(crate) struct ConstraintArgs {
    /// File or glob, from the root of the project
    #[arg(value_name = "PATTERN")]
    entry: Option<String>,
    /// Protect the files from changes
    #[arg(long, requires = "entry", conflicts_with_all = ["ignore", "clear"])]
    readonly: bool,
    /// Leave the files out
    #[arg(long, requires = "entry", conflicts_with = "clear")]
    ignore: bool,
    /// Remove the constraint
    #[arg(long, requires = "entry")]
    clear: bool,
}

impl ConstraintArgs {
    /// Lists the constraints, or changes one.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let Self { entry, readonly, ignore, clear } = self;
        let pattern = entry.clone();
        let params = StoreParams { path: entry, readonly, ignore, clear, ..StoreParams::default() };
        let answer = invocation.call::<StoreFiles>(&params, here())?;
        let typed = answer.typed()?;
        invocation.output.answer(&answer.json, |page| {
            if let Some(pattern) = &pattern {
                changed(page, pattern, clear, &typed);
            } else {
                list(page, &typed);
            }
        });
        Ok(if clear && !typed.cleared { Exit::NotFound } else { Exit::Ok })
    }
}

fn changed(page: &mut Page, pattern: &str, clear: bool, answer: &StoreAnswer) {
    if clear && !answer.cleared {
        page.text("there is no constraint ").strong(pattern).end();
        return;
    }
    let set = answer.constraints.iter().rfind(|one| one.pattern == pattern);
    page.good("✔").text(" ");
    match set {
        Some(set) => page.strong(pattern).text(format!(" {}", words(&set.kind))),
        None => page.text("removed the constraint ").strong(pattern),
    };
    page.end();
}

fn list(page: &mut Page, answer: &StoreAnswer) {
    if answer.constraints.is_empty() {
        page.text("no constraints; git decides which files belong to the project").end();
    }
    let column = answer.constraints.iter().map(|one| width(&one.pattern)).max().unwrap_or(0).min(40);
    for one in &answer.constraints {
        let gap = " ".repeat(column.saturating_sub(width(&one.pattern)) + 2);
        page.strong(&one.pattern).text(gap).text(words(&one.kind)).end();
    }
}

fn words(kind: &str) -> &str {
    match kind {
        "add" => "is part of the project",
        "readonly" => "is read-only",
        "ignore" => "is left out",
        other => other,
    }
}
