//! What the person types in a terminal of their own, and what they see.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::super::agent::Desk;
use super::super::terminal::Terminal;
use super::screen::COLUMNS;

/// Puts programs where the person's shell finds them, beside the project.
pub(super) fn equip(desk: &Desk, programs: &[PathBuf]) -> anyhow::Result<()> {
    std::fs::create_dir(bin(desk)?)?;
    for program in programs {
        let name = program.file_name().context("a program has a name")?;
        std::os::unix::fs::symlink(program, bin(desk)?.join(name))?;
    }
    Ok(())
}

fn bin(desk: &Desk) -> anyhow::Result<PathBuf> {
    Ok(desk.project.parent().context("a project lies in a folder")?.join("bin"))
}

/// What Nudge prints to the person in the project, with its colours. Fails when it does.
///
/// Whoever runs this may be an agent, which may not decide; below a terminal of its own it is not seen.
pub(super) fn types(desk: &Desk, args: &[&str]) -> anyhow::Result<String> {
    let dir = tempfile::Builder::new().prefix("nudge-typed-").tempdir()?;
    let nudge = desk.home.nudge(&["--color", "always"]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("\"$@\" >\"$0/out\" 2>&1; echo $? >\"$0/status\"").arg(dir.path());
    shell.arg(nudge.get_program()).args(nudge.get_args()).args(args);
    shell.current_dir(&desk.project).env_clear();
    for (name, value) in nudge.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    let mut places = vec![bin(desk)?];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    shell.env("PATH", std::env::join_paths(places)?);
    shell.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env("COLUMNS", COLUMNS.to_string());
    Terminal::start(&shell)?.wait_for_end()?;
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).context("nothing was run");
    let said = read("out")?;
    anyhow::ensure!(read("status")?.trim() == "0", "nudge {} failed: {said}", args.join(" "));
    Ok(said)
}
