//! The program of the tests: a stage, as `nudge` is one, and a caller that tests can run as another
//! user, with things left open, and kill.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use nudge_sandbox::{Level, Limits, Plan, Program, Rights};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = nudge_sandbox::stage(&args) {
        return code;
    }
    let word = args.first().and_then(|word| word.to_str());
    let done = match word {
        Some("level") => say_level(),
        Some("measure") => measure(),
        _ => run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn say_level() -> io::Result<()> {
    writeln!(io::stdout(), "{}", nudge_sandbox::level(&itself(), Level::Full).reason)
}

/// How much longer `true` takes in a sandbox, beside `sh -c true`: the quickest and the middle of
/// many.
fn measure() -> io::Result<()> {
    let dir = tempfile::tempdir()?;
    let mut plain = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        Command::new("/bin/sh").args(["-c", "true"]).stdin(Stdio::null()).output()?;
        plain.push(started.elapsed());
    }
    let (plain_least, plain_middle) = least_and_middle(plain);
    writeln!(io::stdout(), "plain: {plain_least:?} to {plain_middle:?}")?;
    for level in [Level::Full, Level::Landlock, Level::None] {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let started = Instant::now();
            nudge_sandbox::run(&of_nothing(dir.path(), level), &itself(), &AtomicBool::new(false), |_, _| ())
                .map_err(io::Error::other)?;
            times.push(started.elapsed());
        }
        let (least, middle) = least_and_middle(times);
        let more = (least.saturating_sub(plain_least), middle.saturating_sub(plain_middle));
        writeln!(io::stdout(), "{level:?}: {:?} to {:?} more", more.0, more.1)?;
    }
    Ok(())
}

const ROUNDS: usize = 101;

fn least_and_middle(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[0], times[times.len() / 2])
}

fn of_nothing(root: &Path, level: Level) -> Plan {
    Plan {
        level,
        command: "true".to_owned(),
        shell: "/bin/sh".into(),
        root: root.to_owned(),
        directory: root.to_owned(),
        home: std::env::home_dir().unwrap_or_default(),
        hidden: Vec::new(),
        toolchains: Vec::new(),
        rights: Rights::default(),
        env: Vec::new(),
        limits: Limits::default(),
    }
}

fn itself() -> Program {
    Program { path: "/proc/self/exe".into(), arguments: Vec::new() }
}

/// Runs the plan on standard input, and prints its output and then a line that says how it ended.
fn run() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let plan: Plan = serde_json::from_str(&text)?;
    let mut out = io::stdout();
    let ended = nudge_sandbox::run(&plan, &itself(), &AtomicBool::new(false), |_, piece| {
        let _ = out.write_all(piece).and_then(|()| out.flush());
    });
    let ended = ended.map_err(|error| error.to_string());
    writeln!(io::stdout(), "\n{}", serde_json::to_string(&ended)?)
}
