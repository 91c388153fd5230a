//! `nudge get` as a whole process, compared with a program that only opens the database and reads
//! the row.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;

use super::size::Size;
use super::table::{Aim, Figures, Table};
use crate::stage::{Home, Programs, free_port};

/// Runs before the first one that counts.
const WARM_UP: usize = 5;

pub(super) fn measure(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::temporary(programs)?;
    home.run(&["set", "api", "build", "docker compose build router", "--ttl", "forever"])?;
    home.make_repository()?;
    let runs = size.processes();

    let bare = || bare_get(programs, &home, "hint://api/build");
    let get = || home.nudge(&["get", "api", "build"]);
    let [ours, theirs] = alternate([&get, &bare], runs)?;
    table.compare("`nudge get`, whole process", ours, ("bare read", theirs), Aim::Median(2.0));

    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let [ours, theirs] = alternate([&get, &bare], runs)?;
    home.run(&["stop"])?;
    table.compare("the same beside a running server", ours, ("bare read", theirs), Aim::Median(2.0));
    Ok(())
}

/// The minimal program that reads one entry.
fn bare_get(programs: &Programs, home: &Home, path: &str) -> Command {
    let mut command = home.bare(programs, "bare-get");
    command.arg(home.database()).arg(path);
    command
}

/// Times two commands in turn, from start to exit.
pub(super) fn alternate(commands: [&dyn Fn() -> Command; 2], runs: usize) -> anyhow::Result<[Figures; 2]> {
    let mut times = [Vec::with_capacity(runs), Vec::with_capacity(runs)];
    for run in 0..runs + WARM_UP {
        for (command, times) in commands.iter().zip(&mut times) {
            let mut command = command();
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            let status = command.status().context("a command cannot be started")?;
            let took = start.elapsed();
            anyhow::ensure!(status.success(), "{command:?} ended with {status}");
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}
