//! Earlier work that shares words with a prompt.

use std::collections::HashSet;
use std::path::Path;

use nudge_context::{Found, FoundResult, RelativePlace};
use nudge_core::{EntryId, Fault, ObservationKind, Speaker};
use nudge_index::{Filters, Finder, Hit, Hits, Order, Page, Query};
use nudge_outcomes::shell::is_read_only;
use nudge_store::{DocumentKind, DocumentRow, Reader, SessionId};
use serde_json::{Map, Value};

use super::gathering::{Gathered, Gathering};
use crate::anchors;
use crate::inject::cooldown::Cooldown;
use crate::inject::gate::{self, Chance, Judged};
use crate::inject::ledger::{self, HAS_IT, NO_RESULT};
use crate::inject::request::{InjectionRequest, PromptSearch};
use crate::operation::RUNS;
use crate::projects;
use crate::recall::{
    EntryKind, LONG_TAIL, Snapshot, SnippetSource, part_of_result, search_failed, shared_words, snippet,
    statement_document,
};
use crate::sessions::turns::result_of;
use crate::statements::{THE_PERSON, in_force, speaker};

/// The kinds of entries that may say something by themselves: no mere looks at something.
const KINDS: [&str; 12] = [
    "user_prompt",
    "memory",
    "statement",
    "hypothesis",
    "value",
    "conclusion",
    "command_error",
    "command",
    "file_write",
    "file_edit",
    "git_commit",
    "marker",
];

/// How many hits are read.
const MAX_HITS: usize = 30;

/// How many of them are judged.
const MAX_JUDGED: usize = 12;

/// How much of an entry is shown, in characters; less of a request whose result is shown too.
const MAX_SHOWN_CHARS: usize = 320;
const MAX_REQUEST_CHARS: usize = 240;

/// How much of what came of a request is shown, in characters.
const MAX_RESULT_CHARS: usize = 320;

/// An entry that was found, what would be shown of it, and the chance that it helps.
struct Candidate<'h> {
    hit: &'h Hit,
    row: &'h DocumentRow,
    text: String,
    result: Option<FoundResult>,
    /// What was known of the result when it was said.
    result_facts: Map<String, Value>,
    withheld: Option<&'static str>,
    chance: Chance,
}

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
    let mut finder = Finder::of(&query);
    let mut candidates = Vec::new();
    for hit in hits.hits.iter().take(MAX_JUDGED) {
        let Some(row) = rows.iter().find(|row| row.id.0 == hit.id) else { continue };
        let mut candidate = candidate(request, (hit, row), &mut finder)?;
        // An entry that the session already has is no reason to inject.
        candidate.withheld = candidate.withheld.or(known.contains(&row.id).then_some(HAS_IT));
        let session = |hit: &&Hit| {
            rows.iter()
                .any(|other| other.id.0 == hit.id && other.session.is_some() && other.session == row.session)
        };
        let judged = Judged {
            hit,
            at: row.at,
            in_line: finder.labels_in(&line_text(&candidate)),
            is_stated: is_stated(row),
            same_session: hits.hits.iter().filter(session).count().max(1),
        };
        candidate.chance = Chance::of(&hits, &judged, request.now);
        candidates.push(candidate);
    }
    candidates.sort_by(|one, other| other.chance.margin().total_cmp(&one.chance.margin()));
    let best = candidates.iter().find(|candidate| candidate.withheld.is_none());
    let decision = gate::decide(&prompt.text, best.map(|best| &best.chance));
    let is_silent = !request.extras.explains && !decision.speaks;
    gathered.facts.decision = Some(decision);
    if is_silent {
        return Ok(gathered);
    }
    let cooldown = Cooldown::of_prompt(request.reader, request.project)?;
    let gathering = super::gathering(request, cooldown)?;
    gathered.facts.project.clone_from(&gathering.project);
    for candidate in candidates {
        let words = shared_words(candidate.hit, &hits.sought);
        gathered.facts.found.push(found(&gathering, candidate, words)?);
    }
    Ok(gathered)
}

/// An entry, and what would be shown of it.
fn candidate<'h>(
    request: &InjectionRequest<'_>,
    (hit, row): (&'h Hit, &'h DocumentRow),
    finder: &mut Finder<'_>,
) -> Result<Candidate<'h>, Fault> {
    let is_request = matches!(row.kind, DocumentKind::Prompt(_));
    let whole = if is_request { result_of(request.reader, row.id)? } else { None };
    let withheld = (is_request && whole.is_none()).then_some(NO_RESULT);
    let room = if whole.is_some() { MAX_REQUEST_CHARS } else { MAX_SHOWN_CHARS };
    let is_failure = row.kind == DocumentKind::Observation(Some(ObservationKind::CommandError));
    let source = SnippetSource { text: &row.body, facts: &row.attributes, is_failure };
    let text = snippet(source, room, finder).text;
    let result = whole.as_ref().map(|whole| part_of_result(whole, MAX_RESULT_CHARS, finder));
    let result_facts = whole.map(|whole| whole.attributes).unwrap_or_default();
    Ok(Candidate { hit, row, text, result, result_facts, withheld, chance: Chance::default() })
}

/// All that an agent would read of an entry.
fn line_text(candidate: &Candidate<'_>) -> String {
    let result = candidate.result.as_ref().map_or("", |result| result.text.as_str());
    format!("{result} {} {}", candidate.text, candidate.row.files.first().map_or("", String::as_str))
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
        kinds: KINDS.iter().filter_map(|name| EntryKind::named(name)).map(|kind| kind.number).collect(),
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

fn found(gathering: &Gathering<'_>, candidate: Candidate<'_>, shared: Vec<String>) -> Result<Found, Fault> {
    let row = candidate.row;
    let withheld = candidate.withheld.or_else(|| gathering.cooldown.reason_to_withhold(row.id));
    let facts = if candidate.result.is_some() { &candidate.result_facts } else { &row.attributes };
    let root = Path::new(&gathering.request.root);
    Ok(Found {
        entry: row.id,
        at: row.at,
        what: kind_label(row).unwrap_or("found"),
        by: speaker_label(gathering, row)?,
        text: candidate.text,
        result: candidate.result,
        drift: if withheld.is_none() { anchors::drift_of(facts, root) } else { None },
        file: row.files.first().map(|file| gathering.request.shown(file)),
        place: row.session.map_or(RelativePlace::Here, |session| gathering.place(session)),
        shared,
        withheld,
        margin: candidate.chance.margin(),
        features: candidate.chance.features,
    })
}

/// Who stated, noted or asked something; `None` for a prompt of the user, which needs no label.
fn speaker_label(gathering: &Gathering<'_>, row: &DocumentRow) -> Result<Option<&'static str>, Fault> {
    let is_prompt = matches!(row.kind, DocumentKind::Prompt(_));
    let is_stated = is_stated(row);
    if !is_prompt && !is_stated {
        return Ok(None);
    }
    let entry = gathering.request.reader.entry_by_id(row.id)?;
    let by = entry.map(|entry| speaker(&entry.writer));
    Ok(by.filter(|by| is_stated || *by != THE_PERSON))
}

/// Whether somebody wrote it down to be remembered; everything else happened in a session.
fn is_stated(row: &DocumentRow) -> bool {
    matches!(row.kind, DocumentKind::Known | DocumentKind::Observation(Some(ObservationKind::Marker)))
}
