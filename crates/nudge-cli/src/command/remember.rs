//! `nudge remember`: states something that applies from now on.

use clap::Args;
use nudge_memory::knowledge::{RememberAnswer, RememberParams};
use nudge_memory::statements::Category;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{Page, statement};
use crate::projects;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  nudge remember 'Run the tests with cargo nextest'
  nudge remember 'Generated code, do not edit' --directory src/gen
  nudge remember 'I prefer small commits' --everywhere --category preference")]
pub(crate) struct RememberArgs {
    /// The fact or rule, in one or two sentences
    text: String,
    /// preference, fact, event, workflow, context, error or decision [default: fact]
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<Category>,
    /// Directory it applies to, relative to the project root [default: the whole project]
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "everywhere")]
    project: Option<String>,
    /// Apply to every project
    #[arg(long, conflicts_with = "directory")]
    everywhere: bool,
}

impl RememberArgs {
    /// Saves the statement.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RememberParams {
            text: self.text,
            category: self.category,
            directory: self.directory,
            project: self.project.map(|said| projects::named(&said)),
            everywhere: self.everywhere,
            from_file: None,
        };
        let here = here();
        let answer = invocation.call("remember", &params, here)?;
        invocation.show::<RememberAnswer>(&answer, render)
    }
}

fn category(text: &str) -> Result<Category, String> {
    Category::from_name(&text.to_lowercase()).ok_or_else(|| {
        let names = Category::ALL.map(Category::name).join(", ");
        format!("use one of {names}")
    })
}

fn render(page: &mut Page, answer: &RememberAnswer) {
    let word = if answer.created { "remembered" } else { "already known as" };
    let place = if answer.statement.everywhere { Some("every project") } else { answer.project.as_deref() };
    statement::done(page, word, &answer.statement, place);
    if let Some(directory) = &answer.statement.directory {
        page.text("  ").faint("for:").text(" ").line(directory).end();
    }
    if let Some(note) = &answer.note {
        page.text("  ").text(note).end();
    }
    for other in &answer.replaced {
        page.text(format!("  it replaces #{} again: ", other.id)).line(&other.text).end();
    }
    statement::contradictions(page, &answer.contradicts);
}
