//! Times whole processes in turn, from start to exit.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::bench::table::Figures;

/// Runs before the first one that counts.
const WARM_UP: usize = 5;

/// One process: the command, its input, and whether it must print something.
pub(in crate::bench) struct Turn {
    pub(in crate::bench) command: Command,
    pub(in crate::bench) input: String,
    pub(in crate::bench) speaks: bool,
}

impl Turn {
    /// Runs the process to its end and returns how long that took.
    pub(in crate::bench) fn run(self) -> anyhow::Result<Duration> {
        let Self { mut command, input, speaks } = self;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let start = Instant::now();
        let mut child = command.spawn().context("a command cannot be started")?;
        let mut stdin = child.stdin.take().context("standard input is piped")?;
        // `true` does not read its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        let took = start.elapsed();
        anyhow::ensure!(output.status.success(), "{command:?} ended with {}", output.status);
        // A process that prints nothing is fast.
        anyhow::ensure!(!speaks || !output.stdout.is_empty(), "{command:?} said nothing");
        Ok(took)
    }
}

/// Times the processes of each side in turn. A side prepares its process for each run; the
/// preparation is not timed.
pub(in crate::bench) fn race<const N: usize>(
    sides: [&dyn Fn(usize) -> anyhow::Result<Turn>; N],
    runs: usize,
) -> anyhow::Result<[Figures; N]> {
    let mut times = sides.map(|_| Vec::with_capacity(runs));
    for run in 0..runs + WARM_UP {
        for (side, times) in sides.iter().zip(&mut times) {
            let took = side(run)?.run()?;
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}
