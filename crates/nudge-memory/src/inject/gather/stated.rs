//! The statements of the user and of agents, the rows pinned here, and the hints that apply.

use std::path::Path;
use std::time::Duration;

use nudge_context::{RelativePlace, Stated, StatedKind};
use nudge_core::text::age;
use nudge_core::{Fault, Hint};
use nudge_store::RecentRow;

use super::gathering::{Gathered, Gathering};
use crate::inject::cooldown::{LONG_AGO, OTHER_DIRECTORY, OTHERS, SILENCED};
use crate::statements::{self, Origin, Statement, stated_by};
use crate::{anchors, hints};

/// How many pins and hints are considered, and how many hints are read to report which were left
/// out.
const MAX_PINS: u32 = 30;
const MAX_HINTS: usize = 20;
const MAX_HINTS_SEEN: usize = 50;

/// How many statements that were said once are shown, and for how long after they were said.
const MAX_SAID_ONCE: usize = 3;
const SAID_ONCE_PERIOD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub(super) fn gather(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    statements(gathering, gathered)?;
    let request = gathering.request;
    let (stated, held) = (&mut gathered.facts.stated, &mut gathered.facts.withheld);
    for row in request.reader.pinned_in(request.project, MAX_PINS)? {
        if gathering.cooldown.is_silenced(row.entry) {
            held.push((row.entry, SILENCED));
        } else if !gathering.is_known(row.session) {
            stated.push(pin(gathering, row));
        }
    }
    let cwd = request.cwd.as_deref().unwrap_or(&request.root);
    let place = (cwd, Path::new(&request.root));
    let mut injected = 0;
    for (found, drift) in
        hints::applicable(request.reader, request.project, place, MAX_HINTS_SEEN, request.now)?
    {
        if gathering.cooldown.is_silenced(found.id) {
            held.push((found.id, SILENCED));
        } else if injected == MAX_HINTS {
            held.push((found.id, OTHERS));
        } else {
            injected += 1;
            stated.push(Stated { drift, ..hint(gathering, &found)? });
        }
    }
    Ok(())
}

/// Adds the statements and sayings, and records those left out.
fn statements(gathering: &Gathering<'_>, gathered: &mut Gathered) -> Result<(), Fault> {
    let request = gathering.request;
    let (stated, held) = (&mut gathered.facts.stated, &mut gathered.facts.withheld);
    let hidden = statements::silenced(request.reader, request.project)?;
    held.extend(hidden.iter().map(|one| (one.id, SILENCED)));
    for one in statements::in_force(request.reader, request.project)? {
        if applies(gathering, &one) {
            stated.push(statement(gathering, one)?);
        } else {
            held.push((one.id, OTHER_DIRECTORY));
        }
    }
    let since = request.now.minus(SAID_ONCE_PERIOD);
    let mut injected = 0;
    // What only an agent quoted waits in the review: the user has not decided what of it holds.
    let said = statements::said_once(request.reader, request.project)?;
    for one in said.into_iter().filter(|one| one.sessions > 0) {
        let why_not = match () {
            () if one.said_at < since => Some(LONG_AGO),
            () if !applies(gathering, &one) => Some(OTHER_DIRECTORY),
            () => (injected == MAX_SAID_ONCE).then_some(OTHERS),
        };
        if let Some(why) = why_not {
            held.push((one.id, why));
        } else {
            injected += 1;
            stated.push(statement(gathering, one)?);
        }
    }
    Ok(())
}

/// Whether a statement applies where the agent is: one made for a directory applies there and above
/// it.
fn applies(gathering: &Gathering<'_>, one: &Statement) -> bool {
    let (Some(directory), Some(cwd)) = (&one.directory, &gathering.request.cwd) else { return true };
    let below = Path::new(cwd).strip_prefix(&gathering.request.root).unwrap_or(Path::new(""));
    below.starts_with(directory) || Path::new(directory).starts_with(below)
}

/// For example: `- "we use pnpm, never npm" (said in 3 sessions, last 2d ago) #41`.
fn statement(gathering: &Gathering<'_>, one: Statement) -> Result<Stated, Fault> {
    let request = gathering.request;
    let ago = age(one.said_at, request.now);
    let source = match one.origin {
        _ if one.is_routine => format!("last {ago}"),
        Origin::Remembered => format!("remembered {ago}"),
        Origin::Accepted if one.times > 1 => format!("said {} times, last {ago}", one.times),
        Origin::Accepted => format!("said {ago}"),
        Origin::SaidTwice => format!("said in {} sessions, last {ago}{}", one.sessions, undecided(&one)),
        Origin::SaidOnce => format!("said once, {ago}{}", undecided(&one)),
        Origin::Agent => format!("{}, {ago}", stated_by(request.reader, &one.by)?),
    };
    Ok(Stated {
        entry: one.id,
        kind: if one.origin == Origin::SaidOnce || one.against.is_some() {
            StatedKind::SaidOnce
        } else {
            StatedKind::Statement
        },
        label: label(&one),
        drift: anchors::drift(&one.anchors, Path::new(&request.root)),
        text: one.text,
        source,
        by_person: one.by_person,
    })
}

/// The label before the words. It marks a routine, which is not an order, and a statement that is
/// only for one directory.
fn label(one: &Statement) -> String {
    let routine = match one.sessions {
        _ if !one.is_routine => None,
        1 => Some("routine, asked for in 1 session".to_owned()),
        sessions => Some(format!("routine, asked for in {sessions} sessions")),
    };
    let directory = one.directory.as_ref().map(|directory| format!("in {directory}"));
    routine.into_iter().chain(directory).collect::<Vec<_>>().join(", ")
}

/// Why a saying is not in force.
fn undecided(one: &Statement) -> String {
    one.against.map_or_else(String::new, |id| format!("; not decided, speaks against #{id}"))
}

/// For example: `- pinned, an agent's git_commit: "…" (2d ago) #50`.
fn pin(gathering: &Gathering<'_>, row: RecentRow) -> Stated {
    let request = gathering.request;
    let place = gathering.place(row.session);
    let text = match &row.file {
        Some(file) if row.kind.is_file_change() || row.text.is_empty() => request.shown(file),
        _ => row.text,
    };
    let note = match place {
        RelativePlace::Worktree(name) => format!(", worktree {name}"),
        RelativePlace::Parallel => ", running session".to_owned(),
        RelativePlace::Here | RelativePlace::Project(_) => String::new(),
    };
    Stated {
        entry: row.entry,
        kind: StatedKind::Pin,
        label: if row.by_person {
            "pinned note".to_owned()
        } else {
            format!("pinned, an agent's {}", row.kind.name())
        },
        text,
        source: format!("{}{note}", age(row.at, request.now)),
        // Whoever pinned it, these are the words of its writer.
        by_person: row.by_person,
        drift: None,
    }
}

/// For example: `- hint build/test: "cargo xtask ci" (the person, in shop) #7`.
fn hint(gathering: &Gathering<'_>, hint: &Hint) -> Result<Stated, Fault> {
    let by_person = hint.writer.is_by_user();
    let source = match &hint.meta.added_by {
        Some(whose) if by_person => format!("accepted by the person; from {whose}"),
        _ => stated_by(gathering.request.reader, &hint.writer)?,
    };
    let failed =
        if hint.failures > 0 { format!("; failed {} times since", hint.failures) } else { String::new() };
    Ok(Stated {
        entry: hint.id,
        kind: StatedKind::Hint,
        label: format!("hint {}/{}", hint.component, hint.key),
        text: hint.value.text(),
        source: format!("{source}{failed}"),
        by_person,
        drift: None,
    })
}
