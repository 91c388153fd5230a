//! Search results that are not in the index: hints that apply here and statements in force. They
//! depend on the caller.

use nudge_context::clean_text;
use nudge_core::{EntryId, Fault, Hint};
use nudge_index::Document;
use nudge_store::ProjectId;
use serde_json::{Map, Value, json};

use super::observation::{Observation, one_line, readable_time, unix_seconds};
use super::place::Asked;
use super::source::{HINT, STATEMENT};
use crate::hints;
use crate::operation::OpContext;
use crate::statements::{Statement, in_force, stated_by};

/// One such result: the document that is searched, and the entry that is returned.
pub(super) struct UnindexedMatch {
    pub(super) document: Document,
    pub(super) entry: Observation,
}

/// Those that the caller may find where it searches: the hints that `query` would show, and the
/// statements that `knows` would.
pub(super) fn found(ctx: &OpContext<'_>, asked: &Asked, is_own: bool) -> Result<Vec<UnindexedMatch>, Fault> {
    let mut matches = Vec::new();
    match asked {
        Asked::In(place) => statements(ctx, place.project.id, &mut matches)?,
        Asked::Nowhere => {}
        Asked::All => {
            let hidden = ctx.hidden()?;
            for project in ctx.store().projects()?.iter().filter(|project| !hidden.hide(project.id)) {
                statements(ctx, project.id, &mut matches)?;
            }
        }
    }
    if is_own || *asked == Asked::All {
        for (hint, by) in hints::searchable(ctx)? {
            matches.push(of_hint(&hint, by));
        }
    }
    let scope = match asked {
        Asked::In(place) => place.scopes.first().copied().unwrap_or(0),
        Asked::All | Asked::Nowhere => 0,
    };
    matches.sort_by_key(|found| found.document.id);
    matches.dedup_by_key(|found| found.document.id);
    matches.iter_mut().for_each(|found| found.document.project = scope);
    Ok(matches)
}

/// The one with this id, wherever it is.
pub(super) fn by_id(ctx: &OpContext<'_>, id: EntryId) -> Result<Option<Observation>, Fault> {
    let all = found(ctx, &Asked::All, true)?;
    Ok(all.into_iter().find(|found| found.document.id == id.0).map(|found| found.entry))
}

fn statements(ctx: &OpContext<'_>, project: ProjectId, into: &mut Vec<UnindexedMatch>) -> Result<(), Fault> {
    let name = ctx.store().project_label(project)?.map(|(name, _)| one_line(&name));
    for statement in in_force(ctx.store(), project)? {
        let by = stated_by(ctx.store(), &statement.by)?;
        let name = name.clone().filter(|_| !statement.everywhere);
        into.push(of_statement(&statement, by, name));
    }
    Ok(())
}

fn of_statement(statement: &Statement, by: String, project: Option<String>) -> UnindexedMatch {
    let mut metadata = Map::from_iter([
        ("category".to_owned(), json!(statement.category)),
        ("times".to_owned(), json!(statement.times)),
    ]);
    metadata.extend(statement.directory.iter().map(|place| ("directory".to_owned(), json!(one_line(place)))));
    let entry = Observation {
        id: statement.id.0,
        timestamp: unix_seconds(statement.said_at),
        at: readable_time(statement.said_at),
        project,
        metadata,
        ..entry(STATEMENT.name, &statement.text, by)
    };
    UnindexedMatch { document: document(statement, 0), entry }
}

/// A statement as a document for a search in a scope.
pub(crate) fn document(statement: &Statement, scope: i64) -> Document {
    let (title, body) = statement.text.split_once('\n').unwrap_or((&statement.text, ""));
    Document {
        id: statement.id.0,
        scheme: "known".to_owned(),
        kind: STATEMENT.number,
        project: scope,
        at: statement.said_at.as_millis(),
        title: title.to_owned(),
        body: body.to_owned(),
        ..Document::default()
    }
}

fn of_hint(hint: &Hint, by: String) -> UnindexedMatch {
    let (name, value) = (format!("{}/{}", hint.component, hint.key), hint.value.text());
    let mut metadata = Map::from_iter([
        ("component".to_owned(), Value::from(one_line(&hint.component))),
        ("key".to_owned(), Value::from(one_line(&hint.key))),
    ]);
    let reason = hint.meta.reason.as_deref().map(clean_text);
    metadata.extend(reason.map(|reason| ("reason".to_owned(), reason.into())));
    let entry = Observation {
        id: hint.id.0,
        timestamp: unix_seconds(hint.updated_at),
        at: readable_time(hint.updated_at),
        metadata,
        ..entry(HINT.name, &format!("{name} = {value}"), by)
    };
    let document = Document {
        id: hint.id.0,
        scheme: "hint".to_owned(),
        kind: HINT.number,
        at: hint.updated_at.as_millis(),
        title: name,
        body: [&value, hint.meta.reason.as_deref().unwrap_or_default(), &hint.meta.tags.join(" ")].join("\n"),
        ..Document::default()
    };
    UnindexedMatch { document, entry }
}

fn entry(kind: &str, text: &str, stated_by: String) -> Observation {
    Observation {
        id: 0,
        timestamp: 0,
        at: String::new(),
        session_id: None,
        project: None,
        obs_type: kind.to_owned(),
        source_event: None,
        tool_name: None,
        stated_by: Some(stated_by),
        content: clean_text(text),
        file_path: None,
        metadata: Map::new(),
    }
}
