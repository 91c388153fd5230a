//! Runs the binary as an unprivileged user, because file modes do not stop root.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::home::search_path;
use crate::outcome::Outcome;

/// A uid that owns nothing: `nobody` on every system we know.
pub const NOBODY: u32 = 65_534;

/// Whether a test can act as two users, which only root can.
///
/// Anyone else must explicitly skip such tests: a test that passes without checking would also pass
/// with a broken guard.
pub fn two_users(uid: u32) -> bool {
    assert!(
        uid == 0 || std::env::var_os("NUDGE_TESTS_WITHOUT_ROOT").is_some(),
        "this test plays two users and needs root; NUDGE_TESTS_WITHOUT_ROOT=1 leaves such tests out"
    );
    uid == 0
}

/// A home owned by an unprivileged user, and the binary copied where that user can run it.
pub struct Unprivileged {
    dir: TempDir,
    uid: u32,
    binary: PathBuf,
}

impl Unprivileged {
    /// Copies `binary` to a world-readable directory. As root the calls run as [`NOBODY`]; anyone
    /// else is already unprivileged.
    pub fn new(binary: &Path) -> Self {
        let dir = tempfile::Builder::new().prefix("nu").tempdir().expect("a temporary directory can be made");
        let me = fs::metadata(dir.path()).expect("a fresh directory can be read").uid();
        let uid = if me == 0 { NOBODY } else { me };
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).expect("it is ours");
        let copy = dir.path().join("nudge");
        fs::copy(binary, &copy).expect("the binary under test can be read");
        fs::set_permissions(&copy, Permissions::from_mode(0o755)).expect("it is ours");
        let this = Self { dir, uid, binary: copy };
        this.make_dir(&this.home(), 0o700);
        this
    }

    /// The HOME of every call.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The uid that calls run as.
    pub fn uid(&self) -> u32 {
        self.uid
    }

    /// Creates a directory that belongs to that user.
    pub fn make_dir(&self, path: &Path, mode: u32) {
        fs::create_dir_all(path).expect("a directory below a fresh one can be made");
        self.give(path, mode);
    }

    /// Gives a path to that user, with this mode.
    pub fn give(&self, path: &Path, mode: u32) {
        chown(path, Some(self.uid), Some(self.uid)).expect("root may give away, others own it already");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours or we are root");
    }

    /// A command of the binary as that user, with only HOME and PATH set.
    pub fn command(&self) -> Command {
        let mut command = if self.uid == NOBODY {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]).arg(&self.binary);
            command
        } else {
            Command::new(&self.binary)
        };
        command.env_clear().env("HOME", self.home()).env("PATH", search_path()).current_dir(self.dir.path());
        command
    }

    /// Runs the binary with these arguments to its end.
    pub fn run<I, S>(&self, args: I) -> Outcome
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let output =
            self.command().args(args).stdin(Stdio::null()).output().expect("setpriv and the binary start");
        Outcome::new(output, self.home())
    }
}
