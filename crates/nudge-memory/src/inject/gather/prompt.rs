//! Earlier work that shares words with a prompt.

use std::collections::HashSet;

use nudge_context::{Found, RelativePlace};
use nudge_core::{EntryId, Fault, ObservationKind, Speaker};
use nudge_index::{Filters, Finder, Hit, Hits, Order, Page, Query};
use nudge_outcomes::shell::is_read_only;
use nudge_store::{DocumentKind, DocumentRow, Reader, SessionId};

use super::gathering::{Gathered, Gathering};
use crate::inject::cooldown::Cooldown;
use crate::inject::gate;
use crate::inject::ledger::{self, HAS_IT};
use crate::inject::request::{InjectionRequest, PromptSearch};
use crate::operation::RUNS;
use crate::projects;
use crate::recall::{
    LONG_TAIL, Snapshot, SnippetSource, search_failed, shared_words, snippet, statement_document,
};
use crate::sessions::turns::result_of;
use crate::statements::{THE_PERSON, in_force, speaker};

/// How many hits are read. Some of them are mere looks at something and are skipped.
const MAX_HITS: usize = 20;

/// How many of them become candidates.
const MAX_CANDIDATES: usize = 5;

/// How much of an entry is shown, in characters.
const MAX_SHOWN_CHARS: usize = 320;

/// How much of what came of a request is shown, in characters.
const MAX_RESULT_CHARS: usize = 240;

/// Why a request is not injected that nothing is known to have come of.
const NO_RESULT: &str = "a request without a recorded result";

/// Gathers the hits for a prompt. If the session would get none of them, only enough is read to say
/// why.
pub(super) fn gather(request: &InjectionRequest<'_>) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::default();
    let Some(prompt) = &request.prompt else { return Ok(gathered) };
    let Some(query) = Query::of_prompt(&prompt.text) else { return Ok(gathered) };
    let Some(mut hits) = search(request, prompt, &query)? else { return Ok(gathered) };
    let ids: Vec<EntryId> = hits.hits.iter().map(|hit| EntryId(hit.id)).collect();
    let mut rows = request.reader.documents(&ids)?;
    let of_runs = of_runs(request.reader, &rows)?;
    rows.retain(|row| kind_label(row).is_some() && row.session.is_none_or(|id| !of_runs.contains(&id)));
    hits.hits.retain(|hit| rows.iter().any(|row| row.id.0 == hit.id));
    let known = known(request)?;
    // An entry that the session already has is no reason to inject.
    let (had, new): (Vec<Hit>, Vec<Hit>) =
        std::mem::take(&mut hits.hits).into_iter().partition(|hit| known.contains(&EntryId(hit.id)));
    let candidates: Vec<Hit> = new.iter().chain(&had).take(MAX_CANDIDATES).cloned().collect();
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
            let words = shared_words(hit, &hits.sought);
            let mut found = found(&gathering, row, words, &known, &mut finder)?;
            if matches!(row.kind, DocumentKind::Prompt(_)) {
                found.result = result_of(request.reader, row.id, MAX_RESULT_CHARS)?;
                found.withheld = found.withheld.or(found.result.is_none().then_some(NO_RESULT));
            }
            gathered.facts.found.push(found);
        }
    }
    Ok(gathered)
}

/// The project's entries that share words with the prompt, without those of the session itself.
fn search(
    request: &InjectionRequest<'_>,
    prompt: &PromptSearch<'_>,
    query: &Query,
) -> Result<Option<Hits>, Fault> {
    let behind = request.reader.feed_head()? - prompt.index.status().position.unwrap_or(0);
    // Entries that are not indexed are scanned one by one, which would take longer than the hook
    // has.
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
    let page = Page { limit: MAX_HITS, offset: 0 };
    let source = Snapshot::new(request.reader, stated)?;
    let now = request.now.as_millis();
    let hits = prompt.index.search(&source, query, &filters, Order::Relevance, page, now);
    hits.map(Some).map_err(search_failed)
}

/// The sessions of runs among those of the rows.
fn of_runs(reader: &Reader<'_>, rows: &[DocumentRow]) -> Result<HashSet<SessionId>, Fault> {
    let sessions: HashSet<SessionId> = rows.iter().filter_map(|row| row.session).collect();
    let mut found = HashSet::new();
    for id in sessions {
        if reader.agent_session(id)?.is_some_and(|session| session.harness == RUNS) {
            found.insert(id);
        }
    }
    Ok(found)
}

/// What an entry is, in words; `None` if it says nothing by itself, such as a look at a file.
fn kind_label(row: &DocumentRow) -> Option<&'static str> {
    Some(match row.kind {
        DocumentKind::Known => "stated",
        DocumentKind::Value => "summed up",
        // An open hypothesis is not an experience yet.
        DocumentKind::Hypothesis => match row.attributes.get("outcome")?["status"].as_str()? {
            "confirmed" => "tried, and it held",
            "falsified" => "tried, and it was wrong",
            _ => return None,
        },
        DocumentKind::Prompt(Speaker::Person) => "asked",
        DocumentKind::Observation(Some(kind)) => match kind {
            ObservationKind::Conclusion => "the agent concluded",
            ObservationKind::CommandError if !is_read_only(&row.body) => "failed",
            ObservationKind::Command if !is_read_only(&row.body) => "ran",
            ObservationKind::FileWrite => "wrote",
            ObservationKind::FileEdit => "changed",
            ObservationKind::GitCommit => "committed",
            ObservationKind::Marker => "noted",
            _ => return None,
        },
        _ => return None,
    })
}

/// The entries that were injected into the session and that it still has.
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
    let withheld =
        if known.contains(&row.id) { Some(HAS_IT) } else { gathering.cooldown.reason_to_withhold(row.id) };
    let kind = DocumentKind::Observation(Some(ObservationKind::CommandError));
    let source = SnippetSource { text: &row.body, facts: &row.attributes, is_failure: row.kind == kind };
    Ok(Found {
        entry: row.id,
        at: row.at,
        what: kind_label(row).unwrap_or("found"),
        by: speaker_label(gathering, row)?,
        text: snippet(source, MAX_SHOWN_CHARS, finder).text,
        result: None,
        file: row.files.first().map(|file| gathering.request.shown(file)),
        place: row.session.map_or(RelativePlace::Here, |session| gathering.place(session)),
        shared,
        withheld,
    })
}

/// Who stated, noted or asked something; `None` for a prompt of the user, which needs no label.
fn speaker_label(gathering: &Gathering<'_>, row: &DocumentRow) -> Result<Option<&'static str>, Fault> {
    let is_prompt = matches!(row.kind, DocumentKind::Prompt(_));
    let is_stated = row.kind == DocumentKind::Known
        || row.kind == DocumentKind::Observation(Some(ObservationKind::Marker));
    if !is_prompt && !is_stated {
        return Ok(None);
    }
    let entry = gathering.request.reader.entry_by_id(row.id)?;
    let by = entry.map(|entry| speaker(&entry.writer));
    Ok(by.filter(|by| is_stated || *by != THE_PERSON))
}
