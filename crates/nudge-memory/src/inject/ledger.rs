//! How an injection is written to the ledger and read back.

use std::collections::HashSet;
use std::time::Duration;

use nudge_context::{Block, Excluded, LeftOut, Section, Trigger};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{InjectionDraft, InjectionLine, ProjectId, Reader, SessionId, Writer};

use super::cooldown::{LONG_AGO, OTHER_DIRECTORY, OTHERS, RESTS, SILENCED, TOO_OFTEN};
use super::decided::Decided;

/// How many of the entries left out are recorded: the best of them. The rest ranked too low to be
/// asked about.
const LEFT_OUT: usize = 50;

/// The reasons for leaving an entry out; the ledger stores the index plus one. Only append to it.
const REASONS: [LeftOut; 12] = [
    LeftOut::Budget,
    LeftOut::Enough,
    LeftOut::SameFile,
    LeftOut::Withheld(TOO_OFTEN),
    LeftOut::Withheld(RESTS),
    LeftOut::Same,
    LeftOut::Withheld(SILENCED),
    LeftOut::Withheld(OTHER_DIRECTORY),
    LeftOut::Withheld(LONG_AGO),
    LeftOut::Withheld(OTHERS),
    LeftOut::Withheld(HAS_IT),
    LeftOut::Records,
];

/// Why a session does not get again what it still has in its context.
pub(super) const HAS_IT: &str = "the session has it already";

/// Writes an injection to the ledger. `false` if a concurrent hook was first; only the transaction
/// that writes it can know that for sure.
pub(super) fn record_injection(
    writer: &Writer<'_>,
    (session, project): (SessionId, ProjectId),
    trigger: Trigger,
    block: &Block,
    decision: Option<&Decided>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let has_it = trigger != Trigger::Resume && has_it_already(writer, trigger, session)?;
    if has_it || has_enough(writer, trigger, session, now)? {
        return Ok(false);
    }
    let id = writer.put_injection(&InjectionDraft {
        session,
        project,
        at: now,
        trigger: trigger.number(),
        cause: trigger.word(),
        lines: block.included.len() as u32,
        tokens: block.tokens.0,
        characters: block.text.chars().count() as u32,
        entries: &lines(block),
    })?;
    if let Some(text) = decision.and_then(|decision| serde_json::to_string(decision).ok()) {
        writer.put_decision(id, &text)?;
    }
    Ok(true)
}

/// How often something is injected before or after commands, within how long, and among how many
/// injections this is counted.
const TOOL_MOST: usize = 3;
const TOOL_WITHIN: Duration = Duration::from_secs(10 * 60);
const COUNTED: u32 = 50;

/// Whether a session got enough lately before and after commands. More would disturb its work.
pub(super) fn has_enough(
    reader: &Reader<'_>,
    trigger: Trigger,
    session: SessionId,
    now: Timestamp,
) -> Result<bool, Fault> {
    let of_tools = [Trigger::BeforeTool, Trigger::AfterTool];
    if !of_tools.contains(&trigger) {
        return Ok(false);
    }
    let of_tools = of_tools.map(Trigger::number);
    let given = reader.injections_of_session(session, COUNTED)?;
    let since = now.minus(TOOL_WITHIN);
    let lately = given.iter().filter(|one| of_tools.contains(&one.trigger) && one.at > since);
    Ok(lately.count() >= TOOL_MOST)
}

/// Whether a session got something before and still has it.
pub(super) fn has_it_already(
    reader: &Reader<'_>,
    trigger: Trigger,
    session: SessionId,
) -> Result<bool, Fault> {
    let of_the_moment = !matches!(
        trigger,
        Trigger::Start | Trigger::Fork | Trigger::Resume | Trigger::Clear | Trigger::Compact
    );
    let again = trigger.is_recovery() || of_the_moment;
    Ok(!again && !reader.injections_of_session(session, 1)?.is_empty())
}

/// The entries that a session got, and when, since its context was last emptied; if sections are
/// named, only from those.
pub(super) fn given(
    reader: &Reader<'_>,
    session: SessionId,
    sections: &[Section],
) -> Result<Vec<(EntryId, Timestamp)>, Fault> {
    let is_meant = |number: u8| sections.is_empty() || sections.iter().any(|one| one.number() == number);
    let mut given = Vec::new();
    for injection in reader.injections_of_session(session, COUNTED)? {
        let lines = reader.injection_lines(injection.id)?;
        let lines = lines.iter().filter(|line| line.is_injected() && is_meant(line.section));
        given.extend(lines.map(|line| (line.entry, injection.at)));
        if injection.is_recovery() {
            break;
        }
    }
    Ok(given)
}

fn lines(block: &Block) -> Vec<InjectionLine> {
    // Each entry once, with its first result: an injected entry is not also listed as left out.
    let mut known: HashSet<EntryId> = block.included.iter().filter_map(|line| line.entry).collect();
    let left_out = block.left_out.iter().filter(|left| known.insert(left.entry)).take(LEFT_OUT);
    let left_out: Vec<&Excluded> = left_out.collect();
    let injected = block.included.iter().filter_map(|line| {
        Some(InjectionLine {
            entry: line.entry?,
            reason: 0,
            section: line.section.number(),
            tokens: line.tokens.0,
            used_at: None,
        })
    });
    let left_out = left_out.into_iter().map(|left| InjectionLine {
        entry: left.entry,
        reason: number(left.why),
        section: 0,
        tokens: 0,
        used_at: None,
    });
    injected.chain(left_out).collect()
}

fn number(why: LeftOut) -> u8 {
    REASONS.iter().position(|known| *known == why).map_or(u8::MAX, |place| place as u8 + 1)
}

/// The reason with this number, in words.
pub(super) fn words(reason: u8) -> &'static str {
    let known = usize::from(reason).checked_sub(1).and_then(|place| REASONS.get(place));
    known.map_or("for a reason that this version does not know", |why| why.words())
}

#[cfg(test)]
mod tests {
    use nudge_core::tokens::Tokens;
    use nudge_store::{Durability, HostIdentity, Location, OpenOptions, SessionSeen, Store};

    use super::*;

    #[test]
    fn of_two_hooks_that_both_found_it_uninjected_one_enters_it() {
        let now = Timestamp::from_millis(1_794_723_027_000);
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now,
            busy: std::time::Duration::from_secs(1),
            backups: None,
        })
        .expect("opens");
        let block =
            Block { text: "text".to_owned(), tokens: Tokens(1), included: Vec::new(), left_out: Vec::new() };
        let entered = store
            .write(Durability::Passive, |writer| {
                let project = writer.enter_project("/w/p", "p", "/w/p", now)?;
                let seen = SessionSeen {
                    name: "s",
                    harness: "claude",
                    harness_version: None,
                    project,
                    parent: None,
                    headless: None,
                    at: now,
                };
                let session = writer.enter_session(&seen)?.id;
                let enter =
                    |trigger| record_injection(writer, (session, project), trigger, &block, None, now);
                Ok::<_, Fault>([
                    enter(Trigger::Start)?,
                    enter(Trigger::Start)?,
                    enter(Trigger::Compact)?,
                    enter(Trigger::Start)?,
                ])
            })
            .expect("written");
        assert_eq!(entered, [true, false, true, false], "an emptied context gets the block again");
    }
}
