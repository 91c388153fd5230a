//! The files of a call: absolute where possible, normalised, without Nudge's own files.

use std::path::Path;

use super::text;
use crate::capture::project::normal;

/// A patch may touch more files; these are enough to show what it was about.
const FILES_MOST: usize = 50;

/// Linux opens no longer path.
const PATH_MOST: usize = 4096;

/// The files; `None` if there were some and all are Nudge's own.
pub(super) fn of(given: &[&str], cwd: Option<&str>, own_root: Option<&str>) -> Option<Vec<String>> {
    let mut files: Vec<String> = Vec::new();
    let mut own = false;
    for file in given {
        let file = absolute(file, cwd);
        if own_root.is_some_and(|root| !root.is_empty() && Path::new(&file).starts_with(root)) {
            own = true;
        } else if file.len() <= PATH_MOST
            && files.len() < FILES_MOST
            && !file.is_empty()
            && !files.contains(&file)
        {
            files.push(file);
        }
    }
    (!own || !files.is_empty()).then_some(files)
}

/// Makes a path absolute. URLs and paths of other systems are unchanged.
fn absolute(file: &str, cwd: Option<&str>) -> String {
    let file = text::clean(file).into_owned();
    let elsewhere = file.contains("://") || file.starts_with('~') || file.contains('\\');
    match cwd {
        _ if elsewhere || file.is_empty() => file,
        Some(cwd) => shown(&Path::new(cwd).join(&file)),
        None => shown(Path::new(&file)),
    }
}

fn shown(path: &Path) -> String {
    normal(path).to_string_lossy().replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, cwd: Option<&str>) -> String {
        absolute(file, cwd)
    }

    #[test]
    fn files_are_absolute_where_the_directory_is_known() {
        assert_eq!(check("a/../b.rs", Some("/p")), "/p/b.rs");
        assert_eq!(check("/x/./y", Some("/p")), "/x/y");
        assert_eq!(check("./a", None), "a");
        assert_eq!(check(".", Some("/p")), "/p");
        for other in ["~/x", "file:///x/../y", "C:\\x\\..\\y", ""] {
            assert_eq!(check(other, Some("/p")), other);
        }
    }

    #[test]
    fn our_own_files_are_left_out() {
        let of = |files: &[&str]| super::of(files, Some("/p"), Some("/home/own"));
        assert_eq!(of(&["/home/own/memory.db"]), None);
        assert_eq!(of(&["../home/own/x", "a"]), Some(vec!["/p/a".to_owned()]));
        assert_eq!(of(&["/home/owner"]), Some(vec!["/home/owner".to_owned()]));
        assert_eq!(of(&[]), Some(Vec::new()));
    }
}
