//! The report: reads the store in bounded pieces, counts, and reports.

use std::collections::HashMap;

use nudge_context::clean;
use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_outcomes::marks::{fold, signature};
use nudge_store::{Occurrence, ProjectId, ProjectRow, Reach, Reader, SessionId};

use super::tally::{self, Repeats, Sessions, Tally};
use super::wire::{LearnAnswer, LearnOptions, LeftOut, LookedAt, Ran, Repeat, Together};
use crate::failures;
use crate::projects::HiddenProjects;
use crate::recall::unix_seconds;

/// How much of a command, a line or a prompt is shown, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// How many projects are listed.
const MAX_PROJECTS: usize = 5;

/// Builds the report on one project, or on all.
pub(super) fn report(
    reader: &Reader<'_>,
    project: Option<&ProjectRow>,
    options: &LearnOptions,
    now: Timestamp,
    hidden: &HiddenProjects,
) -> Result<LearnAnswer, Fault> {
    let scene = Scene { reader, project: project.map(|row| row.id), options, now, hidden };
    let mut looked_at = LookedAt { only: scene.only()?, ..LookedAt::default() };
    let (commands, errors) = scene.failures(&mut looked_at.failed_commands)?;
    let asked = if options.failures_only { Vec::new() } else { scene.intents(&mut looked_at.prompts)? };
    let mut left_out = LeftOut::default();
    let commands = scene.cut(commands, &mut left_out.failed_commands);
    let errors = scene.cut(errors, &mut left_out.error_signatures);
    let asked = scene.cut(asked, &mut left_out.intents);
    let ran = ran_later(reader, scene.project, hidden, &commands)?;
    let mut failed_commands = Vec::new();
    for ((pattern, tally), ran) in commands.iter().zip(ran) {
        let mut repeat = scene.reported(pattern, tally)?;
        repeat.worked_after = worked_after(reader, scene.project, hidden, pattern, tally)?;
        repeat.ran_later = ran;
        repeat.followed = failures::followed(reader, tally.newest.id, now)?;
        failed_commands.push(repeat);
    }
    let mut error_signatures = Vec::new();
    for (pattern, tally) in &errors {
        let mut repeat = scene.reported(pattern, tally)?;
        repeat.followed = failures::followed(reader, tally.newest.id, now)?;
        error_signatures.push(repeat);
    }
    Ok(LearnAnswer {
        project: project.map(|row| clean(&row.name, MAX_SHOWN_CHARS)),
        failed_commands,
        error_signatures,
        intents: asked.iter().map(|(key, tally)| scene.reported(key, tally)).collect::<Result<_, _>>()?,
        changed_together: if options.failures_only { Vec::new() } else { scene.changed_together()? },
        left_out,
        looked_at,
        ..LearnAnswer::nothing(options)
    })
}

/// The wire name of a session.
pub(super) fn session_name(reader: &Reader<'_>, id: SessionId) -> Result<String, Fault> {
    Ok(reader.agent_session(id)?.map(|row| clean(&row.name, MAX_SHOWN_CHARS)).unwrap_or_default())
}

/// A command or a line, cut for display.
pub(super) fn shown(text: &str) -> String {
    clean(text, MAX_SHOWN_CHARS)
}

type Groups = Vec<(String, Tally)>;

/// The root directories of projects, each read once.
#[derive(Default)]
struct Roots(HashMap<ProjectId, String>);

impl Roots {
    fn of(&mut self, reader: &Reader<'_>, project: ProjectId) -> Result<String, Fault> {
        if let Some(root) = self.0.get(&project) {
            return Ok(root.clone());
        }
        let root = reader.project_root(project)?.unwrap_or_default();
        self.0.insert(project, root.clone());
        Ok(root)
    }
}

/// A file's path relative to its project's root.
fn below<'f>(file: &'f str, root: &str) -> &'f str {
    let rest = file.strip_prefix(root).filter(|_| !root.is_empty());
    rest.map_or(file, |rest| rest.trim_start_matches('/'))
}

struct Scene<'s> {
    reader: &'s Reader<'s>,
    project: Option<ProjectId>,
    options: &'s LearnOptions,
    now: Timestamp,
    hidden: &'s HiddenProjects,
}

