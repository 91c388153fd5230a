//! Which files belong to a project: the patterns that a person sets.
//!
//! A pattern is a glob over the path from the root. `*` and `?` stay within one part, `**` crosses
//! parts, `[a-z]` is a class, `{a,b}` an alternative, `\*` a literal star. A pattern that matches a
//! directory covers everything in it, so `vendor`, `vendor/` and `vendor/**` mean the same files.
//! If several patterns match, the last one decides, as in a `.gitignore`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use nudge_core::glob::MAX_GLOB_CHARS;

nudge_core::named_enum! {
    /// What a constraint does with the files that it matches.
    #[derive(Default)]
    pub enum ConstraintKind {
        /// The file belongs to the project and may be changed.
        #[default]
        Add => "add",
        /// The file belongs to the project, and proposals to change it are refused.
        ReadOnly => "readonly",
        /// Scans do not see the file. It stays on disk for commands.
        Ignore => "ignore",
    }
}

/// A pattern and what holds for the files that it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// A glob over the path from the root.
    pub pattern: String,
    /// What holds.
    pub kind: ConstraintKind,
}

impl Constraint {
    /// Whether the pattern can be used; the text says why not.
    pub fn check(&self) -> Result<(), String> {
        let chars = self.pattern.chars().count();
        if chars > MAX_GLOB_CHARS {
            return Err(format!("the pattern has {chars} characters; the limit is {MAX_GLOB_CHARS}"));
        }
        if bare(&self.pattern).is_empty() {
            return Err("a pattern cannot be empty; use `**` for every file".into());
        }
        if self.pattern.starts_with('/') || bare(&self.pattern).split('/').any(|part| part == "..") {
            return Err(format!("`{}` leaves the root", self.pattern));
        }
        glob_of(&self.pattern).map(drop).map_err(|error| error.kind().to_string())
    }
}

/// What holds for a path: the kind of the last constraint that matches it, or `None`.
///
/// An invalid pattern matches nothing.
pub fn constraint_of(constraints: &[Constraint], path: &str) -> Option<ConstraintKind> {
    ConstraintSet::new(constraints).last_match(path).map(|found| found.kind)
}

/// Constraints compiled once for many paths.
pub(super) struct ConstraintSet<'c> {
    globs: GlobSet,
    valid: Vec<&'c Constraint>,
}

impl<'c> ConstraintSet<'c> {
    /// Compiles the valid ones.
    pub(super) fn new(constraints: &'c [Constraint]) -> Self {
        let mut builder = GlobSetBuilder::new();
        let mut valid = Vec::new();
        for constraint in constraints.iter().filter(|constraint| constraint.check().is_ok()) {
            if let Ok(glob) = glob_of(&constraint.pattern) {
                builder.add(glob);
                valid.push(constraint);
            }
        }
        match builder.build() {
            Ok(globs) => Self { globs, valid },
            Err(_) => Self { globs: GlobSet::empty(), valid: Vec::new() },
        }
    }

    /// The constraint that decides about a path.
    pub(super) fn last_match(&self, path: &str) -> Option<&'c Constraint> {
        self.globs.matches(path).last().map(|index| self.valid[*index])
    }

    /// Whether a scan sees a file. Only a pattern that names its place brings back a file that git
    /// ignores: `.env` or `dist/**`, but not `**` or `*.log`.
    pub(super) fn admits(&self, path: &str, git_ignored: bool) -> bool {
        match self.last_match(path) {
            Some(found) if found.kind == ConstraintKind::Ignore => false,
            Some(found) => !git_ignored || names_a_place(&found.pattern),
            None => !git_ignored,
        }
    }

    /// Whether a scan must look into a directory: nothing excludes it, or a pattern names
    /// something in it.
    pub(super) fn admits_dir(&self, path: &str, git_ignored: bool) -> bool {
        let excluded = self.last_match(path).is_some_and(|found| found.kind == ConstraintKind::Ignore);
        let mut adding = self.valid.iter().filter(|found| found.kind != ConstraintKind::Ignore);
        match (excluded, git_ignored) {
            (false, false) => true,
            (_, true) => adding.any(|found| names_a_place(&found.pattern) && may_match_in(found, path)),
            (true, false) => adding.any(|found| may_match_in(found, path)),
        }
    }
}

/// A pattern without the ways to say "from here" and "this directory".
fn bare(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if pattern.ends_with("\\/") { pattern } else { pattern.trim_end_matches('/') }
}

