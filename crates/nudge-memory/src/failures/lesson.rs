//! Proposes a hint for a command that helped in most sessions after the same failure.

use nudge_core::{Fault, Provenance, Source, Tier};
use nudge_outcomes::marks::part::parts as simple_commands;
use nudge_outcomes::marks::{self, blame, fold};

use super::cure::{self, KnownFixKind};
use super::history::Asker;
use super::record::{has_failed, lines_of, sessions};
use crate::capture::reaction::Ended;
use crate::hints::{Lesson, propose_lesson};

/// How often a command must have helped, and in which share of the sessions where anything did.
const TIMES: usize = 3;
const SHARE: f64 = 0.75;

/// The length of a hint's name.
const NAME: usize = 60;

/// Checks whether a failure that just happened has a fix that often worked, and proposes it.
pub(crate) fn propose(ended: &Ended<'_>) -> Result<(), Fault> {
    // In a headless run, a script can make anything fail as often as it likes.
    if ended.event.headless == Some(true) || !has_failed(ended) {
        return Ok(());
    }
    let lines = lines_of(ended.metadata);
    let parts = simple_commands(ended.body);
    let (project, session) = (ended.project, Some(ended.session));
    let asker = Asker { reader: ended.writer, project, session, now: ended.at };
    for line in lines.iter().filter(|line| fold::is_specific(line)) {
        let Some(culprit) = blame::culprit(&parts, line) else { continue };
        let failures = asker.failures(marks::of_error(culprit.program(), line))?;
        if sessions(&failures) < TIMES {
            continue;
        }
        let Some(seen) = cure::seen(asker.reader, &failures, line)? else { continue };
        let is_command = matches!(seen.cure, KnownFixKind::After(_) | KnownFixKind::Instead(_));
        if !is_command || seen.times < TIMES || (seen.times as f64) < SHARE * seen.helped as f64 {
            continue;
        }
        // The command that it helped with, which may differ from the current one with the same
        // error.
        let row = failures.first().map(|newest| asker.reader.documents(&[newest.entry])).transpose()?;
        let before = row.and_then(|rows| rows.into_iter().next()).map(|row| simple_commands(&row.body));
        let before = before.unwrap_or_default();
        let Some(failed) = blame::culprit(&before, line) else { continue };
        let key = &ended.event.project.key;
        return propose_lesson(
            ended.writer,
            Lesson {
                component: failed.program(),
                key: &name(&failed.text()),
                text: cure::describe_lesson(&failed.text(), line, &seen.cure),
                reason: format!("it helped in {} of {} sessions with this error", seen.times, seen.sessions),
                root: &ended.event.project.root,
                known_by: ["cure", key, &normalised(line)],
                by: provenance(ended),
                at: ended.at,
            },
        );
    }
    Ok(())
}

/// An error reduced to lower-case words, so that punctuation and variable parts do not matter.
fn normalised(line: &str) -> String {
    let folded = fold::failure(line).to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Turns the words of a command into a name.
fn name(command: &str) -> String {
    let words = command.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | ':'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(NAME).collect()
}

/// The provenance: derived from what agents ran and what tools printed.
fn provenance(ended: &Ended<'_>) -> Provenance {
    Provenance {
        source: Source::ToolOutput,
        tier: Tier::Model,
        client: Some(ended.event.harness.clone()),
        session: Some(ended.event.session.clone()),
        project: Some(ended.event.project.key.clone()),
        machine: None,
    }
}
