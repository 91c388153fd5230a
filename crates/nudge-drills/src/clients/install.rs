//! Installs the clients into their own directory, at the versions that the suites were written for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::done;
use crate::npm::{self, said};

/// The official Python client.
const MCP: &str = "2.3.0";

/// The official inspector.
const INSPECTOR: &str = "2.12.0";

/// The inspector needs Node 22. This package contains the binary itself, so an installed Node is
/// not needed.
const NODE: &str = "24.21.0";

/// The oldest Node that the inspector runs on.
const OLDEST_NODE: u32 = 22;

/// The paths of the installed clients.
pub(super) struct Clients {
    /// The interpreter that has the Python client.
    pub(super) python: PathBuf,
    /// The directory of the Node binary.
    pub(super) node_dir: PathBuf,
    /// The inspector's command.
    pub(super) inspector: PathBuf,
}

/// Installs missing clients and those of another version, and checks that all of them start.
pub(super) fn clients(dir: &Path) -> anyhow::Result<Clients> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let python = python_client(&dir.join("py"))?;
    let packages =
        npm::packages(&dir.join("npm"), &[("node", NODE), ("@modelcontextprotocol/inspector", INSPECTOR)])
            .context("the inspector cannot be installed")?;
    let node_dir = packages.join("node/bin");
    check_node(&node_dir.join("node"))?;
    Ok(Clients { python, node_dir, inspector: packages.join(".bin/mcp-inspector") })
}

fn python_client(venv: &Path) -> anyhow::Result<PathBuf> {
    let python = venv.join("bin/python");
    let version = || {
        said(
            Command::new(&python)
                .args(["-c", "from importlib.metadata import version; print(version('mcp'))"]),
        )
    };
    if version().as_deref() != Some(MCP) {
        println!("clients: installing the Python client mcp {MCP}");
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(venv))
            .context("python3 with venv is needed")?;
        done(Command::new(&python).args(["-m", "pip", "install", "--quiet", &format!("mcp=={MCP}")]))
            .context("the Python client cannot be installed")?;
    }
    let found = version();
    anyhow::ensure!(found.as_deref() == Some(MCP), "the Python client is {found:?}, not {MCP}");
    Ok(python)
}

/// The package downloads its binary in an install script, which a machine may forbid, so check the
/// binary itself.
fn check_node(node: &Path) -> anyhow::Result<()> {
    let found = said(Command::new(node).arg("--version"));
    let major =
        found.as_deref().and_then(|text| text.strip_prefix('v')?.split('.').next()?.parse::<u32>().ok());
    anyhow::ensure!(
        major.is_some_and(|major| major >= OLDEST_NODE),
        "{} says {found:?}; the inspector needs Node {OLDEST_NODE} (remove target/clients to install it anew)",
        node.display()
    );
    Ok(())
}