impl Scene<'_> {
    fn reach(&self) -> Reach {
        Reach { project: self.project, since: None, newest: self.options.newest }
    }

    fn heat(&self, one: &Occurrence) -> f64 {
        self.options.half_life.heat(one.at, self.now)
    }

    /// Failed commands and their errors, in one pass.
    fn failures(&self, looked_at: &mut u64) -> Result<(Groups, Groups), Fault> {
        let (mut commands, mut errors) = (Repeats::default(), Repeats::default());
        self.reader.visit_failed_commands(self.reach(), |one| {
            if self.hidden.hide(one.project) {
                return;
            }
            *looked_at += 1;
            if one.response.as_deref().is_some_and(signature::has_nothing_to_do) {
                return;
            }
            let heat = self.heat(&one);
            commands.add(fold::command(&one.text), &one, None, heat);
            if let Some(line) = one.response.as_deref().and_then(signature::telling_line) {
                errors.add(fold::error_without_quotes(&line), &one, Some(&line), heat);
            }
        })?;
        Ok((commands.repeated(self.options.threshold), errors.repeated(self.options.threshold)))
    }

    fn intents(&self, looked_at: &mut u64) -> Result<Groups, Fault> {
        let mut asked = Repeats::default();
        self.reader.visit_prompts(self.reach(), |one| {
            if self.hidden.hide(one.project) {
                return;
            }
            *looked_at += 1;
            if let Some(key) = tally::intent_key(&one.text) {
                let heat = self.heat(&one);
                asked.add(key, &one, None, heat);
            }
        })?;
        Ok(tally::repeated_intents(asked, self.options.threshold))
    }

    fn changed_together(&self) -> Result<Vec<Together>, Fault> {
        let mut sessions = Sessions::default();
        self.reader.visit_edited_files(self.reach(), |one| {
            if !self.hidden.hide(one.project) {
                sessions.add(one);
            }
        })?;
        let path = |file| Ok::<_, Fault>(self.reader.file_path(file)?.unwrap_or_default());
        let pairs = sessions.pairs(self.options.threshold, path)?.into_iter().take(self.options.limit);
        let mut roots = Roots::default();
        pairs
            .map(|pair| {
                let root = roots.of(self.reader, pair.project)?;
                let files = pair.files.iter().map(|file| shown(below(file, &root))).collect();
                let (sessions, of) = (pair.both, pair.either);
                Ok(Together { files, sessions, of, last_seen: unix_seconds(pair.last) })
            })
            .collect()
    }

    fn cut(&self, mut groups: Groups, left_out: &mut usize) -> Groups {
        *left_out = groups.len().saturating_sub(self.options.limit);
        groups.truncate(self.options.limit);
        groups
    }

    fn reported(&self, pattern: &str, tally: &Tally) -> Result<Repeat, Fault> {
        let newest = &tally.newest;
        let of_error = newest.line.as_ref();
        Ok(Repeat {
            pattern: shown(pattern),
            newest: shown(of_error.unwrap_or(&newest.text)),
            id: newest.id.0,
            session_id: session_name(self.reader, newest.session)?,
            count: tally.count,
            sessions: tally.sessions.len() as u64,
            first_seen: unix_seconds(tally.first),
            last_seen: unix_seconds(tally.last),
            heat: (tally.heat * 1e3).round() / 1e3,
            projects: self.projects(tally)?,
            exit: newest.exit,
            command: of_error.map(|_| shown(&newest.text)),
            ran_later: None,
            worked_after: None,
            followed: None,
        })
    }

    /// The names of the projects, if the report covers more than one.
    fn projects(&self, tally: &Tally) -> Result<Vec<String>, Fault> {
        if self.project.is_some() {
            return Ok(Vec::new());
        }
        let rows = tally.projects.iter().take(MAX_PROJECTS).map(|id| self.reader.project(*id));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(rows.into_iter().flatten().map(|row| shown(&row.name)).collect())
    }

    /// The limit to mention if older rows were not read.
    fn only(&self) -> Result<Option<String>, Fault> {
        let newest = self.options.newest;
        let most = u64::from(newest);
        let mut only = Vec::new();
        if self.reader.counted_of_kind(ObservationKind::CommandError, newest)? > most {
            only.push(format!("the newest {newest} failed commands"));
        }
        if !self.options.failures_only && self.reader.counted_prompts(newest)? > most {
            only.push(format!("the newest {newest} prompts"));
        }
        Ok((!only.is_empty()).then(|| only.join(" and ")))
    }
}

// What succeeded after a command had failed: reported as an event, never as advice.

/// How many of the newest commands of each kind are read.
const MAX_COMMANDS: u32 = 100_000;

/// The kinds of commands that succeeded.
const SUCCESS_KINDS: [ObservationKind; 3] =
    [ObservationKind::Command, ObservationKind::GitCommit, ObservationKind::GitPush];

/// How many of the sessions in which a command failed are read, newest first.
const MAX_SESSIONS: usize = 5;

/// How many steps after a failure can still be related to it.
const MAX_STEPS: u32 = 40;

/// For each command, its newest run with exit 0 after its last failure.
pub(super) fn ran_later(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    hidden: &HiddenProjects,
    commands: &[(String, Tally)],
) -> Result<Vec<Option<Ran>>, Fault> {
    let Some(since) = commands.iter().map(|(_, tally)| tally.last).min() else {
        return Ok(Vec::new());
    };
    let reach = Reach { project, since: Some(since), newest: MAX_COMMANDS };
    let places: HashMap<&str, usize> =
        commands.iter().enumerate().map(|(place, (pattern, _))| (pattern.as_str(), place)).collect();
    let mut newest: Vec<Option<Occurrence>> = vec![None; commands.len()];
    for kind in SUCCESS_KINDS {
        reader.visit_commands(kind, reach, |one| {
            if hidden.hide(one.project) {
                return;
            }
            let Some(&place) = places.get(fold::command(&one.text).as_str()) else { return };
            let is_newer = newest[place].as_ref().is_none_or(|known| known.at < one.at);
            if one.at > commands[place].1.last && is_newer {
                newest[place] = Some(one);
            }
        })?;
    }
    let reported =
        |one: Option<Occurrence>| one.map(|one| ran(reader, &one.text, one.at, one.session)).transpose();
    newest.into_iter().map(reported).collect()
}

