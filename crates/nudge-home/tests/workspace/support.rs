//! A project root with a directory outside it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use nudge_home::Workspace;
use nudge_home::workspace::{Constraint, ConstraintKind, FileError, RelativePath, Scan, ScanRules};
use tempfile::TempDir;

/// A root, and a place outside that nothing may touch.
pub struct Project {
    _dir: TempDir,
    pub root: PathBuf,
    pub outside: PathBuf,
    pub files: Workspace,
}

impl Project {
    /// An empty root. `outside/secret` is the file that must stay untouched.
    pub fn new() -> Self {
        let dir = TempDir::new().expect("temporary directory");
        let base = dir.path().canonicalize().expect("real");
        let (root, outside) = (base.join("root"), base.join("outside"));
        fs::create_dir(&root).expect("created");
        fs::create_dir(&outside).expect("created");
        fs::write(outside.join("secret"), "secret").expect("written");
        let files = Workspace::open(&root).expect("opened");
        Self { _dir: dir, root, outside, files }
    }

    /// Puts a file onto the disk, directories included.
    pub fn put(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("has one")).expect("created");
        fs::write(path, text).expect("written");
    }

    /// Puts a file onto the disk that nobody has written to for two hours.
    pub fn put_old(&self, path: &str, text: &str) {
        self.put(path, text);
        let two_hours_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        let file = fs::File::open(self.root.join(path)).expect("opened");
        file.set_modified(two_hours_ago).expect("made to look old");
    }

    /// The text on the disk.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).expect("readable")
    }

    /// A valid path.
    pub fn path(&self, path: &str) -> RelativePath {
        self.files.resolve(path).expect("a valid path")
    }

    /// The names in a directory of the root, sorted.
    pub fn names(&self, dir: &str) -> Vec<String> {
        names_in(&self.root.join(dir))
    }

    /// Asserts that outside is as it was.
    #[track_caller]
    pub fn assert_outside_untouched(&self) {
        assert_eq!(names_in(&self.outside), ["secret"]);
        assert_eq!(fs::read_to_string(self.outside.join("secret")).expect("readable"), "secret");
    }

    /// A scan without the settings of the user who runs the tests.
    pub fn scan(&self, constraints: &[(&str, ConstraintKind)]) -> Scan {
        self.files.scan(&rules(constraints), &|| false)
    }

    /// The paths that a scan lists.
    pub fn listed(&self, constraints: &[(&str, ConstraintKind)]) -> Vec<String> {
        self.scan(constraints).files.into_iter().map(|file| file.path).collect()
    }
}

/// Rules with the usual limits.
pub fn rules(constraints: &[(&str, ConstraintKind)]) -> ScanRules {
    let constraints = constraints.iter();
    let constraints =
        constraints.map(|(pattern, kind)| Constraint { pattern: (*pattern).to_owned(), kind: *kind });
    ScanRules::without_user(constraints.collect())
}

/// The code of a failure.
#[track_caller]
pub fn reason<T: std::fmt::Debug>(result: Result<T, FileError>) -> &'static str {
    result.expect_err("must fail").reason()
}

fn names_in(dir: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("listed");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
