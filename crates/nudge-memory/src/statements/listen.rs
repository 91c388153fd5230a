//! Reads the user's prompts: standing instructions, and requests that recur in session after
//! session, become proposals.

use std::path::Path;

use nudge_core::event::SpeechKind;
use nudge_core::instruction::{self, Instruction, Kind as InstructionKind};
use nudge_core::{EntryId, Fault, Provenance, Source, Tier, Timestamp};
use nudge_store::{ProjectId, SessionId};

use super::proposals::{Kind, UserWords, propose};
use super::stored::{Category, STATEMENT_SIMILARITY, Saying, Similarity};
use crate::anchors;
use crate::capture::reaction::UserSpoke;

/// How requests are compared: two are the same if they ask for the same acts.
const REQUEST_SIMILARITY: Similarity = Similarity { same: asks_the_same, contradicts: |_, _| false };

/// How many of a project's newest sessions are searched for a request, and how many prompts of
/// each.
const MAX_SESSIONS: u32 = 40;
const MAX_PROMPTS: u32 = 20;

/// Reads what the user said. Shell lines and commands for the agent's program are skipped: they say
/// nothing about how to work.
pub(crate) fn listen(heard: &UserSpoke<'_>) -> Result<(), Fault> {
    if matches!(SpeechKind::from_name(heard.manner), Some(SpeechKind::Shell | SpeechKind::Command)) {
        return Ok(());
    }
    let found = instruction::find_instructions(heard.text);
    let asked = instruction::request(heard.text).filter(|_| found.is_empty());
    if found.is_empty() && asked.is_none() {
        return Ok(());
    }
    let Some(project) = heard.writer.project_by_key(&heard.event.project.key)? else { return Ok(()) };
    for one in &found {
        propose_instruction(heard, project, one)?;
    }
    if let Some(asked) = asked {
        propose_routine(heard, project, &asked.acts)?;
    }
    Ok(())
}

/// Proposes a standing instruction.
fn propose_instruction(heard: &UserSpoke<'_>, project: ProjectId, one: &Instruction) -> Result<(), Fault> {
    let session = heard.writer.agent_session(heard.session)?;
    let worktree = session.and_then(|session| session.worktree);
    let root = Path::new(worktree.as_deref().unwrap_or(&heard.event.project.root));
    let is_there = |directory: &String| root.join(directory).is_dir();
    let spoken = UserWords {
        kind: Kind::Statement,
        text: &one.text,
        category: category(one.kind),
        directory: one.directory.clone().filter(is_there),
        sayings: vec![saying(heard, &heard.event.session, heard.at, heard.prompt)],
        anchors: anchors::around(&one.text, root, heard.at),
        project_key: &heard.event.project.key,
        project,
        provenance: &provenance(heard),
    };
    propose(heard.writer, &spoken, &STATEMENT_SIMILARITY)?;
    Ok(())
}

/// The category of an instruction of this kind.
pub(super) const fn category(kind: InstructionKind) -> Category {
    match kind {
        InstructionKind::Rule => Category::Workflow,
        InstructionKind::Fact => Category::Fact,
        InstructionKind::Preference => Category::Preference,
    }
}

/// Proposes a recurring request as a routine. Searches the user's prompts in the newest sessions
/// for it.
fn propose_routine(heard: &UserSpoke<'_>, project: ProjectId, acts: &[String]) -> Result<(), Fault> {
    let mut sayings = vec![saying(heard, &heard.event.session, heard.at, heard.prompt)];
    for session in heard.writer.busy_sessions_of(project, MAX_SESSIONS)? {
        let is_own = session.id == heard.session || session.parent.is_some();
        // `nudge record` accepts anyone's JSON, so the speaker is unknown.
        if is_own || session.headless == Some(true) || session.harness == "record" {
            continue;
        }
        sayings.extend(asked_in(heard, session.id, &session.name, acts)?);
    }
    let spoken = UserWords {
        kind: Kind::Routine,
        text: heard.text.trim(),
        category: Category::Workflow,
        directory: None,
        sayings,
        anchors: Vec::new(),
        project_key: &heard.event.project.key,
        project,
        provenance: &provenance(heard),
    };
    propose(heard.writer, &spoken, &REQUEST_SIMILARITY)?;
    Ok(())
}

/// When a session was asked for these acts, if it was.
fn asked_in(
    heard: &UserSpoke<'_>,
    session: SessionId,
    name: &str,
    acts: &[String],
) -> Result<Option<Saying>, Fault> {
    let prompts = heard.writer.recent_prompts(session, MAX_PROMPTS)?;
    let found = prompts
        .into_iter()
        .find(|prompt| instruction::request(&prompt.text).is_some_and(|asked| asked.acts == acts));
    Ok(found.map(|prompt| saying(heard, name, prompt.at, prompt.entry)))
}

fn asks_the_same(one: &str, other: &str) -> bool {
    let acts = |text| instruction::request(text).map(|asked| asked.acts);
    acts(one).is_some_and(|one| acts(other) == Some(one))
}

fn saying(heard: &UserSpoke<'_>, session: &str, at: Timestamp, prompt: EntryId) -> Saying {
    let how = match SpeechKind::from_name(heard.manner) {
        Some(SpeechKind::Queued) => "while working",
        Some(_) => heard.manner,
        None => "prompt",
    };
    Saying::to_agent(session, at, how, Some(prompt))
}

/// The user said it, in the agent's session.
fn provenance(heard: &UserSpoke<'_>) -> Provenance {
    Provenance {
        source: Source::User,
        tier: Tier::Client,
        client: Some(heard.event.harness.clone()),
        session: Some(heard.event.session.clone()),
        project: Some(heard.event.project.key.clone()),
        machine: None,
    }
}
