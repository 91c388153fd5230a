//! Warnings before the same mistake is made again.

use std::time::Duration;

use nudge_context::quoted;
use nudge_core::hypothesis::{RootCause, Status};
use nudge_core::text::age;
use nudge_core::{Fault, Timestamp};
use nudge_store::{HypothesisFilter, ProjectId, Reader};

use super::likeness::Corpus;
use super::record::GhapRecord;
use super::stored::{Stored, all};

/// How far back wrong hypotheses are searched, and how many.
const LATELY: Duration = Duration::from_secs(90 * 24 * 60 * 60);
const LOOKED_AT: u32 = 200;

/// The lowest similarity of two hypotheses about the same thing.
const ALIKE: f32 = 0.45;

/// How many wrong hypotheses with the same kind of cause make a habit.
const HABIT: usize = 2;

/// How many warnings are given, and how many characters each quotes.
const MOST: usize = 3;
const QUOTED: usize = 160;

/// Warnings from earlier wrong hypotheses: one that is similar, and two or more in the same kind of
/// work with the same kind of cause.
pub(super) fn warnings_for(
    reader: &Reader<'_>,
    project: ProjectId,
    new: &GhapRecord,
    now: Timestamp,
) -> Result<Vec<String>, Fault> {
    let filter = HypothesisFilter {
        project: Some(project),
        status: Some(Status::Falsified),
        since: Some(now.minus(LATELY)),
        ..HypothesisFilter::default()
    };
    let wrong = all(reader, filter, LOOKED_AT)?;
    let mut warnings = alike(&wrong, new, now);
    for cause in &RootCause::ALL {
        let is_habit =
            |stored: &&Stored| stored.record.domain == new.domain && stored.row.root_cause == Some(*cause);
        let habit: Vec<&Stored> = wrong.iter().filter(is_habit).collect();
        if habit.len() >= HABIT {
            let newest = &habit[0].record;
            warnings.push(format!(
                "{} hypotheses about {} were wrong for the same kind of reason, {}. The last: \"{}\", because: \"{}\"",
                habit.len(),
                new.domain.0.name(),
                cause.name(),
                quoted(&newest.hypothesis, QUOTED),
                reason(newest),
            ));
        }
    }
    warnings.truncate(MOST);
    Ok(warnings)
}

fn alike(wrong: &[Stored], new: &GhapRecord, now: Timestamp) -> Vec<String> {
    let said = |record: &GhapRecord| format!("{} {}", record.hypothesis, record.action);
    let texts: Vec<String> = wrong.iter().map(|stored| said(&stored.record)).collect();
    let corpus = Corpus::of(texts.iter().map(String::as_str));
    let own = said(new);
    let mut near: Vec<(f32, &Stored)> =
        wrong.iter().enumerate().map(|(at, stored)| (corpus.alike_to(&own, at), stored)).collect();
    near.retain(|(alike, _)| *alike >= ALIKE);
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let lines = near.into_iter().take(1).map(|(_, stored)| {
        let record = &stored.record;
        let at = stored.row.resolved_at.unwrap_or(stored.row.created_at);
        format!(
            "a hypothesis like this was falsified {}: \"{}\". Root cause: \"{}\"",
            age(at, now).replace("now", "just now"),
            quoted(&record.hypothesis, QUOTED),
            reason(record),
        )
    });
    lines.collect()
}

fn reason(record: &GhapRecord) -> String {
    record.root_cause.as_ref().map_or_else(String::new, |cause| quoted(&cause.description, QUOTED))
}
