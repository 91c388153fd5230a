//! The location of the repository under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

/// The repository's root: two directories above this crate's manifest.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

// Packages of the npm registry, at fixed versions, in their own directory.

/// Installs missing packages and those of another version; returns the directory of the packages.
pub(crate) fn packages(dir: &Path, wanted: &[(&str, &str)]) -> anyhow::Result<PathBuf> {
    let packages = dir.join("node_modules");
    let is_there = |(name, version): &(&str, &str)| installed(&packages, name).as_deref() == Some(version);
    if !wanted.iter().all(is_there) {
        let names: Vec<String> = wanted.iter().map(|(name, version)| format!("{name}@{version}")).collect();
        println!("installing {}", names.join(", "));
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix"])
            .arg(dir)
            .args(&names);
        let status = npm.current_dir(dir).status().context("npm cannot be started")?;
        anyhow::ensure!(status.success(), "npm failed ({status}): {npm:?}");
    }
    for (name, version) in wanted {
        let found = installed(&packages, name);
        anyhow::ensure!(found.as_deref() == Some(version), "{name} is {found:?}, not {version}");
    }
    Ok(packages)
}

/// The version of an installed package.
fn installed(packages: &Path, name: &str) -> Option<String> {
    let manifest: Value =
        serde_json::from_slice(&fs::read(packages.join(name).join("package.json")).ok()?).ok()?;
    Some(manifest.get("version")?.as_str()?.to_owned())
}

/// The output of a command; `None` if it fails.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
        assert!(root().join("crates/nudge-drills/src/repository.rs").is_file());
    }
}
