//! What a command sees of the machine's files: the system's programs, the person's toolchains, what
//! it has a right to, and its project. Everything else is not there.

use std::path::{Path, PathBuf};

use super::worktree;
use crate::plan::Plan;

/// Directories of the system, as far as they exist.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix",
    "/gnu",
    // How many processors there are; Java and number libraries read it.
    "/sys/devices/system/cpu",
];

/// What programs need of `/etc`. Nothing in these is secret; `/etc/ssl/private` and the like are
/// left out.
pub(super) const ETC: &[&str] = &[
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gitconfig",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "machine-id",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "protocols",
    "resolv.conf",
    "services",
    "shells",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
];

/// Directories of `/etc` whose names contain a version.
pub(super) const ETC_BEGINNINGS: &[&str] = &["java", "python"];

/// Where toolchains and their downloads are in a home. Only what contains no token: `~/.cargo` as a
/// whole has `credentials.toml`, `~/.npm` has logs, and `~/.npmrc`, `~/.pypirc`, `~/.netrc`,
/// `~/.gradle` and `~/.m2` have passwords.
const TOOLCHAINS: &[&str] = &[
    ".rustup",
    ".cargo/bin",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".sdkman",
    ".asdf",
    ".volta",
    ".bun/bin",
    ".bun/install",
    ".deno",
    "go/bin",
    "go/pkg/mod",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/uv",
    ".local/share/pnpm",
];

/// Settings of cargo, which may name a registry's token. Without one they are shown.
const CARGO_SETTINGS: &[&str] = &[".cargo/config.toml", ".cargo/config"];

/// Something of the machine that is visible at its own path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) may_write: bool,
}

/// Everything visible, each after what it stands in, so that a later one decides.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) seen: Vec<Seen>,
    /// Links of the system and to what is visible: path and target.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
}

/// What a plan shows.
pub(super) fn of(plan: &Plan) -> View {
    let mut view = View::default();
    for path in SYSTEM.iter().map(Path::new) {
        match std::fs::read_link(path) {
            Ok(target) => view.links.push((path.to_owned(), target)),
            Err(_) => view.add(path, false),
        }
    }
    for path in toolchains(&plan.home).chain(plan.toolchains.iter().cloned()) {
        view.add(&path, false);
    }
    if let Some(git) = worktree::git_directory(&plan.root) {
        view.add(&git, false);
    }
    for path in &plan.rights.read {
        view.add(path, false);
    }
    view.add(&plan.root, true);
    for path in &plan.rights.write {
        view.add(path, true);
    }
    view.seen.retain(|seen| !plan.hidden.iter().any(|hidden| seen.path.starts_with(hidden)));
    view.seen.sort_by_cached_key(|seen| (seen.path.components().count(), seen.path.clone()));
    view.seen.dedup_by(|later, earlier| {
        let same = later.path == earlier.path;
        earlier.may_write |= same && later.may_write;
        same
    });
    view
}

impl View {
    /// Adds what exists, at its real path; a link to it stays a link.
    fn add(&mut self, path: &Path, may_write: bool) {
        let Ok(real) = path.canonicalize() else { return };
        if real != path {
            self.links.push((path.to_owned(), real.clone()));
        }
        if real != Path::new("/") {
            self.seen.push(Seen { path: real, may_write });
        }
    }
}

fn toolchains(home: &Path) -> impl Iterator<Item = PathBuf> {
    let settings = CARGO_SETTINGS.iter().map(|path| home.join(path)).filter(|path| has_no_token(path));
    TOOLCHAINS.iter().map(|path| home.join(path)).chain(settings)
}

/// Links the toolchains of a home into another one.
pub(super) fn link_toolchains(home: &Path, other: &Path) -> std::io::Result<()> {
    for path in toolchains(home).filter(|path| path.exists()) {
        let Ok(place) = path.strip_prefix(home) else { continue };
        let link = other.join(place);
        if let Some(parent) = link.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::os::unix::fs::symlink(&path, link)?;
    }
    Ok(())
}

fn has_no_token(settings: &Path) -> bool {
    let text = std::fs::read_to_string(settings).unwrap_or_default().to_lowercase();
    !["token", "secret", "password", "[http", "proxy"].iter().any(|word| text.contains(word))
}

/// The entries of `/etc` that exist.
pub(super) fn etc() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let named = ETC.iter().map(|name| etc.join(name));
    let begun = std::fs::read_dir(etc).into_iter().flatten().flatten().filter(|entry| {
        let name = entry.file_name();
        let is_one = |beginning: &&str| name.to_string_lossy().starts_with(*beginning);
        ETC_BEGINNINGS.iter().any(is_one) && entry.path().is_dir()
    });
    named.chain(begun.map(|entry| entry.path())).filter(|path| path.exists()).collect()
}
