//! What is never captured: directories and projects excluded by the user or by the project itself.

use nudge_core::glob;

use super::{CapturedEvent, EventBody, ProjectRef};
use nudge_home::Settings;

/// Whether capture is off for this project and directory.
pub fn is_off(settings: &Settings, project: &ProjectRef, cwd: Option<&str>) -> bool {
    if !settings.capture {
        return true;
    }
    settings.exclude.iter().any(|pattern| {
        *pattern == project.name
            || project.said.name.as_ref() == Some(pattern)
            || covers(pattern, &project.root)
            || cwd.is_some_and(|cwd| covers(pattern, cwd))
    })
}

/// Whether a captured event is about an excluded file, whatever the agent's directory.
pub fn touches_excluded(settings: &Settings, captured: &CapturedEvent) -> bool {
    let EventBody::Action(action) = &captured.what else { return false };
    if settings.exclude.is_empty() {
        return false;
    }
    // Check the path as given and its canonical path: a symlink may lead into an excluded
    // directory.
    let real = action.files.iter().filter_map(|file| std::fs::canonicalize(file).ok());
    let real = real.map(|path| path.to_string_lossy().into_owned());
    action
        .files
        .iter()
        .cloned()
        .chain(real)
        .any(|file| settings.exclude.iter().any(|pattern| covers(pattern, &file)))
}

/// Whether a pattern covers a path. A directory covers everything inside it.
fn covers(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    let home = pattern.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    let pattern = home.map_or_else(|| pattern.to_owned(), |home| home.to_string_lossy().into_owned());
    if !pattern.contains('/') {
        return false;
    }
    if !pattern.contains(['*', '?', '[', '{', '\\']) {
        return path.strip_prefix(&pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    glob::matches_path(&pattern, path) || glob::matches_path(&format!("{pattern}/**"), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_covers_what_lies_in_it_and_a_glob_what_it_matches() {
        assert!(covers("/srv/secret", "/srv/secret") && covers("/srv/secret/", "/srv/secret/a/b"));
        assert!(!covers("/srv/secret", "/srv/secrets"));
        assert!(
            covers("**/clients/*", "/home/ada/clients/acme")
                && covers("**/clients/*", "/home/ada/clients/acme/src")
        );
        assert!(!covers("**/clients/*", "/home/ada/client/acme"));
        assert!(!covers("acme", "/acme"), "a word is the name of a project");
    }

    #[test]
    fn names_paths_and_the_switch_exclude() {
        let project = ProjectRef {
            key: "/w/acme/.git".into(),
            name: "acme".into(),
            root: "/w/acme".into(),
            ..ProjectRef::default()
        };
        let off = |exclude: &[&str], capture: bool| {
            let exclude = exclude.iter().map(|pattern| (*pattern).to_owned()).collect();
            is_off(&Settings { exclude, capture, ..Settings::default() }, &project, Some("/w/acme/sub"))
        };
        assert!(!off(&[], true) && !off(&["other", "/x/**"], true));
        assert!(off(&[], false) && off(&["acme"], true) && off(&["/w/*"], true) && off(&["**/sub"], true));
    }
}
