//! Running a program that may hang or print without end.

use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long it is waited for.
const WITHIN: Duration = Duration::from_secs(3);

/// How much of what it prints is read.
const MOST: u64 = 16 * 1024;

/// How it ended, and what it printed on both outputs.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// Runs it with this input; `None` where it cannot be started or does not end in time, and is killed then.
pub(super) fn run_briefly(mut command: Command, input: &[u8]) -> Option<Ended> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let (stdout, stderr) = (child.stdout.take()?, child.stderr.take()?);
    let input = input.to_vec();
    std::thread::spawn(move || stdin.write_all(&input));
    let read = |from: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = from.take(MOST).read_to_end(&mut bytes);
            bytes
        })
    };
    let (output, errors) = (read(Box::new(stdout)), read(Box::new(stderr)));
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().ok()? {
            let wait = |thread: std::thread::JoinHandle<Vec<u8>>| {
                // A child of its own may keep the pipe open: what is not there by now is not waited for.
                let until = Instant::now() + Duration::from_millis(200);
                while !thread.is_finished() && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(2));
                }
                if thread.is_finished() { thread.join().unwrap_or_default() } else { Vec::new() }
            };
            return Some(Ended { status, output: wait(output), errors: wait(errors) });
        }
        if began.elapsed() > WITHIN {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
