//! Who may see and change a hint. Only the user changes what the user stated. An agent may only
//! speak for the place it works in: its directory, repository, branch and system.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nudge_core::conditions::ConditionResult;
use nudge_core::text::without_controls;
use nudge_core::{Conditions, Context, Fault, FaultKind, Hint, Os, Provenance, glob, repo};
use nudge_home::{git, surroundings};
use nudge_store::HintRow;

use crate::caller::Ambient;
use crate::operation::OpContext;
use crate::projects::{self, CallerPlace};

/// Why an agent's change becomes a proposal; `None` if the caller may make it directly.
pub(super) fn why_proposal(
    ctx: &OpContext<'_>,
    current: Option<&Hint>,
    conditions: &Conditions,
) -> Result<Option<String>, Fault> {
    if ctx.caller.surface.is_user() {
        return Ok(None);
    }
    if current.is_some_and(|hint| hint.writer.is_by_user()) {
        return Ok(Some("the user stated this hint, and only the user can change it".to_owned()));
    }
    let failed = unmet_elsewhere(&own_place(ctx)?, conditions);
    Ok(failed.map(|failed| {
        format!("your own place does not meet its conditions ({failed}); only the user can state hints for other places")
    }))
}

/// The facts of the caller's own place. For a call without a directory, these are the facts of the
/// root of the project that the call belongs to.
pub(super) fn own_place(ctx: &OpContext<'_>) -> Result<Context, Fault> {
    if let Ambient::Here(here) = &ctx.caller.ambient {
        return Ok(here.clone());
    }
    let project = CallerPlace::of(ctx.store(), ctx.caller)?.project;
    let root = project.map(|id| ctx.store().project_root(id)).transpose()?.flatten();
    Ok(match root.filter(|root| Path::new(root).is_dir()) {
        Some(root) => surroundings::here(Path::new(&root)),
        None => Context { os: Os::from_name(std::env::consts::OS), ..Context::unknown() },
    })
}

/// The first condition on directory, repository, branch or system that is not about the caller's
/// own place. A directory is, if its pattern matches the caller's or can only match below it.
fn unmet_elsewhere(here: &Context, conditions: &Conditions) -> Option<String> {
    let own_repo = |address: &&String| here.repo.as_deref().is_some_and(|own| repo::same(address, own));
    if let Some(other) = conditions.repo.iter().find(|address| !own_repo(address)) {
        return Some(format!("repo: {}", without_controls(&repo::canonical(other), 200)));
    }
    let places = own_places(here);
    let matches = |glob: &str| {
        places.iter().filter_map(|place| place.to_str()).any(|place| glob::matches_path(glob, place))
    };
    let own_directory = |glob: &&String| matches(glob) || is_below(&places, &fixed_part(glob));
    if let Some(other) = conditions.cwd_glob.iter().find(|glob| !own_directory(glob)) {
        return Some(format!("cwd_glob: {}", without_controls(other, 200)));
    }
    // A place whose branch or system nobody knows does not contradict them.
    let branch = if here.branch.is_some() { conditions.branch.clone() } else { Vec::new() };
    let os = if here.os.is_some() { conditions.os.clone() } else { Vec::new() };
    let rest = Conditions { branch, os, ..Conditions::default() };
    match rest.check(here) {
        ConditionResult::Met { .. } => None,
        ConditionResult::Failed { condition } => Some(without_controls(&condition, 200)),
    }
}

/// Rejects an agent's claim to be in another place than the one it works in: a directory outside
/// its project, or a repository that is not the one there. Everything below the directory that the
/// agent was started in is its own.
///
/// `here` is the caller's real place; `cwd` and `repository` are what it claims.
pub fn check_claim(here: &Context, cwd: Option<&str>, repository: Option<&str>) -> Result<(), Fault> {
    if let Some(cwd) = cwd
        && !is_below(&own_places(here), Path::new(cwd))
    {
        return Err(elsewhere(here, "cwd", cwd));
    }
    if let Some(claimed) = repository {
        let moved = cwd.map(|cwd| nudge_home::surroundings::here(Path::new(cwd)));
        let own = moved.as_ref().unwrap_or(here).repo.as_deref();
        if !own.is_some_and(|own| repo::same(claimed, own)) {
            return Err(elsewhere(here, "repo", claimed));
        }
    }
    Ok(())
}

fn elsewhere(here: &Context, field: &str, claimed: &str) -> Fault {
    let shown = without_controls(claimed, 200);
    let stands = here.cwd.as_deref().unwrap_or("an unknown directory");
    let why = format!("you work in {stands}; `{shown}` is another place");
    Fault::new(FaultKind::Forbidden, "other_place", why)
        .with("field", format!("context.{field}"))
        .next("remove it: the facts of your own directory are filled in")
}

/// The caller's own directories: the current one and the root of the repository around it, each as
/// written and with links resolved.
fn own_places(here: &Context) -> Vec<PathBuf> {
    let Some(cwd) = here.cwd.as_deref().map(Path::new) else { return Vec::new() };
    let mut places = vec![cwd.to_owned()];
    places.extend(git::checkout(cwd).map(|place| place.root));
    let real: Vec<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
    places.extend(real);
    places
}

