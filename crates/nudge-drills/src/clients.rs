//! `cargo xtask clients`: other people's MCP clients against the built binary.
//!
//! The suites are Python files under `tests/clients`. This command builds the binary, installs the
//! clients into `target/clients` at fixed versions, and runs every suite. A client that cannot be
//! installed is a failure, never a skipped suite.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::args::Product;
use crate::repository::{self, output_of};

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    product: Product,
    /// Runs the tests with this word in their names.
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
}

/// Builds, installs and runs.
pub(crate) fn run(options: &Options) -> anyhow::Result<bool> {
    let binary = options.product.path()?;
    let clients = clients(&repository::root().join("target/clients"))?;
    run_suite(&binary, &clients, options.only.as_deref())
}

/// Runs a command to its end; an exit other than success is an error that names the command.
fn done(command: &mut Command) -> anyhow::Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    anyhow::ensure!(status.success(), "{name} failed ({status}): {command:?}");
    Ok(())
}

// Installs the clients into their own directory, at the versions that the suites were written for.

/// The official Python client.
const MCP_VERSION: &str = "2.3.0";

/// The official inspector.
const INSPECTOR_VERSION: &str = "2.12.0";

/// The inspector needs Node 22. This package contains the binary itself, so an installed Node is
/// not needed.
const NODE_VERSION: &str = "24.21.0";

/// The oldest Node that the inspector runs on.
const OLDEST_NODE: u32 = 22;

/// The paths of the installed clients.
struct Clients {
    /// The interpreter that has the Python client.
    python: PathBuf,
    /// The directory of the Node binary.
    node_dir: PathBuf,
    /// The inspector's command.
    inspector: PathBuf,
}

/// Installs missing clients and those of another version, and checks that all of them start.
fn clients(dir: &Path) -> anyhow::Result<Clients> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let python = python_client(&dir.join("py"))?;
    let packages = repository::packages(
        &dir.join("npm"),
        &[("node", NODE_VERSION), ("@modelcontextprotocol/inspector", INSPECTOR_VERSION)],
    )
    .context("the inspector cannot be installed")?;
    let node_dir = packages.join("node/bin");
    check_node(&node_dir.join("node"))?;
    Ok(Clients { python, node_dir, inspector: packages.join(".bin/mcp-inspector") })
}

fn python_client(venv: &Path) -> anyhow::Result<PathBuf> {
    let python = venv.join("bin/python");
    let version = || {
        output_of(
            Command::new(&python)
                .args(["-c", "from importlib.metadata import version; print(version('mcp'))"]),
        )
    };
    if version().as_deref() != Some(MCP_VERSION) {
        println!("clients: installing the Python client mcp {MCP_VERSION}");
        done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(venv))
            .context("python3 with venv is needed")?;
        done(Command::new(&python).args(["-m", "pip", "install", "--quiet", &format!("mcp=={MCP_VERSION}")]))
            .context("the Python client cannot be installed")?;
    }
    let found = version();
    anyhow::ensure!(
        found.as_deref() == Some(MCP_VERSION),
        "the Python client is {found:?}, not {MCP_VERSION}"
    );
    Ok(python)
}

/// The package downloads its binary in an install script, which a machine may forbid, so check the
/// binary itself.
fn check_node(node: &Path) -> anyhow::Result<()> {
    let found = output_of(Command::new(node).arg("--version"));
    let major =
        found.as_deref().and_then(|text| text.strip_prefix('v')?.split('.').next()?.parse::<u32>().ok());
    anyhow::ensure!(
        major.is_some_and(|major| major >= OLDEST_NODE),
        "{} says {found:?}; the inspector needs Node {OLDEST_NODE} (remove target/clients to install it anew)",
        node.display()
    );
    Ok(())
}

// Runs the suites with only HOME and PATH in the environment, as agents start their servers.

/// Returns whether every test passed.
fn run_suite(binary: &Path, clients: &Clients, only: Option<&str>) -> anyhow::Result<bool> {
    let home = tempfile::Builder::new().prefix("nc").tempdir().context("a temporary directory is needed")?;
    let mut command = Command::new(&clients.python);
    command
        .args(["-B", "tests/clients/run.py", "--bin"])
        .arg(binary)
        .arg("--inspector")
        .arg(&clients.inspector)
        .current_dir(repository::root())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", search_path(&clients.node_dir)?);
    if let Some(word) = only {
        command.args(["--only", word]);
    }
    Ok(command.status().context("the suites cannot be started")?.success())
}

/// The installed Node first, then the machine's own path.
fn search_path(node_dir: &Path) -> anyhow::Result<OsString> {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let parts = std::iter::once(node_dir.to_path_buf()).chain(std::env::split_paths(&machine));
    std::env::join_paths(parts).context("a directory in PATH holds a colon")
}
