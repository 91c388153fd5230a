//! `nudge remember`, `correct` and `forget`: make, replace and withdraw a statement.

use clap::Args;
use nudge_memory::inject::{ContextParams, PreviewContext};
use nudge_memory::knowledge::{
    ChangeAnswer, CorrectParams, CorrectStatement, ForgetParams, ForgetStatement, Remember, RememberAnswer,
    RememberParams,
};
use nudge_memory::recall::{EntryRef, ProjectParam};
use nudge_memory::statements::{Category, Contradicted, StatementView};

use crate::agent_above::calling_agent;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags;
use crate::invocation::Invocation;
use crate::pages::words::{count, whom};
use crate::pages::{self, Page};

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
            quote: None,
            project: self.project.map(|said| flags::project_named(&said)),
            everywhere: self.everywhere,
            from_file: None,
        };
        let project = params.project.clone();
        let answer = invocation.call::<Remember>(&params, here())?;
        let exit = invocation.show(&answer, render)?;
        if calling_agent().is_none() {
            warn_of_full_start(invocation, project);
        }
        Ok(exit)
    }
}

/// Says so if the user's rules no longer all fit what a session gets when it starts. The statement
/// is saved whatever comes of this.
fn warn_of_full_start(invocation: &Invocation, project: Option<String>) {
    let Ok(settings) = invocation.settings() else { return };
    let project = project.map_or_else(ProjectParam::default, ProjectParam::Named);
    let tokens = Some(settings.inject_start_tokens);
    let params = ContextParams { project, tokens, ..ContextParams::default() };
    let Ok(preview) = invocation.ask::<PreviewContext>(&params, here()) else { return };
    if settings.inject && preview.rules_left_out > 0 {
        let rules = count(i64::from(preview.rules_left_out), "rule");
        invocation.output.note(|page| {
            page.warning("note:")
                .text(format!(
                    " {rules} of yours no longer fit the {} tokens of a session's start; \
                     `inject.start_tokens` in the settings raises the limit",
                    settings.inject_start_tokens
                ))
                .end();
        });
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
    done(page, word, &answer.statement, place);
    if let Some(directory) = &answer.statement.directory {
        page.text("  ").faint("for:").text(" ").line(directory).end();
    }
    if let Some(note) = &answer.note {
        page.text("  ").text(note).end();
    }
    for other in &answer.replaced {
        page.text(format!("  it replaces #{} again: ", other.id)).line(&other.text).end();
    }
    contradictions(page, &answer.contradicts);
}

// `nudge correct`: replaces the text of a statement.

#[derive(Debug, Args)]
pub(crate) struct CorrectArgs {
    /// Statement id, such as 42 or #42
    id: String,
    /// New text
    text: String,
}

impl CorrectArgs {
    /// Replaces the statement.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = CorrectParams { id: EntryRef::Path(self.id), text: self.text };
        let answer = invocation.call::<CorrectStatement>(&params, here())?;
        invocation.show(&answer, render_correction)
    }
}

fn render_correction(page: &mut Page, answer: &ChangeAnswer) {
    if let Some(note) = &answer.proposal {
        return pages::proposal_note(page, note);
    }
    done(page, "corrected; now", &answer.statement, None);
    if let Some(old) = &answer.corrected {
        page.text(format!("  #{} is no longer injected: ", old.id)).line(&old.text).end();
    }
    contradictions(page, &answer.contradicts);
}

// `nudge forget`: removes a statement.

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// Statement id, such as 42 or #42
    id: String,
}

impl ForgetArgs {
    /// Removes the statement.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = ForgetParams { id: EntryRef::Path(self.id) };
        let answer = invocation.call::<ForgetStatement>(&params, here())?;
        invocation.show(&answer, render_forgotten)
    }
}

fn render_forgotten(page: &mut Page, answer: &ChangeAnswer) {
    match &answer.proposal {
        Some(note) => pages::proposal_note(page, note),
        None => done(page, "forgot", &answer.statement, None),
    }
}

/// The statements that a new one contradicts, and what to do about them.
fn contradictions(page: &mut Page, others: &[Contradicted]) {
    for other in others {
        page.warning("  it contradicts").text(format!(" #{}: ", other.id)).line(&other.text);
        page.faint(format!(" ({})", whom(&other.stated_by))).end();
    }
    if let [first, ..] = others {
        page.text(format!("  both apply; `nudge forget {}` removes the older one", first.id)).end();
    }
}

/// `✔ word #12 in shop: text`.
pub(crate) fn done(page: &mut Page, word: &str, statement: &StatementView, project: Option<&str>) {
    page.good("✔").text(format!(" {word} ")).strong(format!("#{}", statement.id));
    if let Some(project) = project {
        page.text(format!(" in {project}"));
    }
    page.text(": ").line(&statement.text).end();
}
