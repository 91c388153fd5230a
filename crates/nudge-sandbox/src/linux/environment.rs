//! The environment of a command: derived from its plan, never inherited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::level::Level;
use crate::plan::Plan;

/// Where toolchains put their programs in a home.
const PROGRAMS: &[&str] = &[
    ".local/bin",
    ".cargo/bin",
    ".pyenv/shims",
    ".pyenv/bin",
    ".rbenv/shims",
    ".rbenv/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".volta/bin",
    ".bun/bin",
    ".deno/bin",
    "go/bin",
];

const SYSTEM_PROGRAMS: &[&str] = &[
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/run/current-system/sw/bin",
];

/// Variables that tell toolchains where they are, with their place in a home.
const HOMES: &[(&str, &str)] = &[
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("SDKMAN_DIR", ".sdkman"),
];

/// The variables of a command. `temporary` is where it may write beside its project.
pub(super) fn of(plan: &Plan, temporary: &Path) -> BTreeMap<String, String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut variables = BTreeMap::new();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), value);
    // Without an own file system the home cannot be replaced, so it is another one.
    let home = if plan.level == Level::Full { plan.home.as_path() } else { temporary };
    set("HOME", text(home));
    set("PATH", path(&plan.home));
    set("LANG", "C.UTF-8".to_owned());
    set("TERM", "dumb".to_owned());
    set("SHELL", text(&plan.shell));
    set("PWD", text(&plan.directory));
    set("TMPDIR", text(temporary));
    set("GIT_CONFIG_COUNT", "1".to_owned());
    // Files of other users seem to belong to nobody, which git would refuse.
    set("GIT_CONFIG_KEY_0", "safe.directory".to_owned());
    set("GIT_CONFIG_VALUE_0", "*".to_owned());
    // `git status` need not write the index, which it cannot.
    set("GIT_OPTIONAL_LOCKS", "0".to_owned());
    set("GIT_TERMINAL_PROMPT", "0".to_owned());
    for (name, place) in HOMES {
        let place = plan.home.join(place);
        if place.is_dir() {
            set(name, text(&place));
        }
    }
    if plan.home.join(".cargo").is_dir() {
        set("CARGO_HOME", text(&home.join(".cargo")));
    }
    variables.extend(plan.env.iter().cloned());
    variables
}

fn path(home: &Path) -> String {
    let own =
        PROGRAMS.iter().map(|place| home.join(place)).chain(newest_node(home)).filter(|place| place.is_dir());
    let system = SYSTEM_PROGRAMS.iter().map(PathBuf::from);
    own.chain(system).map(|place| place.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":")
}

/// The newest version that nvm installed. Which one a shell would choose is said in its settings.
fn newest_node(home: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(home.join(".nvm/versions/node")).ok()?;
    let number = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>()
    };
    Some(versions.flatten().map(|entry| entry.path()).max_by_key(number)?.join("bin"))
}
