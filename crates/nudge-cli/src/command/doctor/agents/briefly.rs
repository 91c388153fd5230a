//! Runs a program that may hang or print without end.

use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long to wait for the program.
const WITHIN: Duration = Duration::from_secs(3);

/// How many bytes of each output to read.
const MOST: u64 = 16 * 1024;

/// The exit status, and the text from both outputs.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// Runs the command with this input. `None` if it cannot be started, or if it does not end in time;
/// then it is killed.
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
                // A child of the command may keep the pipe open. Do not wait longer than this for
                // output.
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
