//! Proposes a hint for a command that helped in most sessions after the same failure.

use nudge_core::{Fault, Provenance, Source, Tier};
use nudge_outcomes::marks::part::parts as simple_commands;
use nudge_outcomes::marks::{self, blame, fold};

use super::fix::{self, KnownFixKind};
use super::history::Asker;
use super::record::{has_failed, lines_of, sessions};
use crate::capture::reaction::Ended;
use crate::hints::{Lesson, propose_lesson};

/// How often a command must have helped, and in which share of the sessions where anything did.
const MIN_TIMES: usize = 3;
const MIN_SHARE: f64 = 0.75;

/// The length of a hint's name, and from how many words of the command it is made.
const MAX_NAME_CHARS: usize = 40;
const MAX_NAME_WORDS: usize = 3;

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
        if sessions(&failures) < MIN_TIMES {
            continue;
        }
        let Some(seen) = fix::seen(asker.reader, &failures, line)? else { continue };
        let is_command = matches!(seen.fix, KnownFixKind::After(_) | KnownFixKind::Instead(_));
        if !is_command || seen.times < MIN_TIMES || (seen.times as f64) < MIN_SHARE * seen.helped as f64 {
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
                key: &name(&failed.words),
                text: fix::describe_lesson(&failed.text(), line, &seen.fix),
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
    let folded = fold::error_with_quotes(line).to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A readable name for a command: its first words after the program, without flags and paths.
fn name(command: &[String]) -> String {
    let is_plain = |word: &&String| {
        word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
            && !word.starts_with('-')
    };
    let words: Vec<&str> =
        command.iter().skip(1).filter(is_plain).take(MAX_NAME_WORDS).map(String::as_str).collect();
    let name: String = words.join("-").chars().take(MAX_NAME_CHARS).collect();
    if name.is_empty() { "run".to_owned() } else { name }
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
