//! `remember`: states something that applies from now on.

use std::path::Path;

use nudge_context::clean_text;
use nudge_core::instruction::Subject;
use nudge_core::{EntryId, Fault, FaultKind, Provenance, Scope, Source};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::correct;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects::{self, resolve};
use crate::statements::{
    self, Category, Contradicted, MAX_STATEMENT_CHARS, NewStatement, Saying, Statement, StatementState,
    StatementView, Stored, checked_text, contradicted, directory_in, project_to_write, proposals, retire,
    stated_by,
};

/// How many statements of agents may be in force in one project: an agent in a loop must not fill
/// the context of every session.
const MAX_AGENT_STATEMENTS: usize = 200;

/// The note on a statement from a caller without a known place.
const NO_PROJECT_NOTE: &str = "this directory belongs to no project, so the statement is not injected";

/// Parameters of `remember`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberParams {
    /// The statement, in one or two sentences.
    #[schemars(extend("x-listed" = "One or two sentences."))]
    pub text: String,
    /// Kind of statement. Default: fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "Default: fact."))]
    pub category: Option<Category>,
    /// Directory it applies to, from the project root, e.g. "web/". Default: the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "Only for this directory, e.g. \"web/\"."))]
    pub directory: Option<String>,
    /// What the user typed in this session that states it, word for word. The user's words are then
    /// offered to the user as a rule, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = "The user's own sentence that states it."))]
    pub quote: Option<String>,
    /// Project name, id or directory. Default: the current project. Only the user may name another
    /// project, so agents are not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub project: Option<String>,
    /// Whether it applies in every project. Only the user may set it, so agents are not shown it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub everywhere: bool,
    /// The file it was read from. Only the user's own import sets it, so agents are not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub from_file: Option<String>,
}

/// Answer of `remember`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RememberAnswer {
    /// The statement.
    pub statement: StatementView,
    /// True if it is new.
    pub created: bool,
    /// Name of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Statements that it replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Contradicted>,
    /// Current statements that it contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<Contradicted>,
    /// A note about the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The `remember` operation.
pub struct Remember;

impl Op for Remember {
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Remember";
    const DOC: &'static str = "Save what applies here from now on: a preference, a decision, how something \
        is done.";
    const REFERENCE: &'static str = "Save a statement that applies in this project from now on, such as a \
        preference, a decision or a workflow. Later sessions get it.";
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = RememberParams;
    type Answer = RememberAnswer;

    fn run(ctx: &OpContext<'_>, params: RememberParams) -> Result<RememberAnswer, Fault> {
        let quote = params.quote.clone().filter(|_| !projects::is_person(ctx.caller));
        let mut answer = state(ctx, params)?;
        if let Some(quote) = quote {
            let note = statements::quote(ctx, &quote)?.note();
            answer.note = Some(answer.note.map_or_else(|| note.to_owned(), |said| format!("{said}; {note}")));
        }
        Ok(answer)
    }
}

/// States it in the caller's name.
fn state(ctx: &OpContext<'_>, params: RememberParams) -> Result<RememberAnswer, Fault> {
    let text = checked_text(ctx, "statement", &params.text, MAX_STATEMENT_CHARS)?;
    let place = StatementScope::of(ctx, &params)?;
    if !projects::is_person(ctx.caller)
        && let Some(known) = repeated_user_statement(ctx, &place, &text)?
    {
        let contradicts = place.contradicted(ctx, &known)?;
        let note = Some("the user has already said this".to_owned());
        return place.answer(ctx, known, AnswerDetails { contradicts, note, ..AnswerDetails::default() });
    }
    let directory = place.directory(ctx, params.directory.as_deref())?;
    let before = place.before(ctx, &text, directory.as_deref())?;
    let created = before.is_none();
    let from_file = params.from_file.as_deref().filter(|_| projects::is_person(ctx.caller));
    let mut by = place.provenance(ctx)?;
    if let Some(file) = from_file {
        // The user did not type it: the file may come from a repository.
        by.source = Source::FileImport;
        let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
        by.client = name.or(by.client);
    }
    let how = from_file.map_or_else(|| Remember::NAME.to_owned(), |file| format!("note in {file}"));
    let anchors = correct::anchors_of(ctx, &place.scope, &text)?;
    let new = NewStatement {
        text,
        category: params.category.unwrap_or_default(),
        directory,
        sayings: vec![Saying::by_command(by.session.clone(), ctx.now(), &how)],
        times: 1,
        accepted_from: None,
        is_routine: false,
        predecessor: None,
        anchors,
        by,
    };
    let made = statements::make(ctx.writer()?, &place.scope, place.project, new, ctx.now())?;
    let replaced = before.map(|old| retire_successor(ctx, &old, &made)).transpose()?;
    if projects::is_person(ctx.caller) && from_file.is_none() {
        proposals::settle(ctx.writer()?, &made, place.project, ctx.now())?;
    }
    // Sayings that contradict it now wait for a decision, so everything listed here is still in
    // force.
    let contradicts = place.contradicted(ctx, &made.clone().into())?;
    let is_nowhere = place.scope == Scope::Project(resolve::UNKNOWN.to_owned());
    let note = is_nowhere.then(|| NO_PROJECT_NOTE.to_owned());
    let replaced = replaced.flatten().into_iter().collect();
    place.answer(ctx, made.into(), AnswerDetails { created, replaced, contradicts, note })
}

/// The place that a statement belongs to.
struct StatementScope {
    scope: Scope,
    project: Option<ProjectId>,
    name: Option<String>,
    /// The root directory of the project.
    root: String,
}