/// The next command of the same program that ended with exit 0 in a session where the command had
/// failed: the same command, or its replacement. With a project given, only commands that ran there
/// count, because a session may move to another one.
pub(super) fn worked_after(
    reader: &Reader<'_>,
    project: Option<ProjectId>,
    hidden: &HiddenProjects,
    pattern: &str,
    tally: &Tally,
) -> Result<Option<Ran>, Fault> {
    let program = fold::program(&tally.newest.text);
    let mut sessions: Vec<(Timestamp, SessionId)> =
        tally.sessions.iter().map(|(session, at)| (*at, *session)).collect();
    sessions.sort_unstable_by(|one, other| other.cmp(one));
    for (failed_at, session) in sessions.into_iter().take(MAX_SESSIONS) {
        let steps = reader.next_commands(session, failed_at, MAX_STEPS)?;
        let here = steps.into_iter().filter(|step| project.is_none() || step.project == project);
        let here = here.filter(|step| step.project.is_none_or(|there| !hidden.hide(there)));
        let well = here.filter(|step| step.outcome == Outcome::Success);
        let mut commands = well.filter_map(|step| Some((step.at, step.command?)));
        let found = commands.find(|(_, text)| {
            fold::command(text) == pattern || (!program.is_empty() && fold::program(text) == program)
        });
        if let Some((at, text)) = found {
            return ran(reader, &text, at, session).map(Some);
        }
    }
    Ok(None)
}

fn ran(reader: &Reader<'_>, text: &str, at: Timestamp, session: SessionId) -> Result<Ran, Fault> {
    Ok(Ran { command: shown(text), timestamp: unix_seconds(at), session_id: session_name(reader, session)? })
}

#[cfg(test)]
mod tests {
    use nudge_core::{Outcome, Timestamp};
    use nudge_store::{HostIdentity, Location, OpenOptions, Store};
    use serde_json::Map;

    use super::*;
    use crate::capture::{self, Action, CapturedEvent, EventBody, sample};
    use crate::learn::LearnParams;
    use nudge_core::Speaker;

    const NOW: i64 = 1_794_723_027_123;

    fn captured(number: i64, what: &EventBody) -> CapturedEvent {
        let session = format!("s-{}", number % 2);
        sample::event(&session, "/w/shop", NOW - 100_000 + number, number, what)
    }

    fn failed(number: i64, command: &str) -> CapturedEvent {
        let action = Action {
            kind: ObservationKind::CommandError,
            tool: None,
            call: None,
            body: command.into(),
            files: Vec::new(),
            outcome: Outcome::Failed { exit: Some(1) },
            metadata: Map::new(),
        };
        captured(number, &EventBody::Action(action))
    }

    fn said(number: i64, text: &str) -> CapturedEvent {
        captured(number, &EventBody::Prompt { text: text.into(), by: Speaker::Person })
    }

    fn reported(captured_events: &[CapturedEvent], newest: u32) -> LearnAnswer {
        let now = Timestamp::from_millis(NOW);
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now,
            busy: std::time::Duration::from_secs(1),
            backups: None,
        })
        .expect("opens");
        store
            .write(nudge_store::Durability::Passive, |writer| {
                captured_events
                    .iter()
                    .try_for_each(|captured| capture::store_event(writer, captured, &[]).map(drop))
            })
            .expect("kept");
        let options = LearnParams::default().checked().expect("the defaults are right");
        let options = LearnOptions { newest, ..options };
        store
            .read(|reader| report(reader, None, &options, now, &HiddenProjects::default()))
            .expect("reported")
    }

    #[test]
    fn what_is_older_than_the_newest_is_not_counted_and_that_is_said() {
        let mut captured_events: Vec<CapturedEvent> =
            (1..=4).map(|number| failed(number, "make old")).collect();
        captured_events.extend((5..=9).map(|number| failed(number, "make new")));
        captured_events.extend((10..=16).map(|number| said(number, "draw the router map")));
        let all = reported(&captured_events, 100);
        let commands: Vec<&str> = all.failed_commands.iter().map(|repeat| &*repeat.newest).collect();
        assert_eq!((commands, all.looked_at.only), (vec!["make new", "make old"], None));
        let cut = reported(&captured_events, 6);
        let commands: Vec<(&str, u64)> =
            cut.failed_commands.iter().map(|repeat| (&*repeat.newest, repeat.count)).collect();
        assert_eq!(commands, [("make new", 5)]);
        assert_eq!((cut.looked_at.failed_commands, cut.looked_at.prompts), (6, 6));
        assert_eq!(
            cut.looked_at.only.as_deref(),
            Some("the newest 6 failed commands and the newest 6 prompts")
        );
    }
}
