//! The programs under test and their yardsticks, built once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

/// The profile that CI tests and the benches measure.
const PROFILE: &str = "ci";

/// The directory of what was built.
#[derive(Clone, Debug)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Builds the product and the programs beside it. One call each: built together, the features of
    /// one would reach the other.
    pub(crate) fn build() -> anyhow::Result<Self> {
        for package in ["nudge-cli", "nudge-bare"] {
            build(package)?;
        }
        Ok(Self(target().join(PROFILE)))
    }

    /// Builds one of the programs beside the product.
    pub(crate) fn yardstick(name: &str) -> anyhow::Result<PathBuf> {
        build_with("nudge-bare", &["--bin", name])?;
        Ok(target().join(PROFILE).join(name))
    }

    /// The programs beside the product as they were built before.
    pub(crate) fn as_built() -> anyhow::Result<Self> {
        let built = Self(target().join(PROFILE));
        anyhow::ensure!(
            built.named("dump-store").exists(),
            "build nudge-bare with the {PROFILE} profile first"
        );
        Ok(built)
    }

    /// Builds the product alone.
    pub(crate) fn product() -> anyhow::Result<PathBuf> {
        build("nudge-cli")?;
        Ok(target().join(PROFILE).join("nudge"))
    }

    /// The product under a higher version. Beside the others, so that building them again does not replace it.
    pub(crate) fn newer() -> anyhow::Result<PathBuf> {
        build_with("nudge-cli", &["--features", "newer"])?;
        let (built, newer) =
            (target().join(PROFILE).join("nudge"), target().join(PROFILE).join("nudge-newer"));
        std::fs::copy(built, &newer).context("the newer program cannot be copied")?;
        Ok(newer)
    }

    /// The product.
    pub(crate) fn nudge(&self) -> PathBuf {
        self.named("nudge")
    }

    /// Any of the programs.
    pub(crate) fn named(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn build(package: &str) -> anyhow::Result<()> {
    build_with(package, &[])
}

fn build_with(package: &str, arguments: &[&str]) -> anyhow::Result<()> {
    eprintln!("building {package} ({PROFILE} profile)");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--profile", PROFILE, "--package", package])
        .args(arguments)
        .current_dir(crate::repository::root())
        .status()
        .context("cargo cannot be started")?;
    anyhow::ensure!(status.success(), "{package} does not build");
    Ok(())
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let root = crate::repository::root();
    set.map_or_else(|| root.join("target"), |dir| if dir.is_absolute() { dir } else { root.join(dir) })
}

/// Where benches keep what is costly to make.
pub(crate) fn workshop() -> anyhow::Result<PathBuf> {
    let dir = target().join("bench");
    make(&dir)?;
    Ok(dir)
}

fn make(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}
