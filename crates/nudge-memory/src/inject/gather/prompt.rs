//! What earlier work has words of a prompt.

use std::collections::HashSet;

use nudge_context::{Found, Where};
use nudge_core::shell::is_look;
use nudge_core::{EntryId, Fault, ObservationKind};
use nudge_index::{Filters, Finder, Hit, Hits, Order, Page, Query};
use nudge_store::{DocumentRow, DocumentSort, Voice};

use super::gathered::Gathered;
use super::gathering::Gathering;
use crate::inject::cooldown::Cooldown;
use crate::inject::gate;
use crate::inject::ledger::{self, HAS_IT};
use crate::inject::request::{InjectionRequest, Said};
use crate::projects;
use crate::recall::{LONG_TAIL, Snapshot, Told, search_failed, shared, snippet, statement_document};
use crate::statements::{THE_PERSON, in_force, speaker};

/// How many hits are looked at: some of them only look at something, and are passed over.
const LOOKED_AT: usize = 20;

/// How many of them are candidates.
const CANDIDATES: usize = 5;

/// How much of an entry is shown, in characters.
const CHARS: usize = 320;

/// What is found for a prompt. Where a session would get nothing of it, no more is read than that takes to say.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let Some(prompt) = &request.prompt else { return Ok(gathered) };
    let Some(query) = Query::of_prompt(&prompt.text) else { return Ok(gathered) };
    let Some(mut hits) = search(request, prompt, &query)? else { return Ok(gathered) };
    let ids: Vec<EntryId> = hits.hits.iter().map(|hit| EntryId(hit.id)).collect();
    let mut rows = request.reader.documents(&ids)?;
    rows.retain(|row| what(row).is_some());
    hits.hits.retain(|hit| rows.iter().any(|row| row.id.0 == hit.id));
    let known = known(request)?;
    // What the session has is no reason to speak.
    let (had, new): (Vec<Hit>, Vec<Hit>) =
        std::mem::take(&mut hits.hits).into_iter().partition(|hit| known.contains(&EntryId(hit.id)));
    let candidates: Vec<Hit> = new.iter().chain(&had).take(CANDIDATES).cloned().collect();
    hits.hits = new;
    let decision = gate::decide(&prompt.text, &hits);
    let is_silent = request.session.is_some() && !decision.speaks;
    gathered.facts.decision = Some(decision);
    if is_silent {
        return Ok(gathered);
    }
    let cooldown = Cooldown::of_prompt(request.reader, request.project)?;
    let gathering = super::gathering(request, cooldown)?;
    gathered.facts.project.clone_from(&gathering.project);
    let mut finder = Finder::of(&query);
    for hit in &candidates {
        if let Some(row) = rows.iter().find(|row| row.id.0 == hit.id) {
            let words = shared(hit, &hits.sought);
            gathered.facts.found.push(found(&gathering, row, words, &known, &mut finder)?);
        }
    }
    Ok(gathered)
}

/// The entries of the project that have words of the prompt, but those of the session itself.
fn search(request: &InjectionRequest<'_>, prompt: &Said<'_>, query: &Query) -> Result<Option<Hits>, Fault> {
    let behind = request.reader.feed_head()? - prompt.index.standing().position.unwrap_or(0);
    // What is not indexed is looked at one by one, which would take longer than the hook has.
    if usize::try_from(behind).is_ok_and(|behind| behind > LONG_TAIL) {
        return Ok(None);
    }
    let Some(project) = request.reader.project(request.project)? else { return Ok(None) };
    let scopes = projects::scopes_of(request.reader, &project)?;
    let scope = scopes.first().copied().unwrap_or(0);
    let stated = in_force(request.reader, project.id)?;
    let stated = stated.iter().map(|statement| statement_document(statement, scope)).collect();
    let filters = Filters {
        projects: scopes,
        other_session: request.session.as_ref().map(|session| session.id.0),
        ..Filters::default()
    };
    let page = Page { limit: LOOKED_AT, offset: 0 };
    let source = Snapshot::new(request.reader, stated)?;
    let now = request.now.as_millis();
    let hits = prompt.index.search(&source, query, &filters, Order::Relevance, page, now);
    hits.map(Some).map_err(search_failed)
}

/// What an entry is, in words; `None` for what tells nothing by itself, such as a look at a file.
fn what(row: &DocumentRow) -> Option<&'static str> {
    Some(match row.sort {
        DocumentSort::Known => "stated",
        DocumentSort::Value => "summed up",
        // What is still being tried is no experience.
        DocumentSort::Hypothesis => match row.attributes.get("outcome")?["status"].as_str()? {
            "confirmed" => "tried, and it held",
            "falsified" => "tried, and it was wrong",
            _ => return None,
        },
        DocumentSort::Prompt(Voice::Person) => "asked",
        DocumentSort::Observation(Some(kind)) => match kind {
            ObservationKind::Conclusion => "the agent concluded",
            ObservationKind::CommandError if !is_look(&row.body) => "failed",
            ObservationKind::Command if !is_look(&row.body) => "ran",
            ObservationKind::FileWrite => "wrote",
            ObservationKind::FileEdit => "changed",
            ObservationKind::GitCommit => "committed",
            ObservationKind::Marker => "noted",
            _ => return None,
        },
        _ => return None,
    })
}

/// What the session was given and still has.
fn known(request: &InjectionRequest<'_>) -> Result<HashSet<EntryId>, Fault> {
    let Some(session) = &request.session else { return Ok(HashSet::new()) };
    let given = ledger::given(request.reader, session.id, &[])?;
    Ok(given.into_iter().map(|(entry, _)| entry).collect())
}

fn found(
    gathering: &Gathering<'_>,
    row: &DocumentRow,
    shared: Vec<String>,
    known: &HashSet<EntryId>,
    finder: &mut Finder<'_>,
) -> Result<Found, Fault> {
    let withheld = if known.contains(&row.id) { Some(HAS_IT) } else { gathering.cooldown.on(row.id) };
    let kind = DocumentSort::Observation(Some(ObservationKind::CommandError));
    let told = Told { text: &row.body, facts: &row.attributes, is_failure: row.sort == kind };
    Ok(Found {
        entry: row.id,
        at: row.at,
        what: what(row).unwrap_or("found"),
        by: by(gathering, row)?,
        text: snippet(told, CHARS, finder).text,
        file: row.files.first().map(|file| gathering.request.shown(file)),
        place: row.session.map_or(Where::Here, |session| gathering.place(session)),
        shared,
        withheld,
    })
}

/// Who stated, noted or asked something. That the person asks goes without saying.
fn by(gathering: &Gathering<'_>, row: &DocumentRow) -> Result<Option<&'static str>, Fault> {
    let is_prompt = matches!(row.sort, DocumentSort::Prompt(_));
    let is_stated = row.sort == DocumentSort::Known
        || row.sort == DocumentSort::Observation(Some(ObservationKind::Marker));
    if !is_prompt && !is_stated {
        return Ok(None);
    }
    let entry = gathering.request.reader.entry_by_id(row.id)?;
    let by = entry.map(|entry| speaker(&entry.writer));
    Ok(by.filter(|by| is_stated || *by != THE_PERSON))
}
