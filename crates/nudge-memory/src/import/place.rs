//! Where an imported event happened: its project, whether it may be stored, and whether it already
//! is.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use nudge_core::{Fault, ObservationKind, Timestamp};
use nudge_home::{Home, Settings, settings};
use nudge_store::{Reader, SessionId};

use crate::capture::{CapturedEvent, EventBody, ProjectRef, pause, project};

/// A directory in which something happened.
#[derive(Debug)]
pub(super) struct ImportDirectory {
    pub(super) project: ProjectRef,
    pub(super) settings: Settings,
    /// Why nothing in it is stored; `None` if it may be.
    pub(super) off: Option<&'static str>,
}

/// The directories seen so far, cached because resolving one reads files.
#[derive(Debug)]
pub(super) struct ImportDirectories<'i> {
    home: &'i Home,
    known: HashMap<(Option<String>, Option<String>), Rc<ImportDirectory>>,
}

impl<'i> ImportDirectories<'i> {
    pub(super) fn new(home: &'i Home) -> Self {
        Self { home, known: HashMap::new() }
    }

    /// The place of an event, by its directory and the one its session began in.
    pub(super) fn at(&mut self, cwd: Option<&str>, first: Option<&str>) -> Rc<ImportDirectory> {
        let key = (cwd.map(str::to_owned), first.map(str::to_owned));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let dir = project_dir(cwd, first);
        let dir = dir.as_deref();
        let resolved = settings::load(self.home, dir.unwrap_or(Path::new("/")), Vec::new()).ok();
        let is_sure = resolved.as_ref().is_some_and(|resolved| resolved.unsure.is_empty());
        let settings = resolved.map(|resolved| resolved.settings).unwrap_or_default();
        let project = project::resolve(dir, settings.project.as_deref());
        let off = match pause::is_off(&settings, &project, cwd) {
            true => Some("excluded"),
            // Unreadable settings may exclude anything.
            false => (!is_sure).then_some("settings"),
        };
        let place = Rc::new(ImportDirectory { project, settings, off });
        self.known.insert(key, place.clone());
        place
    }
}

/// Folders inside a checkout in which worktrees are made.
const FOLDERS_INSIDE: [&str; 3] = ["/.worktrees/", "/.claude/worktrees/", "/worktrees/"];

/// Name endings of such folders next to a checkout.
const ENDINGS_BESIDE: [&str; 3] = ["__worktrees/", ".worktrees/", "-worktrees/"];

/// The directory to resolve the project from. A deleted one belongs to the checkout that contained
/// it; otherwise the session's first directory is used.
fn project_dir(cwd: Option<&str>, first: Option<&str>) -> Option<PathBuf> {
    let given = |dir: Option<&str>| dir.map(PathBuf::from).filter(|dir| dir.is_absolute());
    let (cwd, first) = (given(cwd), given(first));
    let there = |dir: &Option<PathBuf>| dir.as_deref().and_then(existing_dir);
    there(&cwd).or_else(|| there(&first)).or_else(|| first.or(cwd).map(|dir| checkout(&dir)))
}

/// The directory if it exists, or the existing part of a deleted one if that is inside a checkout.
fn existing_dir(dir: &Path) -> Option<PathBuf> {
    if dir.is_dir() {
        return Some(dir.to_owned());
    }
    let left = dir.ancestors().find(|dir| dir.is_dir())?;
    let is_checkout = left.ancestors().any(|dir| dir.join(".git").exists());
    if is_checkout {
        return Some(left.to_owned());
    }
    let beside = checkout(dir);
    (beside != dir && beside.is_dir()).then_some(beside)
}

/// The checkout of a deleted worktree, derived from its path.
fn checkout(dir: &Path) -> PathBuf {
    let path = format!("{}/", dir.to_string_lossy());
    let inside = FOLDERS_INSIDE.iter().filter_map(|folder| path.find(folder)).min();
    let beside =
        ENDINGS_BESIDE.iter().filter_map(|end| path.find(end)).filter(|at| !path[..*at].ends_with('/')).min();
    match [inside, beside].into_iter().flatten().min() {
        Some(at) if at > 0 => PathBuf::from(&path[..at]),
        _ => dir.to_owned(),
    }
}