fn is_below(places: &[PathBuf], path: &Path) -> bool {
    if path.components().any(|part| part.as_os_str() == "..") {
        return false;
    }
    let real = path.canonicalize().ok();
    let below = |path: &Path| places.iter().any(|place| path.starts_with(place));
    match &real {
        // A link below the caller's own directory may lead anywhere; its target counts.
        Some(real) => below(real),
        None => below(path),
    }
}

/// The fixed directory of a glob: its parts before the first wildcard.
pub(super) fn fixed_part(glob: &str) -> PathBuf {
    let wild = |part: &&str| part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = glob.split('/').take_while(|part| !wild(part)).collect();
    let fixed = parts.join("/");
    if fixed.is_empty() && glob.starts_with('/') { PathBuf::from("/") } else { PathBuf::from(fixed) }
}

// Which hints are open to a caller. Hints stated in a private project are closed to callers
// outside it.

/// Keeps the hints that are open to the caller.
pub(crate) fn only_open(ctx: &OpContext<'_>, rows: Vec<HintRow>) -> Result<Vec<HintRow>, Fault> {
    let mut closed: HashMap<String, bool> = HashMap::new();
    let mut open = Vec::with_capacity(rows.len());
    for row in rows {
        let mut is_open = true;
        for key in [&row.entry.origin, &row.entry.writer].into_iter().filter_map(|from| from.project.as_ref())
        {
            is_open &= !match closed.get(key) {
                Some(known) => *known,
                None => {
                    let found = projects::is_hidden_from(ctx.store(), ctx.caller, key)?;
                    closed.insert(key.clone(), found);
                    found
                }
            };
        }
        if is_open {
            open.push(row);
        }
    }
    Ok(open)
}

/// Whether an entry with this provenance is closed to the caller.
pub(super) fn is_closed(ctx: &OpContext<'_>, from: &Provenance) -> Result<bool, Fault> {
    from.project.as_deref().map_or(Ok(false), |key| projects::is_hidden_from(ctx.store(), ctx.caller, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(globs: &[&str]) -> Conditions {
        Conditions {
            cwd_glob: globs.iter().map(|glob| (*glob).to_owned()).collect(),
            ..Conditions::default()
        }
    }

    #[test]
    fn an_agent_speaks_for_what_lies_below_it() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let root = dir.path().canonicalize().expect("exists");
        std::fs::create_dir_all(root.join("web/src")).expect("created");
        std::fs::create_dir_all(root.join("web/.git")).expect("created");
        std::fs::write(root.join("web/.git/HEAD"), "ref: refs/heads/main\n").expect("written");
        std::fs::create_dir_all(root.join("shop")).expect("created");
        let here = surroundings::here(&root.join("web/src"));
        let own = |glob: &str| unmet_elsewhere(&here, &globs(&[glob])).is_none();
        let below = |glob: &str| own(&format!("{}/{glob}", root.display()));
        assert!(below("web/**") && below("web/src/*.rs") && below("web/new/**"));
        assert!(below("**") && below("w*/**") && below("{web,shop}/**") && own("**/web/src"));
        assert!(!below("shop/**") && !below("web-other/**") && !own("**/shop/**"));
        assert_eq!(unmet_elsewhere(&here, &Conditions::default()), None);
        assert!(unmet_elsewhere(&here, &globs(&["**/web/**", "**/shop/**"])).is_some());
    }

    #[test]
    fn a_condition_that_the_own_place_does_not_meet_is_named() {
        let here = Context { branch: Some("main".to_owned()), os: Some(Os::Linux), ..Context::unknown() };
        let unmet = |conditions: Conditions| unmet_elsewhere(&here, &conditions);
        let branch = |name: &str| Conditions { branch: vec![name.to_owned()], ..Conditions::default() };
        let os = |os: &[Os]| Conditions { os: os.to_vec(), ..Conditions::default() };
        assert_eq!(unmet(branch("ma*")), None);
        assert_eq!(unmet(branch("dev")).as_deref(), Some("branch: \"main\" matches none of dev"));
        assert_eq!(unmet(os(&[Os::Darwin, Os::Linux])), None);
        assert!(unmet(os(&[Os::Windows])).is_some());
        assert_eq!(unmet_elsewhere(&Context::unknown(), &branch("hotfix/*")), None);
        let repo = Conditions { repo: vec!["git:ada/web".to_owned()], ..Conditions::default() };
        assert!(unmet(repo).is_some());
    }

    #[test]
    fn a_link_counts_for_where_it_leads() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let root = dir.path().canonicalize().expect("exists");
        for name in ["web", "shop"] {
            std::fs::create_dir(root.join(name)).expect("created");
        }
        std::os::unix::fs::symlink(root.join("shop"), root.join("web/link")).expect("linked");
        let here = nudge_home::surroundings::here(&root.join("web"));
        let claim =
            |path: &str| check_claim(&here, root.join(path).to_str(), None).map_err(|fault| fault.reason);
        assert_eq!(claim("web/sub"), Ok(()));
        assert_eq!(claim("web/link"), Err("other_place".to_owned()));
        assert_eq!(claim("web/../shop"), Err("other_place".to_owned()));
        assert_eq!(claim("shop"), Err("other_place".to_owned()));
    }
}
