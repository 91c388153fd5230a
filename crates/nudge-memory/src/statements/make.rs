//! Makes and retires statements, and checks their text.

use nudge_context::clean;
use nudge_core::instruction::plain_words;
use nudge_core::{Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, Reader, StoreError, Writer};
use serde_json::Value;

use super::proposals;
use super::stored::{self, Category, Saying, Stated, StatementState, Stored, by_id, path_of, put};
use crate::capture;
use crate::operation::OpContext;

/// No project, for statements that apply in all projects.
const NO_PROJECT: ProjectId = ProjectId(0);

/// A statement to make.
pub(crate) struct NewStatement {
    pub(crate) text: String,
    pub(crate) category: Category,
    pub(crate) directory: Option<String>,
    /// When it was said; at least once.
    pub(crate) sayings: Vec<Saying>,
    /// How often it was said.
    pub(crate) times: u32,
    /// The proposal that the user accepted.
    pub(crate) accepted_from: Option<i64>,
    /// Whether that was a recurring request.
    pub(crate) is_routine: bool,
    /// The statement that it replaces.
    pub(crate) predecessor: Option<i64>,
    /// The places in files that it depends on.
    pub(crate) anchors: Vec<Value>,
    pub(crate) by: Provenance,
}

/// Makes a statement in a scope. If the same words are already stated there, forgotten or not,
/// counts them once more.
pub(crate) fn make(
    writer: &Writer<'_>,
    scope: &Scope,
    project: Option<ProjectId>,
    new: NewStatement,
    now: Timestamp,
) -> Result<Stored, Fault> {
    let before = in_the_same_words(writer, scope, project, &new.text, new.directory.as_deref())?;
    let (scope, path, mut stated) = match before {
        // An agent neither takes over nor restores what the user stated or withdrew.
        Some(known) if known.by.is_by_user() && !new.by.is_by_user() => return Ok(known),
        Some(known) => (known.scope, known.path, known.stated),
        None => {
            let path = path_of(new.category, &new.text, new.directory.as_deref())?;
            (scope.clone(), path, nothing_yet(new.category))
        }
    };
    stated.state = StatementState::Stands;
    stated.successor = None;
    stated.ended_by_person = false;
    stated.times = stated.times.saturating_add(new.times);
    new.sayings.into_iter().for_each(|one| {
        stored::add_saying(&mut stated.sayings, one);
    });
    stated.directory = new.directory;
    stated.predecessor = new.predecessor.or(stated.predecessor);
    stated.accepted_from = new.accepted_from.or(stated.accepted_from);
    stated.is_routine = new.is_routine;
    if !new.anchors.is_empty() {
        stated.anchors = new.anchors;
    }
    let id = put(writer, &scope, &path, &new.text, &stated, &new.by, now)?;
    Ok(Stored { id, scope, path, text: new.text, stated, by: new.by })
}

/// Retires a statement. It stays readable by its number.
pub(crate) fn retire(
    writer: &Writer<'_>,
    statement: Stored,
    state: StatementState,
    successor: Option<i64>,
    by_person: bool,
    now: Timestamp,
) -> Result<Stored, Fault> {
    let mut over = statement;
    over.stated.state = state;
    over.stated.successor = successor;
    over.stated.ended_by_person = by_person;
    over.save(writer, now)?;
    proposals::release_sayings(writer, over.id, now)?;
    Ok(over)
}

/// The statement with the same words for the same directory, in any category and state. For a
/// statement that applies in all projects, one of those; else one of the project, under any of its
/// keys.
pub(crate) fn in_the_same_words(
    reader: &Reader<'_>,
    scope: &Scope,
    project: Option<ProjectId>,
    text: &str,
    directory: Option<&str>,
) -> Result<Option<Stored>, Fault> {
    let wanted = plain_words(text);
    for known in reader.statements_of(project.unwrap_or(NO_PROJECT))? {
        if plain_words(&known.body) == wanted
            && let Some(statement) = by_id(reader, known.id)?
            && statement.stated.directory.as_deref() == directory
            && (statement.scope == Scope::Global) == (*scope == Scope::Global)
        {
            return Ok(Some(statement));
        }
    }
    Ok(None)
}

const fn nothing_yet(category: Category) -> Stated {
    Stated {
        category,
        state: StatementState::Stands,
        directory: None,
        sayings: Vec::new(),
        times: 0,
        successor: None,
        ended_by_person: false,
        predecessor: None,
        accepted_from: None,
        is_routine: false,
        anchors: Vec::new(),
    }
}

// Checks text that is stated on purpose: a secret in it is rejected, not redacted.

/// The text without its private spans and outer spaces, if it is acceptable. `what` names it in
/// errors, such as a note.
pub(crate) fn checked_text(
    ctx: &OpContext<'_>,
    what: &str,
    text: &str,
    most: usize,
) -> Result<String, Fault> {
    let open = capture::without_private(text);
    if open.trim().is_empty() && !text.trim().is_empty() {
        let why = format!("the whole {what} is private, so there is nothing to save");
        return Err(Fault::invalid("private", why).with("field", "text").next("remove the private tags"));
    }
    let text = open.trim();
    if clean(text, 1).is_empty() {
        return Err(Fault::invalid("text", format!("a {what} cannot be empty")).with("field", "text"));
    }
    let chars = text.chars().count();
    if chars > most {
        let why = format!("the {what} has {chars} characters; the limit is {most}");
        return Err(Fault::new(FaultKind::TooLarge, "text", why).with("field", "text").next("shorten it"));
    }
    let found = if ctx.settings.strict_secrets {
        nudge_secrets::scan_strictly(None, text)
    } else {
        nudge_secrets::scan(text)
    };
    if let Some(first) = found.first().filter(|_| ctx.settings.secret_guard) {
        let refused = StoreError::Secret { rule: first.rule.to_owned(), field: "text".to_owned() };
        return Err(Fault::from(refused).next("name the variable or file that contains it instead"));
    }
    Ok(text.to_owned())
}