impl StatementScope {
    fn of(ctx: &OpContext<'_>, params: &RememberParams) -> Result<Self, Fault> {
        if params.everywhere {
            if !projects::is_person(ctx.caller) {
                return Err(person_only());
            }
            return Ok(Self { scope: Scope::Global, project: None, name: None, root: String::new() });
        }
        let row = project_to_write(ctx, params.project.as_deref())?;
        let key = row.keys.first().cloned().unwrap_or_default();
        Ok(Self { scope: Scope::Project(key), project: Some(row.id), name: Some(row.name), root: row.root })
    }

    /// The directory that the statement is for; fails if it does not exist.
    fn directory(&self, ctx: &OpContext<'_>, said: Option<&str>) -> Result<Option<String>, Fault> {
        let Some(said) = said else { return Ok(None) };
        let directory = directory_in(said, &self.root)?;
        if let Some(directory) = &directory {
            correct::check_directory(ctx, &self.root, directory)?;
        }
        Ok(directory)
    }

    /// The statement made here in the same words before.
    fn before(
        &self,
        ctx: &OpContext<'_>,
        text: &str,
        directory: Option<&str>,
    ) -> Result<Option<Stored>, Fault> {
        statements::in_the_same_words(ctx.store(), &self.scope, self.project, text, directory)
    }

    /// The provenance of the statement, with its place; a statement for all projects has none.
    fn provenance(&self, ctx: &OpContext<'_>) -> Result<Provenance, Fault> {
        let project = Some(self.scope.key().to_owned()).filter(|key| !key.is_empty());
        Ok(Provenance { project, ..ctx.provenance()? })
    }

    /// The statements in force here that a statement contradicts.
    fn contradicted(&self, ctx: &OpContext<'_>, one: &Statement) -> Result<Vec<Contradicted>, Fault> {
        let here = self.project.unwrap_or(ProjectId(0));
        contradicted(ctx.store(), here, &one.text, one.directory.as_deref(), &[one.id])
    }

    fn answer(
        self,
        ctx: &OpContext<'_>,
        statement: Statement,
        beside: AnswerDetails,
    ) -> Result<RememberAnswer, Fault> {
        Ok(RememberAnswer {
            statement: StatementView::in_force(ctx.store(), statement)?,
            created: beside.created,
            project: self.name,
            replaced: beside.replaced,
            contradicts: beside.contradicts,
            note: beside.note,
        })
    }
}

/// The answer's fields other than the statement.
#[derive(Default)]
struct AnswerDetails {
    created: bool,
    replaced: Vec<Contradicted>,
    contradicts: Vec<Contradicted>,
    note: Option<String>,
}

/// The user's own statement, if an agent only repeats it. Fails for a statement that the user
/// withdrew, and if agents have reached their limit.
fn repeated_user_statement(
    ctx: &OpContext<'_>,
    place: &StatementScope,
    text: &str,
) -> Result<Option<Statement>, Fault> {
    let (reader, project) = (ctx.store(), place.project.unwrap_or(ProjectId(0)));
    let holds = statements::in_force(reader, project)?;
    let agents = holds.iter().filter(|known| !known.by_person).count();
    let said = holds.into_iter().chain(statements::said_once(reader, project)?);
    let subject = Subject::of(text);
    let echo = said.into_iter().find(|known| known.by_person && subject.is_same(&Subject::of(&known.text)));
    if echo.is_some() {
        return Ok(echo);
    }
    if proposals::is_withdrawn(reader, project, text)? {
        let why = "the user removed this statement, and only the user can state it again";
        return Err(Fault::new(FaultKind::Forbidden, "given_up", why).next("continue without it"));
    }
    if agents < MAX_AGENT_STATEMENTS {
        return Ok(None);
    }
    let why =
        format!("agents have made {MAX_AGENT_STATEMENTS} statements in this project, which is the limit");
    Err(Fault::new(FaultKind::Quota, "statements", why)
        .with("limit", MAX_AGENT_STATEMENTS)
        .next("remove one with `forget`, or change one with `correct`"))
}

fn person_only() -> Fault {
    Fault::new(FaultKind::Forbidden, "everywhere", "only the user can state what applies in every project")
        .with("field", "everywhere")
        .next("remove `everywhere` to state it for the project you work in")
}

// A corrected statement that is stated again replaces its correction.

/// How many corrections in a row are followed. Nobody corrects one thing more often.
const MAX_CORRECTIONS: usize = 50;

/// Retires the correction of a statement that was just stated again: stating the old words again
/// means that the new ones no longer apply. An agent cannot retire the user's statement.
fn retire_successor(
    ctx: &OpContext<'_>,
    before: &Stored,
    made: &Stored,
) -> Result<Option<Contradicted>, Fault> {
    let mut next = before.stated.successor.filter(|_| before.stated.state == StatementState::Corrected);
    for _ in 0..MAX_CORRECTIONS {
        let Some(id) = next.filter(|id| *id != made.id.0) else { return Ok(None) };
        let Some(successor) = statements::by_id(ctx.store(), EntryId(id))? else { return Ok(None) };
        if successor.stated.state == StatementState::Stands {
            return end(ctx, successor, made);
        }
        next = successor.stated.successor;
    }
    Ok(None)
}

fn end(ctx: &OpContext<'_>, successor: Stored, made: &Stored) -> Result<Option<Contradicted>, Fault> {
    let by_person = projects::is_person(ctx.caller);
    if successor.by.is_by_user() && !by_person {
        return Ok(None);
    }
    let stated_by = stated_by(ctx.store(), &successor.by)?;
    let over =
        retire(ctx.writer()?, successor, StatementState::Corrected, Some(made.id.0), by_person, ctx.now())?;
    Ok(Some(Contradicted { id: over.id.0, text: clean_text(&over.text), stated_by }))
}
