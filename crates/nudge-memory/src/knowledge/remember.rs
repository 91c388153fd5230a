//! `remember`: something is stated, and holds from now on.

use std::path::Path;

use nudge_core::instruction::Subject;
use nudge_core::{Fault, FaultKind, Provenance, Scope, Source, Tier};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{revive, target};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects::{self, resolve};
use crate::statements::{
    self, Category, Contradicted, NewStatement, STATEMENT_MOST, Saying, Statement, StatementView, Stored,
    checked_text, contradicted, directory_in, project_to_write, proposals,
};

/// How many statements of agents may hold in one project: an agent in a loop must not fill what every session reads.
const AGENTS_MOST: usize = 200;

/// What is said of a statement from a caller of whom only the door is known.
const NOWHERE: &str =
    "nothing is known of where you stand, so the statement belongs to no project and is not injected";

/// A statement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberParams {
    /// One or two sentences.
    pub text: String,
    /// Default: fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// E.g. "web/".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Directory, or id or name of a project [default: where you are]. Only the person names another one, so agents are not
    /// shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub project: Option<String>,
    /// Whether it holds in every project. For the person alone, so agents are not shown it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub everywhere: bool,
    /// The file that it was read from. For the person's own import alone, so agents are not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub from_file: Option<String>,
}

/// What was stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RememberAnswer {
    /// The statement.
    pub statement: StatementView,
    /// Whether it is new.
    pub created: bool,
    /// What its project is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Statements whose place it took again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Contradicted>,
    /// Statements that hold and that it speaks against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<Contradicted>,
    /// What is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The operation.
pub struct Remember;

impl Op for Remember {
    const NAME: &'static str = "remember";
    const ALIASES: &'static [&'static str] = &["nudge.remember"];
    const TITLE: &'static str = "Remember";
    const DOC: &'static str =
        "State what holds here from now on: a preference, a decision, how something is done.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Default;
    type Params = RememberParams;
    type Answer = RememberAnswer;

    fn run(ctx: &OpContext<'_>, params: RememberParams) -> Result<RememberAnswer, Fault> {
        let text = checked_text(ctx, "statement", &params.text, STATEMENT_MOST)?;
        let place = Place::of(ctx, &params)?;
        if !projects::is_person(ctx.caller)
            && let Some(known) = echoed(ctx, &place, &text)?
        {
            let contradicts = place.contradicted(ctx, &known)?;
            let note = Some("the person has said this already".to_owned());
            return place.answer(ctx, known, Beside { contradicts, note, ..Beside::default() });
        }
        let directory = place.directory(ctx, params.directory.as_deref())?;
        let before = place.before(ctx, &text, directory.as_deref())?;
        let created = before.is_none();
        let from_file = params.from_file.as_deref().filter(|_| projects::is_person(ctx.caller));
        let mut by = place.provenance(ctx)?;
        if let Some(file) = from_file {
            // Whoever wrote the file, it was not typed by the person: a repository may have brought it.
            by.source = Source::FileImport;
            let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
            by.client = name.or(by.client);
        }
        let how = from_file.map_or_else(|| Self::NAME.to_owned(), |file| format!("note in {file}"));
        let anchors = target::anchors_of(ctx, &place.scope, &text)?;
        let new = NewStatement {
            text,
            category: params.category.unwrap_or_default(),
            directory,
            said: vec![Saying::by_command(by.session.clone(), ctx.now(), &how)],
            times: 1,
            accepted_from: None,
            is_routine: false,
            predecessor: None,
            anchors,
            by,
        };
        let made = statements::make(ctx.writer()?, &place.scope, place.project, new, ctx.now())?;
        let replaced = before.map(|old| revive::end_successor(ctx, &old, &made)).transpose()?;
        if projects::is_person(ctx.caller) && from_file.is_none() {
            proposals::settle(ctx.writer()?, &made, place.project, ctx.now())?;
        }
        // What was only said waits from now on, so what is named here holds beside it.
        let contradicts = place.contradicted(ctx, &made.clone().into())?;
        let is_nowhere = place.scope == Scope::Project(resolve::UNKNOWN.to_owned());
        let note = is_nowhere.then(|| NOWHERE.to_owned());
        let replaced = replaced.flatten().into_iter().collect();
        place.answer(ctx, made.into(), Beside { created, replaced, contradicts, note })
    }
}

