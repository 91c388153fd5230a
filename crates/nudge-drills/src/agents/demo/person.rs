//! Commands that the user types in their own terminal, and what they see.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::super::agent::Workspace;
use super::super::terminal::Terminal;
use super::screen::COLUMNS;

/// Puts programs on the path of the user's shell, next to the project.
pub(super) fn add_to_path(workspace: &Workspace, programs: &[PathBuf]) -> anyhow::Result<()> {
    std::fs::create_dir(bin(workspace)?)?;
    for program in programs {
        let name = program.file_name().context("a program has a name")?;
        std::os::unix::fs::symlink(program, bin(workspace)?.join(name))?;
    }
    Ok(())
}

fn bin(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    Ok(workspace.project.parent().context("a project lies in a folder")?.join("bin"))
}

/// What Nudge prints to the user in the project, with its colours. Fails if the command fails.
///
/// This program may itself be run by an agent, which may not decide; in a separate terminal Nudge
/// does not see that agent.
pub(super) fn run_as_user(workspace: &Workspace, args: &[&str]) -> anyhow::Result<String> {
    let dir = tempfile::Builder::new().prefix("nudge-typed-").tempdir()?;
    let nudge = workspace.home.nudge(&["--color", "always"]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("\"$@\" >\"$0/out\" 2>&1; echo $? >\"$0/status\"").arg(dir.path());
    shell.arg(nudge.get_program()).args(nudge.get_args()).args(args);
    shell.current_dir(&workspace.project).env_clear();
    for (name, value) in nudge.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    let mut places = vec![bin(workspace)?];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    shell.env("PATH", std::env::join_paths(places)?);
    shell.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env("COLUMNS", COLUMNS.to_string());
    Terminal::start(&shell)?.wait_for_end()?;
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).context("nothing was run");
    let said = read("out")?;
    anyhow::ensure!(read("status")?.trim() == "0", "nudge {} failed: {said}", args.join(" "));
    Ok(said)
}