// Checks, without writing, whether the memory already contains a captured event.

/// An imported event was already captured by a hook if session, kind and input match within this
/// time.
const IMPORT_WINDOW_MS: i64 = 5_000;

/// Whether it would be a duplicate. `matched` contains the identities seen in this run.
pub(super) fn is_known(
    reader: &Reader<'_>,
    captured: &CapturedEvent,
    matched: &mut HashSet<i64>,
) -> Result<bool, Fault> {
    let (identity, at) = (captured.identity, Timestamp::from_millis(captured.at));
    if !matched.insert(identity.hash) {
        return Ok(true);
    }
    let session = reader.agent_session_by_name(&captured.session)?.map(|session| session.id);
    let observed = |kind, body| -> Result<bool, Fault> {
        Ok(reader.known_observation(identity.hash, at, identity.within_ms)?.is_some()
            || match session {
                Some(session) => same(reader, session, kind, body, at)?,
                None => false,
            })
    };
    match &captured.what {
        EventBody::Seen | EventBody::Subagent | EventBody::About { .. } => Ok(true),
        EventBody::Said { call: Some(_), .. } => Ok(reader.known_prompt(identity.hash, at, None)?.is_some()),
        EventBody::Prompt { text, .. } | EventBody::Said { text, .. } => {
            let matched = |session: SessionId| reader.same_prompt(session, text, at, IMPORT_WINDOW_MS);
            Ok(reader.known_prompt(identity.hash, at, identity.within_ms)?.is_some()
                || session.map(matched).transpose()?.flatten().is_some())
        }
        EventBody::Action(action) => observed(action.kind, &action.body),
        EventBody::Concluded { text, .. } => observed(ObservationKind::Conclusion, text),
        EventBody::Start { source, .. } => observed(ObservationKind::SessionStart, source),
        EventBody::End { reason } => {
            observed(ObservationKind::SessionEnd, reason.as_deref().unwrap_or("end"))
        }
        EventBody::Compact { trigger, .. } => {
            observed(ObservationKind::SessionCompact, trigger.as_deref().unwrap_or("compact"))
        }
    }
}

fn same(
    reader: &Reader<'_>,
    session: SessionId,
    kind: ObservationKind,
    body: &str,
    at: Timestamp,
) -> Result<bool, Fault> {
    Ok(reader.same_observation(session, kind, body, at, IMPORT_WINDOW_MS)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_that_is_gone_belongs_to_its_checkout() {
        let of = |dir: &str| checkout(Path::new(dir)).to_string_lossy().into_owned();
        assert_eq!(of("/u/ada/shop/.worktrees/2"), "/u/ada/shop");
        assert_eq!(of("/u/ada/shop/.claude/worktrees/fix-a/src"), "/u/ada/shop");
        assert_eq!(of("/u/ada/shop__worktrees/fix"), "/u/ada/shop");
        assert_eq!(of("/u/ada/shop.worktrees/fix"), "/u/ada/shop");
        assert_eq!(of("/u/ada/shop"), "/u/ada/shop");
        assert_eq!(of("/worktrees/shop"), "/worktrees/shop");
    }

    #[test]
    fn the_sessions_first_directory_stands_for_one_that_is_gone() {
        let dir = tempfile::TempDir::new().expect("a temporary directory");
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let (shop, other) = (path("shop"), path("other"));
        std::fs::create_dir_all(dir.path().join("shop/.git")).expect("made");
        std::fs::create_dir_all(dir.path().join("other")).expect("made");
        let stands = |cwd: &str, first: &str| project_dir(Some(cwd), Some(first));
        assert_eq!(stands(&other, &shop), Some(other.clone().into()));
        assert_eq!(stands(&path("gone"), &shop), Some(shop.clone().into()));
        assert_eq!(stands(&path("shop/.worktrees/1"), &other), Some(shop.clone().into()));
        assert_eq!(stands(&path("shop.worktrees/1"), &other), Some(shop.into()));
        assert_eq!(stands("/gone/a/b", "/gone/a"), Some("/gone/a".into()));
        assert_eq!(stands("/gone/a/.worktrees/1/b", "/gone/a/.worktrees/1"), Some("/gone/a".into()));
    }
}