/// Where a statement belongs.
struct Place {
    scope: Scope,
    project: Option<ProjectId>,
    name: Option<String>,
    /// The topmost directory of the project.
    root: String,
}

impl Place {
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

    /// The directory that it is for, if that is there.
    fn directory(&self, ctx: &OpContext<'_>, said: Option<&str>) -> Result<Option<String>, Fault> {
        let Some(said) = said else { return Ok(None) };
        let directory = directory_in(said, &self.root)?;
        if let Some(directory) = &directory {
            target::check_directory(ctx, &self.root, directory)?;
        }
        Ok(directory)
    }

    /// What was stated here in the same words.
    fn before(
        &self,
        ctx: &OpContext<'_>,
        text: &str,
        directory: Option<&str>,
    ) -> Result<Option<Stored>, Fault> {
        statements::in_the_same_words(ctx.store(), &self.scope, self.project, text, directory)
    }

    /// The statement is about this place; one that holds everywhere names none.
    fn provenance(&self, ctx: &OpContext<'_>) -> Result<Provenance, Fault> {
        let project = Some(self.scope.key().to_owned()).filter(|key| !key.is_empty());
        Ok(Provenance { project, ..ctx.provenance()? })
    }

    /// What holds here and a statement speaks against.
    fn contradicted(&self, ctx: &OpContext<'_>, one: &Statement) -> Result<Vec<Contradicted>, Fault> {
        let here = self.project.unwrap_or(ProjectId(0));
        contradicted(ctx.store(), here, &one.text, one.directory.as_deref(), &[one.id])
    }

    fn answer(
        self,
        ctx: &OpContext<'_>,
        statement: Statement,
        beside: Beside,
    ) -> Result<RememberAnswer, Fault> {
        Ok(RememberAnswer {
            statement: StatementView::standing(ctx.store(), statement)?,
            created: beside.created,
            project: self.name,
            replaced: beside.replaced,
            contradicts: beside.contradicts,
            note: beside.note,
        })
    }
}

/// What is said of a statement beside its words.
#[derive(Default)]
struct Beside {
    created: bool,
    replaced: Vec<Contradicted>,
    contradicts: Vec<Contradicted>,
    note: Option<String>,
}

/// What the person has said already, where an agent only says it again. Refuses what the person gave up, and more than agents may
/// state.
fn echoed(ctx: &OpContext<'_>, place: &Place, text: &str) -> Result<Option<Statement>, Fault> {
    let (reader, project) = (ctx.store(), place.project.unwrap_or(ProjectId(0)));
    let holds = statements::in_force(reader, project)?;
    let agents = holds.iter().filter(|known| !known.by_person).count();
    let said = holds.into_iter().chain(statements::said_once(reader, project)?);
    let subject = Subject::of(text);
    let echo = said.into_iter().find(|known| known.by_person && subject.is_same(&Subject::of(&known.text)));
    if echo.is_some() {
        return Ok(echo);
    }
    if proposals::is_given_up(reader, project, text)? {
        let why = "the person has given this statement up, and only the person states it again";
        return Err(Fault::new(FaultKind::Forbidden, "given_up", why).next("go on without it"));
    }
    if agents < AGENTS_MOST {
        return Ok(None);
    }
    let why = format!("agents have stated {AGENTS_MOST} things in this project, which is the limit");
    Err(Fault::new(FaultKind::Quota, "statements", why)
        .with("limit", AGENTS_MOST)
        .next("`forget` what does not hold any more, or `correct` one of them"))
}

fn person_only() -> Fault {
    Fault::new(FaultKind::Forbidden, "everywhere", "only the person states what holds in every project")
        .with("field", "everywhere")
        .next("leave `everywhere` out to state it for the project you work in")
}
