//! How an injection is written to the ledger and read back, and why an entry was injected.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use nudge_context::{Block, Decision, Excluded, LeftOut, Section, Trigger, UNLIKELY, clean, worth};
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{InjectionDraft, InjectionId, InjectionLine, ProjectId, Reader, SessionId, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cooldown::{LONG_AGO, OTHER_DIRECTORY, OTHERS, RESTS, SILENCED, TOO_OFTEN};

/// How many of the entries left out are recorded: the best of them. The rest ranked too low to be
/// asked about.
const MAX_LEFT_OUT: usize = 50;

/// The reasons for leaving an entry out; the ledger stores the index plus one. Only append to it.
const LEFT_OUT_REASONS: [LeftOut; 14] = [
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
    LeftOut::Withheld(UNLIKELY),
    LeftOut::Withheld(NO_RESULT),
];

/// Why a session does not get again what it still has in its context.
pub(super) const HAS_IT: &str = "the session has it already";

/// Why a request is not injected that nothing is known to have come of.
pub(super) const NO_RESULT: &str = "a request without a recorded result";

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
        cause: trigger.name(),
        lines: block.lines(),
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
const MAX_AT_TOOLS: usize = 3;

const TOOL_PERIOD: Duration = Duration::from_secs(10 * 60);

const MAX_COUNTED: u32 = 50;

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
    let given = reader.injections_of_session(session, MAX_COUNTED)?;
    let since = now.minus(TOOL_PERIOD);
    let lately = given.iter().filter(|one| of_tools.contains(&one.trigger) && one.at > since);
    Ok(lately.count() >= MAX_AT_TOOLS)
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
    if trigger.is_recovery() || of_the_moment {
        return Ok(false);
    }
    for injection in reader.injections_of_session(session, MAX_COUNTED)? {
        if injection.trigger != Trigger::Prompt.number() || !only_asks(reader, injection.id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an injection only asked for a rule, and so gave nothing.
fn only_asks(reader: &Reader<'_>, id: InjectionId) -> Result<bool, Fault> {
    let lines = reader.injection_lines(id)?;
    let mut sections = lines.iter().filter(|line| line.is_injected()).map(|line| line.section);
    Ok(sections.next() == Some(Section::Ask.number()) && sections.next().is_none())
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
    for injection in reader.injections_of_session(session, MAX_COUNTED)? {
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
    let left_out = block.left_out.iter().filter(|left| known.insert(left.entry)).take(MAX_LEFT_OUT);
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
    LEFT_OUT_REASONS.iter().position(|known| *known == why).map_or(u8::MAX, |place| place as u8 + 1)
}

/// The reason with this number, in words.
pub(super) fn words(reason: u8) -> &'static str {
    let known = usize::from(reason).checked_sub(1).and_then(|place| LEFT_OUT_REASONS.get(place));
    known.map_or("for a reason that this version does not know", |why| why.words())
}

// A decision as people and programs see it.

/// Whether anything is injected with a prompt, and what decided it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// True if something is injected.
    pub speaks: bool,
    /// Chance that the best entry helps, 0 to 1.
    pub score: f32,
    /// Minimum chance at which something is injected.
    pub least: f32,
    /// Inputs of the chance, by name.
    pub features: BTreeMap<String, f32>,
}

impl From<&Decision> for Decided {
    fn from(decision: &Decision) -> Self {
        let short = |value: f32| (value * 1_000.0).round() / 1_000.0;
        Self {
            speaks: decision.speaks,
            score: short(decision.score),
            least: short(decision.least),
            features: decision
                .features
                .iter()
                .map(|(name, value)| ((*name).to_owned(), short(*value)))
                .collect(),
        }
    }
}

// Why an entry was injected, in words that can be checked.

/// How much of an entry's text is shown to identify it, in characters.
const MAX_SHOWN_CHARS: usize = 100;

/// An entry in one line, and why it was injected in that section at that time.
pub(super) fn reason_of(
    reader: &Reader<'_>,
    entry: EntryId,
    section: Option<Section>,
    at: Timestamp,
) -> Result<(String, String), Fault> {
    let Some(row) = reader.recent_row(entry)? else {
        let text =
            reader.entry_by_id(entry)?.map(|entry| clean(&entry.body, MAX_SHOWN_CHARS)).unwrap_or_default();
        let why = match section {
            Some(Section::Stated) => "the user stated it, and it applies here",
            Some(Section::StatedByAgents) => "an agent stated it, and it applies here",
            Some(Section::Stopped) => "one of the newest sessions here was about it",
            Some(Section::Intents) => "the user asked for it, and something was done about it",
            Some(Section::Recovery) => "the user asked for it in this session before its context was emptied",
            Some(Section::Found) => "it has the rarest words of the prompt",
            Some(Section::Ask) => "the agent was asked whether this prompt, or a later one, states a rule",
            Some(Section::Context) => "it was marked as relevant to a session here",
            Some(Section::Hypothesis) => "it is being tried here, or was and turned out wrong",
            _ => "learned from what repeats here",
        };
        return Ok((text, why.to_owned()));
    };
    let about = row.file.as_deref().filter(|file| !row.text.contains(*file));
    let text = match about {
        Some(file) => format!("{} {} ({file})", row.kind.name(), row.text),
        None => format!("{} {}", row.kind.name(), row.text),
    };
    let score = format!("worth {:.2} by age and kind", worth(row.kind, row.at, at));
    let why = match section {
        Some(Section::Recovery) => "the session worked on it when its context was emptied".to_owned(),
        Some(Section::Notes) => "learned from what repeats here".to_owned(),
        Some(Section::Stated) => "pinned".to_owned(),
        Some(Section::Stopped) => "one of the newest sessions here left it".to_owned(),
        Some(Section::Found) => "it has the rarest words of the prompt".to_owned(),
        Some(Section::Elsewhere) if row.pinned => "pinned in another project".to_owned(),
        Some(Section::Elsewhere) => format!("done in another copy of this project; {score}"),
        _ if row.pinned => "pinned".to_owned(),
        _ => score,
    };
    Ok((clean(&text, MAX_SHOWN_CHARS), why))
}

#[cfg(test)]
mod tests {
    use nudge_core::tokens::Tokens;
    use nudge_store::{Durability, HostIdentity, Location, OpenOptions, SessionSeen, Store};

    use super::*;

    #[test]
    fn a_reason_is_read_as_it_was_written() {
        for why in LEFT_OUT_REASONS {
            assert_eq!(words(number(why)), why.words());
        }
    }

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
