//! Where a user's memory is on disk.
//!
//! Every process of a user must find the same lock, and agents start their servers with little more
//! than `HOME` and `PATH`. So the location depends on `HOME` alone and deliberately ignores `XDG_*`
//! and `TMPDIR`. `--home` or `NUDGE_HOME` moves all of it, including the configuration.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use nudge_core::{Fault, FaultKind};

pub mod private_dir;
pub mod private_file;

/// The longest path of a Unix socket in bytes, without the final NUL (`sun_path`).
const MAX_SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The directories and files of one memory. The getters only build paths and touch nothing on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    config: PathBuf,
    is_default: bool,
}

impl Home {
    /// Finds the memory: `flag` (`--home`), else `NUDGE_HOME`, else under the user's home
    /// directory.
    pub fn locate(flag: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, Fault> {
        let given = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || Self::usual(given("HOME"));
        let moved = match (flag, given("NUDGE_HOME")) {
            (Some(path), _) => Self::at("--home", path)?,
            (None, Some(path)) => Self::at("NUDGE_HOME", &path)?,
            (None, None) => return usual(),
        };
        // The same memory by another name has the same configuration: otherwise naming it would be
        // a way around the user's settings.
        Ok(usual().ok().filter(|usual| moved.is_same_memory(usual)).unwrap_or(moved))
    }

    /// The place that every process of the user finds by itself.
    fn usual(person: Option<PathBuf>) -> Result<Self, Fault> {
        let person = person.or_else(std::env::home_dir).filter(|path| !path.as_os_str().is_empty());
        let person = person.ok_or_else(|| {
            Fault::invalid("home_unknown", "HOME is not set and this user has no home directory")
                .next("set HOME, or pass --home with an absolute directory")
        })?;
        let person = absolute("HOME", &person)?;
        Ok(Self {
            root: person.join(".local/share/nudge"),
            config: person.join(".config/nudge/config.toml"),
            is_default: true,
        })
    }

    fn at(said_by: &str, path: &Path) -> Result<Self, Fault> {
        let root = absolute(said_by, path)?;
        Ok(Self { config: root.join("config.toml"), root, is_default: false })
    }

    /// Whether both names lead to one directory or one database, through links or not.
    fn is_same_memory(&self, other: &Self) -> bool {
        let is_one = |own: &Path, other: &Path| match (fs::metadata(own), fs::metadata(other)) {
            (Ok(own), Ok(other)) => (own.dev(), own.ino()) == (other.dev(), other.ino()),
            _ => own == other,
        };
        is_one(&self.root, &other.root) || is_one(&self.db(), &other.db())
    }

    /// Whether this is the place that every process finds by itself. If not, pass `--home` on.
    pub const fn is_default(&self) -> bool {
        self.is_default
    }

    /// The directory that contains everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn db(&self) -> PathBuf {
        self.root.join("nudge.db")
    }

    /// Files of the running server: lock, state, token, socket.
    pub fn run_dir(&self) -> PathBuf {
        self.root.join("run")
    }

    /// PRIMARY locks it for as long as it lives. Never deleted.
    pub fn lock_file(&self) -> PathBuf {
        self.run_dir().join("lock")
    }

    /// PRIMARY's own data: pid, port, start, version, instance.
    pub fn state_file(&self) -> PathBuf {
        self.run_dir().join("state.json")
    }

    /// The token that clients need over TCP.
    pub fn token_file(&self) -> PathBuf {
        self.run_dir().join("token")
    }

    /// The socket of PRIMARY: in `run/`, or, if that path is too long for the system, in a private
    /// directory of this user under `/tmp`, named after the memory.
    pub fn socket(&self) -> PathBuf {
        let near = self.run_dir().join("nudge.sock");
        if near.as_os_str().len() <= MAX_SOCKET_PATH_BYTES {
            return near;
        }
        // Links and other spellings of the same directory must lead to the same socket.
        let real = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let hash = blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex();
        Path::new("/tmp")
            .join(format!("nudge-{}", private_dir::own_uid()))
            .join(format!("{}.sock", &hash[..16]))
    }

    /// The directory of the log files.
    pub fn log_dir(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Copies of the database, made before it is migrated or replaced.
    pub fn backups_dir(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// The user's configuration.
    pub fn config_file(&self) -> PathBuf {
        self.config.clone()
    }

    /// The keys of model providers. Only this user may read it.
    pub fn keys_file(&self) -> PathBuf {
        self.root.join("keys.toml")
    }

    /// Creates the root if it is missing, readable by this user only (0700).
    pub fn prepare(&self) -> Result<(), Fault> {
        if self.root.is_dir() {
            return Ok(());
        }
        if let Some(parent) = self.root.parent() {
            fs::create_dir_all(parent).map_err(|error| not_created(&self.root, error))?;
        }
        private_dir::create(&self.root).map_err(|error| not_created(&self.root, error))
    }

    /// Creates `run/` if it is missing, makes sure that nobody else can access it, and returns it.
    pub fn secure_run_dir(&self) -> Result<PathBuf, Fault> {
        let dir = self.run_dir();
        self.prepare()?;
        private_dir::secure(&dir)?;
        Ok(dir)
    }

    /// Makes sure that the socket's directory exists and is private. Returns the socket's path.
    pub fn secure_socket(&self) -> Result<PathBuf, Fault> {
        self.secure_run_dir()?;
        let socket = self.socket();
        if let Some(dir) = socket.parent().filter(|dir| *dir != self.run_dir()) {
            private_dir::secure(dir)?;
        }
        Ok(socket)
    }

    /// The socket's path if its directory exists. Creates and changes nothing: for clients that
    /// only connect. Rejects a directory that somebody else could have put there.
    pub fn existing_socket(&self) -> Result<Option<PathBuf>, Fault> {
        let socket = self.socket();
        for dir in [Some(self.run_dir().as_path()), socket.parent()].into_iter().flatten() {
            if !private_dir::inspect(dir)? {
                return Ok(None);
            }
        }
        Ok(Some(socket))
    }
}

/// An absolute path without `.` and trailing slashes. `..` stays, because only the disk knows where
/// it leads.
fn absolute(said_by: &str, path: &Path) -> Result<PathBuf, Fault> {
    if path.is_absolute() {
        return Ok(path.components().filter(|part| !matches!(part, Component::CurDir)).collect());
    }
    let why = format!("{said_by} is `{}`, which is not absolute", path.display());
    Err(Fault::invalid("home_not_absolute", why)
        .next("use an absolute path, so that every process finds the same directory"))
}

fn not_created(path: &Path, error: std::io::Error) -> Fault {
    let why = format!("cannot create {}: {error}", path.display());
    Fault::new(FaultKind::ReadOnly, "home_not_writable", why)
        .because(error)
        .with("path", path.display().to_string())
        .next("make its parent directory writable, or pass --home with a writable directory")
}

#[cfg(all(test, unix))]
mod tests;
