//! Where settings are read from.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nudge_core::Fault;

use super::{Resolved, Settings, resolve};
use crate::home::Home;

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".nudge.toml";

/// A larger file is not a configuration.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The content of each layer, before it is resolved.
pub struct Layers<'a> {
    /// The user's `config.toml` and its text.
    pub file: Option<(PathBuf, String)>,
    /// The project's file and its text.
    pub project: Option<(PathBuf, String)>,
    /// Looks a variable up.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The names of all variables that are set, to find misspelt ones. Only `NUDGE_*` counts.
    pub env_names: Vec<String>,
    /// Keys and values of flags.
    pub flags: Vec<(&'a str, String)>,
}

impl Layers<'_> {
    /// Empty layers.
    pub fn none() -> Self {
        Self { file: None, project: None, env: &|_| None, env_names: Vec::new(), flags: Vec::new() }
    }
}

/// Resolves the settings of this process for a directory, reading files and variables.
pub fn load(home: &Home, cwd: &Path, flags: Vec<(&str, String)>) -> Result<Resolved, Fault> {
    load_with(home, cwd, flags, &|_| true)
}

/// The same for a process that an agent started: settings that guard the user's memory come from
/// the user's own file, never from variables or flags that the agent sets.
pub fn load_for_agent(home: &Home, cwd: &Path, flags: Vec<(&str, String)>) -> Result<Resolved, Fault> {
    let flags = flags.into_iter().filter(|(name, _)| !is_guard(name)).collect();
    load_with(home, cwd, flags, &|name| !is_guard(name))
}

/// Settings that guard the user's memory: secrets, retention, limits, and which models, plugins and
/// servers get text of it.
const GUARDED_KEYS: [&str; 10] = [
    "mcp_secrets",
    "secret_guard",
    "secrets_",
    "retention",
    "max_",
    "runs_",
    "model_",
    "context_",
    "plugin_",
    "web_search_",
];

/// Whether a flag or a variable sets one of them.
pub(super) fn is_guard(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', '.'], "_");
    let key = name.strip_prefix("nudge_").unwrap_or(&name);
    GUARDED_KEYS.iter().any(|guard| key.starts_with(guard))
}

fn load_with(
    home: &Home,
    cwd: &Path,
    flags: Vec<(&str, String)>,
    counts: &dyn Fn(&str) -> bool,
) -> Result<Resolved, Fault> {
    let env = |name: &str| {
        let value = std::env::var_os(name).filter(|_| counts(name))?;
        Some(value.to_string_lossy().into_owned())
    };
    let mut warnings = Vec::new();
    let layers = Layers {
        file: read(home.config_file(), &mut warnings),
        project: find_project_file(cwd).and_then(|path| read(path, &mut warnings)),
        env: &env,
        env_names: std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| counts(name))
            .collect(),
        flags,
    };
    let mut resolved = resolve(&layers)?;
    // Nobody knows what an unreadable file says.
    resolved.unsure.splice(0..0, warnings.clone());
    resolved.warnings.splice(0..0, warnings);
    Ok(resolved)
}

/// The nearest project file from `cwd` up to the top of its repository. Outside a repository, the
/// search stops below a directory that anybody may write to, such as `/tmp`: its files may be from
/// anybody.
pub fn find_project_file(cwd: &Path) -> Option<PathBuf> {
    let mut found = None;
    for dir in cwd.ancestors() {
        if found.is_none() {
            found = Some(dir.join(PROJECT_FILE)).filter(|path| path.symlink_metadata().is_ok());
        }
        if dir.join(".git").exists() {
            return found;
        }
    }
    found.filter(|path| path.parent().is_some_and(|dir| is_closed(cwd, dir)))
}

/// Whether nobody else can have put a file into `top` or between it and `cwd`. A directory that no
/// longer exists does not matter, and `cwd` itself is always accepted.
fn is_closed(cwd: &Path, top: &Path) -> bool {
    let mut above = cwd.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
    above.all(|dir| dir.metadata().is_ok_and(|facts| facts.mode() & 0o002 == 0) || !dir.exists())
}

/// The name that the project of a directory gives itself, if any.
pub fn project_name(cwd: &Path) -> Option<String> {
    own_settings(cwd)?.project
}

/// Whether the project of a directory declares itself private.
pub fn is_declared_private(cwd: &Path) -> bool {
    own_settings(cwd).is_some_and(|settings| settings.private)
}

/// What a project's own file says about how its memory is kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectDeclarations {
    /// It is private.
    pub private: bool,
    /// It is strict about credentials.
    pub strict: bool,
}

/// What the own file of a directory's project says about how its memory is kept.
pub fn project_declarations(cwd: &Path) -> ProjectDeclarations {
    own_settings(cwd).map_or_else(ProjectDeclarations::default, |settings| ProjectDeclarations {
        private: settings.private,
        strict: settings.strict_secrets,
    })
}

/// The settings of a project's own file, if it has one.
fn own_settings(cwd: &Path) -> Option<Settings> {
    let project = Some(find_project_file(cwd).and_then(|path| read(path, &mut Vec::new()))?);
    Some(resolve(&Layers { project, ..Layers::none() }).ok()?.settings)
}

fn read(path: PathBuf, warnings: &mut Vec<String>) -> Option<(PathBuf, String)> {
    let facts = match fs::metadata(&path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == ErrorKind::NotADirectory => return None,
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => return None,
        Err(error) => {
            warnings.push(format!("{}: not read: {error}", path.display()));
            return None;
        }
    };
    if !facts.is_file() || facts.len() > MAX_FILE_BYTES {
        warnings.push(format!(
            "{}: not read, because it is not a file of at most {MAX_FILE_BYTES} bytes",
            path.display()
        ));
        return None;
    }
    match fs::read_to_string(&path) {
        Ok(text) => Some((path, text)),
        Err(error) => {
            warnings.push(format!("{}: not read: {error}", path.display()));
            None
        }
    }
}
