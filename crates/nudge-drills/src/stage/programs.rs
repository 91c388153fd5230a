//! The programs under test and their baselines, built once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::Context;
use nudge_testkit::home::Home;

/// The profile that the benches measure.
const PROFILE: &str = "ci";

/// The program with all baselines and clients.
const BARE_PROGRAM: &str = "nudge-bare";

/// The small program with the baselines that are timed as whole processes.
const BARE_PROCESS: &str = "nudge-bare-process";

/// The directory named with `--built`, whose programs are used as they are.
static BUILT_DIR: OnceLock<PathBuf> = OnceLock::new();

/// The directory of the built programs.
#[derive(Clone, Debug)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// From now on uses the programs of a directory, such as `target/debug`, and builds none.
    pub(crate) fn use_built(dir: &Path) -> anyhow::Result<()> {
        let dir = std::fs::canonicalize(dir).with_context(|| format!("no directory {}", dir.display()))?;
        BUILT_DIR.set(dir).map_err(|_| anyhow::anyhow!("--built is given twice"))
    }

    /// The product and the baselines.
    pub(crate) fn build() -> anyhow::Result<Self> {
        Self::with(&["--bin", "nudge", "--bin", BARE_PROGRAM, "--bin", BARE_PROCESS])
    }

    /// The product alone.
    pub(crate) fn product() -> anyhow::Result<PathBuf> {
        Ok(Self::with(&["--bin", "nudge"])?.nudge())
    }

    /// The baselines alone.
    pub(crate) fn baselines() -> anyhow::Result<Self> {
        Self::with(&["--bin", BARE_PROGRAM])
    }

    fn with(binaries: &[&str]) -> anyhow::Result<Self> {
        if let Some(dir) = BUILT_DIR.get() {
            return Ok(Self(dir.clone()));
        }
        build(PROFILE, binaries)?;
        Ok(Self(target().join(PROFILE)))
    }

    /// The product under a higher version. It replaces the product for a moment, so no other
    /// command may run.
    pub(crate) fn newer() -> anyhow::Result<PathBuf> {
        let dir = BUILT_DIR.get().cloned().unwrap_or_else(|| target().join(PROFILE));
        let profile = match dir.file_name().and_then(|name| name.to_str()) {
            Some("debug") => "dev",
            Some(name) => name,
            None => PROFILE,
        };
        let newer = dir.join("nudge-newer");
        build(profile, &["--bin", "nudge", "--features", "nudge-cli/newer"])?;
        std::fs::copy(dir.join("nudge"), &newer).context("the newer program cannot be copied")?;
        build(profile, &["--bin", "nudge"])?;
        Ok(newer)
    }

    /// The product.
    pub(crate) fn nudge(&self) -> PathBuf {
        self.0.join("nudge")
    }

    /// The program with the baselines; its first argument names one.
    pub(crate) fn bare(&self) -> PathBuf {
        self.0.join(BARE_PROGRAM)
    }

    /// A baseline that is timed as a whole process, in a home.
    pub(crate) fn process(&self, home: &Home, name: &str) -> Command {
        let mut command = home.program(&self.0.join(BARE_PROCESS));
        command.arg(name);
        command
    }

    /// One of the baselines or clients in a home, with the home's environment.
    pub(crate) fn command(&self, home: &Home, name: &str) -> Command {
        let mut command = home.program(&self.bare());
        command.arg(name);
        command
    }
}

/// Builds binaries. Of the whole workspace, so that what they share is not built again with other
/// features. Beside a debug build of all targets, tokio and all above it would still have others,
/// because tests add some; naming a test that is built already adds them here, too.
fn build(profile: &str, arguments: &[&str]) -> anyhow::Result<()> {
    eprintln!("building {} ({profile} profile)", arguments.join(" "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--workspace", "--profile", profile])
        .args(if profile == "dev" { &["--test", "store"] } else { [].as_slice() })
        .args(arguments)
        .current_dir(crate::repository::root())
        .status()
        .context("cargo cannot be started")?;
    anyhow::ensure!(status.success(), "{} does not build", arguments.join(" "));
    Ok(())
}

/// The target directory of cargo.
pub(crate) fn target() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let root = crate::repository::root();
    set.map_or_else(|| root.join("target"), |dir| if dir.is_absolute() { dir } else { root.join(dir) })
}

/// The directory in which benches keep data that is expensive to make.
pub(crate) fn bench_cache() -> anyhow::Result<PathBuf> {
    let dir = target().join("bench");
    make(&dir)?;
    Ok(dir)
}

fn make(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}
