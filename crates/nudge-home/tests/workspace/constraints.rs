//! The person's patterns decide what a scan lists.

use nudge_home::workspace::ConstraintKind::{Add, Ignore, ReadOnly};
use nudge_home::workspace::{Constraint, constraint_of};

use super::support::Project;

fn project() -> Project {
    let project = Project::new();
    project.put(".gitignore", "dist/\n.env\n*.log\n");
    for path in ["src/a.rs", "src/gen/b.rs", ".env", "x.log", "dist/a.js", "dist/deep/b.js", "dist/c.css"] {
        project.put(path, "x");
    }
    project
}

/// @files_constraints `ignore` takes files out of a scan, a later `add` brings some of them back.
#[test]
fn ignored_files_are_not_listed() {
    let project = project();
    assert_eq!(project.listed(&[]), [".gitignore", "src/a.rs", "src/gen/b.rs"]);
    assert_eq!(project.listed(&[("src/gen", Ignore)]), [".gitignore", "src/a.rs"]);
    assert_eq!(project.listed(&[("**", Ignore), ("src/gen/**", Add)]), ["src/gen/b.rs"]);
    assert_eq!(project.listed(&[("src/gen/**", Add), ("**", Ignore)]), [""; 0]);
    assert_eq!(project.listed(&[("src", ReadOnly)]), [".gitignore", "src/a.rs", "src/gen/b.rs"]);
}

/// @files_constraints `add` and `readonly` bring back a file that git ignores, if they name its
/// place.
#[test]
fn a_named_file_is_listed_although_git_ignores_it() {
    let project = project();
    let with = |more: &[&'static str]| {
        let mut all: Vec<_> =
            [".gitignore", "src/a.rs", "src/gen/b.rs"].iter().chain(more).copied().collect();
        all.sort_unstable();
        all
    };
    assert_eq!(project.listed(&[(".env", Add)]), with(&[".env"]));
    assert_eq!(project.listed(&[("dist/*.js", ReadOnly)]), with(&["dist/a.js"]));
    assert_eq!(project.listed(&[("dist/deep/b.js", Add)]), with(&["dist/deep/b.js"]));
    let all = with(&["dist/a.js", "dist/c.css", "dist/deep/b.js"]);
    assert_eq!(project.listed(&[("dist", Add)]), all);
    assert_eq!(
        project.listed(&[("dist/**", Add), ("dist/deep/**", Ignore)]),
        with(&["dist/a.js", "dist/c.css"])
    );
    for pattern in ["**", "*", "**/*.js", "*.log"] {
        assert_eq!(project.listed(&[(pattern, Add)]), with(&[]), "{pattern}");
    }
}

/// @files_constraints The last pattern that matches a path decides about it.
#[test]
fn the_last_pattern_decides() {
    let rules = [("**", ReadOnly), ("src/**", Add)];
    let rules = rules.map(|(pattern, kind)| Constraint { pattern: pattern.into(), kind });
    assert_eq!(constraint_of(&rules, "src/a.rs"), Some(Add));
    assert_eq!(constraint_of(&rules, "Cargo.lock"), Some(ReadOnly));
    assert_eq!(constraint_of(&rules[1..], "Cargo.lock"), None);
}
