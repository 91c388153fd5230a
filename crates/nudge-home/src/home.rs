//! Where a person's memory lies on disk.
//!
//! Every process of a person must find the same lock, and agents start their servers with little
//! more than `HOME` and `PATH`. So the place depends on `HOME` alone: `XDG_*` and `TMPDIR` are
//! deliberately not asked. `--home` or `NUDGE_HOME` moves all of it, the configuration included.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use nudge_core::{Fault, FaultKind};

pub mod private_dir;
pub mod private_file;

/// The longest path a Unix socket may have, without the final NUL (`sun_path`).
const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The directories and files of one memory. Naming them touches nothing on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
    config: PathBuf,
    is_default: bool,
}

impl Home {
    /// Finds the memory: `flag` (`--home`), else `NUDGE_HOME`, else under the person's home directory.
    pub fn locate(flag: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, Fault> {
        let given = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = flag {
            return Self::at("--home", path);
        }
        if let Some(path) = given("NUDGE_HOME") {
            return Self::at("NUDGE_HOME", &path);
        }
        let person = given("HOME").or_else(std::env::home_dir).filter(|path| !path.as_os_str().is_empty());
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

    /// Whether this is the place every process finds by itself. If not, `--home` must be passed on.
    pub const fn is_default(&self) -> bool {
        self.is_default
    }

    /// The directory that holds everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn db(&self) -> PathBuf {
        self.root.join("nudge.db")
    }

    /// What belongs to the running server: lock, state, token, socket.
    pub fn run_dir(&self) -> PathBuf {
        self.root.join("run")
    }

    /// Held by PRIMARY for as long as it lives. Never deleted.
    pub fn lock_file(&self) -> PathBuf {
        self.run_dir().join("lock")
    }

    /// What PRIMARY says of itself: pid, port, start, version, instance.
    pub fn state_file(&self) -> PathBuf {
        self.run_dir().join("state.json")
    }

    /// The token that programs need over TCP.
    pub fn token_file(&self) -> PathBuf {
        self.run_dir().join("token")
    }

    /// The socket of PRIMARY: in `run/`, or, where that path is too long for the system, in a private
    /// directory of this user under `/tmp`, named after the memory.
    pub fn socket(&self) -> PathBuf {
        let near = self.run_dir().join("nudge.sock");
        if near.as_os_str().len() <= SOCKET_PATH_MAX {
            return near;
        }
        // Links and other spellings of one directory must lead to one socket.
        let real = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let hash = blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex();
        Path::new("/tmp")
            .join(format!("nudge-{}", private_dir::own_uid()))
            .join(format!("{}.sock", &hash[..16]))
    }

    /// Logs.
    pub fn log_dir(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Copies of the database, made before it is migrated or replaced.
    pub fn backups_dir(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// The configuration of the person.
    pub fn config_file(&self) -> PathBuf {
        self.config.clone()
    }

    /// Makes sure that the root exists; one that we create is ours alone (0700).
    pub fn prepare(&self) -> Result<(), Fault> {
        if self.root.is_dir() {
            return Ok(());
        }
        if let Some(parent) = self.root.parent() {
            fs::create_dir_all(parent).map_err(|error| not_created(&self.root, error))?;
        }
        private_dir::create(&self.root).map_err(|error| not_created(&self.root, error))
    }

    /// Makes sure that `run/` exists and that nobody else can reach into it, and returns it.
    pub fn secure_run_dir(&self) -> Result<PathBuf, Fault> {
        let dir = self.run_dir();
        self.prepare()?;
        private_dir::secure(&dir)?;
        Ok(dir)
    }

    /// Makes sure that the directory of the socket exists and is private, and returns the socket's path.
    pub fn secure_socket(&self) -> Result<PathBuf, Fault> {
        self.secure_run_dir()?;
        let socket = self.socket();
        if let Some(dir) = socket.parent().filter(|dir| *dir != self.run_dir()) {
            private_dir::secure(dir)?;
        }
        Ok(socket)
    }

    /// The socket's path if its directory exists, creating and changing nothing: for those who only
    /// want to call. Refuses a directory that somebody else could have put there.
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

/// An absolute path without `.` and trailing slashes; `..` stays, since only the disk knows where it leads.
fn absolute(said_by: &str, path: &Path) -> Result<PathBuf, Fault> {
    if path.is_absolute() {
        return Ok(path.components().filter(|part| !matches!(part, Component::CurDir)).collect());
    }
    let why = format!("{said_by} is `{}`, which is not absolute", path.display());
    Err(Fault::invalid("home_not_absolute", why)
        .next("give the directory in full: every process must find the same one, wherever it stands"))
}

fn not_created(path: &Path, error: std::io::Error) -> Fault {
    let why = format!("cannot create {}: {error}", path.display());
    Fault::new(FaultKind::ReadOnly, "home_not_writable", why)
        .because(error)
        .with("path", path.display().to_string())
        .next("make its parent writable for this user, or pass --home with a directory that is")
}

#[cfg(all(test, unix))]
mod tests;
