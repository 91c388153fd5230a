//! What a purge means: the filter that the user gave, and the same by names.

use std::collections::BTreeSet;

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{ProjectId, Reader, RowKind, Selection, Store};
use serde::Serialize;

use crate::projects;
use crate::recall::session_among;

/// What to remove. All given conditions must match, and at least one must be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Older than this time.
    pub before: Option<Timestamp>,
    /// In this project: an id, a name or a directory.
    pub project: Option<String>,
    /// In this session, by the agent program's own id.
    pub session: Option<String>,
    /// One of these entries.
    pub ids: Option<Vec<EntryId>>,
    /// Of this kind.
    pub kind: Option<RowKind>,
    /// Containing each of these texts.
    pub words: Vec<String>,
}

/// A project, as shown before anything happens to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedProject {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its root directory.
    pub root: String,
}

/// A filter by names, which works in any store or backup, whatever numbers that uses.
#[derive(Clone, Debug)]
pub(super) struct ResolvedFilter {
    pub(super) filter: Filter,
    pub(super) project_keys: Option<Vec<String>>,
    pub(super) named: Option<NamedProject>,
}

impl ResolvedFilter {
    /// How many hints say that they were set in the project.
    pub(super) fn hints(&self, reader: &Reader<'_>) -> Result<u64, Fault> {
        let keys = self.project_keys.as_deref().unwrap_or_default();
        Ok(reader.hints_of_places(keys)?)
    }

    /// The selection in one store; `None` if that store has no such project or session.
    pub(super) fn selection(&self, reader: &Reader<'_>) -> Result<Option<Selection>, Fault> {
        let mut selection = Selection {
            before: self.filter.before,
            projects: None,
            session: None,
            ids: self.filter.ids.clone().map(|mut ids| {
                ids.sort_unstable();
                ids
            }),
            kind: self.filter.kind,
            words: self.filter.words.clone(),
        };
        if let Some(keys) = &self.project_keys {
            let mut ids: BTreeSet<ProjectId> = BTreeSet::new();
            for key in keys {
                ids.extend(reader.project_by_key(key)?);
            }
            if ids.is_empty() {
                return Ok(None);
            }
            selection.projects = Some(ids.into_iter().collect());
        }
        if let Some(name) = &self.filter.session {
            match reader.agent_session_by_name(name)? {
                Some(session) => selection.session = Some(session.id),
                None => return Ok(None),
            }
        }
        Ok(Some(selection))
    }

    /// Whether the filter names a project or session and nothing else, so that all of it is
    /// removed.
    pub(super) fn names_only_places(&self) -> bool {
        let filter = &self.filter;
        filter.before.is_none() && filter.ids.is_none() && filter.kind.is_none() && filter.words.is_empty()
    }

    /// The words of a filter that is only a text; none for any other.
    pub(super) fn only_words(&self) -> &[String] {
        if self.names_only_words() { &self.filter.words } else { &[] }
    }

    /// Whether the filter is only a text. It then also applies to earlier versions and proposals,
    /// which belong to no session.
    pub(super) fn names_only_words(&self) -> bool {
        let filter = &self.filter;
        let words = Filter { words: filter.words.clone(), ..Filter::default() };
        !filter.words.is_empty() && *filter == words
    }
}

/// Finds the project and the session that a filter names.
pub(super) fn resolve(store: &Store, filter: &Filter) -> Result<ResolvedFilter, Fault> {
    store.read(|reader| {
        let project = filter.project.as_ref();
        let project = project.map(|text| projects::find_project(reader, text, |_| true)).transpose()?;
        let project_keys = project.as_ref().map(|row| projects::keys_of(reader, row)).transpose()?;
        let named = project.map(|row| NamedProject { id: row.id.0, name: row.name, root: row.root });
        let mut filter = filter.clone();
        if let Some(name) = &filter.session {
            filter.session = Some(session_among(reader, name, |_| true)?.name);
        }
        Ok(ResolvedFilter { filter, project_keys, named })
    })
}
