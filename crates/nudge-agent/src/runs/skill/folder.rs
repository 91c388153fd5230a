//! The files of a folder. No link in it is followed.

use nudge_core::Fault;
use nudge_home::workspace::{Constraint, ConstraintKind, FileError, ScanRules, Workspace};

use super::files::{self, FILE_MOST, Files, LOOKED_AT_MOST};

/// Reads the Markdown files of a folder of a workspace; an empty path is the workspace itself. The
/// constraints are what the user says about the files there.
pub(super) fn read(
    workspace: &Workspace,
    folder: &str,
    constraints: Vec<Constraint>,
) -> Result<Files, Fault> {
    let rules = ScanRules { max_files: LOOKED_AT_MOST, ..ScanRules::without_user(only(folder, constraints)) };
    let scan = workspace.scan(&rules, &|| false);
    if scan.is_truncated {
        return Err(files::too_large(&format!("a folder of a skill has at most {LOOKED_AT_MOST} files")));
    }
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut files = Files::default();
    for unread in scan.unread.iter().filter(|dir| dir.starts_with(&prefix)) {
        files.leave_out(unread, "it cannot be read");
    }
    let mut wanted = Vec::new();
    for file in &scan.files {
        let Some(below) = file.path.strip_prefix(&prefix) else { continue };
        match files::unfit(below) {
            Some(why) => files.leave_out(below, why),
            None => wanted.push((file, below)),
        }
    }
    files::check_count(wanted.len())?;
    for (file, below) in wanted {
        let found = workspace.resolve(&file.path).map_err(FileError::from);
        match found.and_then(|path| workspace.read_bytes(&path, FILE_MOST)) {
            Ok(bytes) => match files::text_of(bytes) {
                Ok(text) => files.add(below, text)?,
                Err(why) => files.leave_out(below, why),
            },
            Err(FileError::TooLarge { .. }) => {
                files.leave_out(below, &format!("it is larger than {FILE_MOST} bytes"));
            }
            Err(FileError::Link { .. }) => files.leave_out(below, "it is a link"),
            Err(_) => files.leave_out(below, "it cannot be read"),
        }
    }
    Ok(files)
}

/// Limits a scan to a folder, and shows it even if git ignores it. The user's own patterns decide
/// last.
fn only(folder: &str, constraints: Vec<Constraint>) -> Vec<Constraint> {
    if folder.is_empty() {
        return constraints;
    }
    let mut all = vec![
        Constraint { pattern: "**".to_owned(), kind: ConstraintKind::Ignore },
        Constraint { pattern: literal(folder), kind: ConstraintKind::Add },
    ];
    all.extend(constraints.into_iter().filter(|one| one.kind == ConstraintKind::Ignore));
    all
}

/// A pattern that matches only this path.
fn literal(path: &str) -> String {
    let mut pattern = String::new();
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',' | '!') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