fn glob_of(pattern: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(&format!("{}{{,/**}}", bare(pattern)))
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
}

/// The text before the first special character.
fn literal_start(pattern: &str) -> &str {
    let pattern = bare(pattern);
    &pattern[..pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len())]
}

fn names_a_place(pattern: &str) -> bool {
    !literal_start(pattern).is_empty()
}

/// Whether a pattern could match something in a directory. In doubt yes.
fn may_match_in(constraint: &Constraint, dir: &str) -> bool {
    let start = literal_start(&constraint.pattern);
    let dir = format!("{dir}/");
    start.starts_with(&dir) || dir.starts_with(start)
}

#[cfg(test)]
mod tests {
    use ConstraintKind::{Add, Ignore, ReadOnly};

    use super::*;

    fn of(rules: &[(&str, ConstraintKind)]) -> Vec<Constraint> {
        rules.iter().map(|(pattern, kind)| Constraint { pattern: (*pattern).into(), kind: *kind }).collect()
    }

    #[test]
    fn kinds_have_names() {
        for kind in ConstraintKind::ALL {
            assert_eq!(ConstraintKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ConstraintKind::from_name("active"), None);
        assert_eq!(ConstraintKind::default(), Add);
    }

    #[test]
    fn the_last_match_decides() {
        let rules =
            of(&[("**", ReadOnly), ("src/**", Add), ("src/gen/**", Ignore), ("src/gen/keep.rs", Add)]);
        for (path, kind) in [
            ("README.md", ReadOnly),
            ("src/main.rs", Add),
            ("src/gen/a.rs", Ignore),
            ("src/gen/keep.rs", Add),
        ] {
            assert_eq!(constraint_of(&rules, path), Some(kind), "{path}");
        }
        assert_eq!(constraint_of(&[], "a"), None);
    }

    #[test]
    fn stars_stay_within_a_part_and_a_directory_covers_its_files() {
        let one = |pattern: &str, path: &str| constraint_of(&of(&[(pattern, Ignore)]), path).is_some();
        assert!(one("*.rs", "a.rs") && !one("*.rs", "src/a.rs") && one("**/*.rs", "src/a.rs"));
        for pattern in ["vendor", "vendor/", "vendor/**", "./vendor"] {
            assert!(one(pattern, "vendor/a/b.c"), "{pattern}");
            assert!(!one(pattern, "vendored.c") && !one(pattern, "src/vendor/x"), "{pattern}");
        }
        assert!(one("{a,b}/x", "b/x") && one("[ab].c", "a.c") && one("\\*.c", "*.c") && !one("\\*.c", "a.c"));
    }

    #[test]
    fn an_invalid_pattern_matches_nothing_and_says_why() {
        for pattern in ["", "/", "./", "[", "{a", "../x", "a/../b", "/etc", &"x".repeat(501)] {
            let rules = of(&[(pattern, Ignore)]);
            assert!(rules[0].check().is_err(), "{pattern}");
            assert_eq!(constraint_of(&rules, "a"), None);
        }
        let rules = of(&[("[", Ignore), ("a", ReadOnly)]);
        assert_eq!(constraint_of(&rules, "a"), Some(ReadOnly));
    }

    #[test]
    fn only_a_pattern_that_names_a_place_brings_an_ignored_file_back() {
        let admits = |pattern: &str, path: &str| {
            let rules = of(&[(pattern, Add)]);
            ConstraintSet::new(&rules).admits(path, true)
        };
        assert!(admits(".env", ".env") && admits("dist/**", "dist/a.js") && admits("dist/*.js", "dist/a.js"));
        assert!(!admits("**", ".env") && !admits("*.js", "a.js") && !admits("**/.env", "a/.env"));
        assert!(!admits("src", ".env"));
    }

    #[test]
    fn a_directory_is_entered_only_for_a_reason() {
        let rules = of(&[("vendor", Ignore), ("vendor/lib/keep.c", Add), ("**/*.md", Add)]);
        let set = ConstraintSet::new(&rules);
        assert!(set.admits_dir("src", false));
        assert!(set.admits_dir("vendor", false) && set.admits_dir("vendor/lib", true));
        assert!(!set.admits_dir("vendor/other", true));
        assert!(!set.admits_dir("node_modules", true));
        let rules = of(&[("vendor", Ignore), ("src", Add)]);
        assert!(!ConstraintSet::new(&rules).admits_dir("vendor", false));
    }
}
