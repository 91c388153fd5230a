//! Who may change a hint. Only the user changes what the user stated. An agent may only speak for
//! the place it works in.

use std::path::{Path, PathBuf};

use nudge_core::text::without_controls;
use nudge_core::{Conditions, Context, Fault, FaultKind, Hint, repo};

use crate::caller::{Ambient, Caller};
use nudge_home::git;

/// Why an agent's change becomes a proposal; `None` if the caller may make it directly.
pub(super) fn why_proposal(
    caller: &Caller,
    current: Option<&Hint>,
    conditions: &Conditions,
) -> Option<String> {
    if caller.surface.is_user() {
        return None;
    }
    if current.is_some_and(|hint| hint.writer.is_by_user()) {
        return Some("the user stated this hint, and only the user can change it".to_owned());
    }
    names_another_place(caller, conditions).then(|| {
        "its conditions name another repository or directory than the one you work in; only the user can state \
         hints for other places"
            .to_owned()
    })
}

/// Whether the conditions name a repository or directory that is not the caller's own. Over HTTP
/// the caller's place is unknown, so every place counts as another one.
fn names_another_place(caller: &Caller, conditions: &Conditions) -> bool {
    if conditions.repo.is_empty() && conditions.cwd_glob.is_empty() {
        return false;
    }
    let Ambient::Here(here) = &caller.ambient else { return true };
    let own_repo = |address: &String| here.repo.as_deref().is_some_and(|own| repo::same(address, own));
    if !conditions.repo.iter().all(own_repo) {
        return true;
    }
    let places = own_places(here);
    !conditions.cwd_glob.iter().all(|glob| is_below(&places, &fixed_part(glob)))
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
    places.extend(git::place(cwd).map(|place| place.root));
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
fn fixed_part(glob: &str) -> PathBuf {
    let wild = |part: &&str| part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = glob.split('/').take_while(|part| !wild(part)).collect();
    let fixed = parts.join("/");
    if fixed.is_empty() && glob.starts_with('/') { PathBuf::from("/") } else { PathBuf::from(fixed) }
}

#[cfg(test)]
mod tests {
    use nudge_core::Timestamp;

    use super::*;
    use crate::caller::Surface;

    fn agent_in(dir: &Path) -> Caller {
        let mut caller = Caller::new(Surface::Mcp, Timestamp::from_millis(0));
        caller.ambient = Ambient::Here(nudge_home::surroundings::here(dir));
        caller
    }

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
        let agent = agent_in(&root.join("web/src"));
        let own = |glob: &str| !names_another_place(&agent, &globs(&[&format!("{}/{glob}", root.display())]));
        assert!(own("web/**") && own("web/src/*.rs") && own("web/new/**"));
        assert!(
            !own("shop/**") && !own("**") && !own("web-other/**") && !own("w*/**") && !own("{web,shop}/**")
        );
        assert!(names_another_place(&agent, &globs(&["**/shop/**"])));
        assert!(!names_another_place(&agent, &Conditions::default()));
    }

    #[test]
    fn over_http_every_named_place_is_another_one() {
        let caller = Caller::new(Surface::Rpc, Timestamp::from_millis(0));
        assert!(names_another_place(&caller, &globs(&["/home/ada/web/**"])));
        let repo = Conditions { repo: vec!["git:ada/web".to_owned()], ..Conditions::default() };
        assert!(names_another_place(&caller, &repo));
        assert!(!names_another_place(&caller, &Conditions::default()));
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
