//! The programs under test and their baselines, built once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

/// The profile that CI tests and the benches measure.
const PROFILE: &str = "ci";

/// The directory of the built programs.
#[derive(Clone, Debug)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Builds the product and the programs next to it, with one cargo call each: in one call, the
    /// features of one would affect the other.
    pub(crate) fn build() -> anyhow::Result<Self> {
        for package in ["nudge-cli", "nudge-bare"] {
            build(package)?;
        }
        Ok(Self(target().join(PROFILE)))
    }

    /// Builds one of the baseline programs.
    pub(crate) fn yardstick(name: &str) -> anyhow::Result<PathBuf> {
        build_with("nudge-bare", &["--bin", name])?;
        Ok(target().join(PROFILE).join(name))
    }

    /// The baseline programs from an earlier build.
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

    /// The product under a higher version, in a separate place, so that another build does not
    /// replace it.
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

    /// One of the programs by its name.
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
