//! Checks that our entries are where the agent looks for them, only once, and call this program.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nudge_core::Fault;

use super::{AgentFacts, text};
use crate::VERSION;
use crate::command::doctor::finding::{Finding, Fix};
use crate::registration::{Target, safe_program};

/// The findings about the entries of one agent: the problems, or one line that all is well.
pub(super) fn check(about: &AgentFacts<'_>) -> Vec<Finding> {
    let title = about.agent.title();
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for target in about.targets() {
        match text(&target) {
            Err(fault) => findings.push(rejected_file(about, fault)),
            Ok(text) => match wrong(about, &target, text.as_deref()) {
                Wrong::Nothing => {}
                Wrong::Missing => missing.push(target),
                Wrong::Refused(fault) => findings.push(rejected_file(about, fault)),
                Wrong::Finding(finding) => findings.push(finding),
            },
        }
    }
    let is_there = about.is_installed();
    if is_there || about.was_installed() {
        findings.extend(missing.iter().map(|target| {
            let path = target.path().display();
            let why = format!("{path} no longer has {}", target.what());
            Finding::warn(about.name(), why, about.again()).fixed_by(Fix::Install(about.agent))
        }));
    } else if findings.is_empty() {
        let way =
            format!("{title} {}: not installed; `nudge install {}`", about.detected.words(), about.name());
        return vec![Finding::ok(about.name(), way)];
    }
    findings.extend(fires_twice(about));
    if findings.is_empty() {
        findings.push(Finding::ok(about.name(), format!("{title} {}: installed", about.detected.words())));
    }
    findings
}

/// A file that `install` would reject, with the message of `install`.
fn rejected_file(about: &AgentFacts<'_>, mut fault: Fault) -> Finding {
    fault.message = fault.message.trim_end_matches("; nothing was changed").to_owned();
    Finding::fault(about.name(), fault)
}

/// What is wrong with the entries in one file.
enum Wrong {
    Nothing,
    Missing,
    Refused(Fault),
    Finding(Finding),
}

fn wrong(about: &AgentFacts<'_>, target: &Target, text: Option<&str>) -> Wrong {
    let Some(text) = text else { return Wrong::Missing };
    let programs = target.programs(text, about.place);
    match target.with(Some(text), &about.place.as_registered_in(text)) {
        Ok(wanted) if wanted == text => Wrong::Nothing,
        Err(fault) => Wrong::Refused(fault),
        Ok(_) => match programs.iter().find(|program| **program != about.place.program) {
            Some(other) => Wrong::Finding(other_program(about, target, other)),
            None if programs.is_empty()
                && target.without(text, about.place).is_ok_and(|rest| rest == text) =>
            {
                Wrong::Missing
            }
            None => Wrong::Finding(
                Finding::warn(
                    about.name(),
                    format!("{} has entries of another version of Nudge", target.path().display()),
                    about.again(),
                )
                .fixed_by(Fix::Install(about.agent)),
            ),
        },
    }
}

/// Entries that call another program than this one: a missing one, or another version.
fn other_program(about: &AgentFacts<'_>, target: &Target, program: &str) -> Finding {
    let (path, again) = (target.path().display(), about.again());
    if !Path::new(program).exists() {
        let why = format!("{path} calls {program}, which is not there: nothing is captured");
        return Finding::fail(about.name(), why, again).fixed_by(Fix::Install(about.agent));
    }
    let said = version_of(Path::new(program)).unwrap_or_default();
    let version = said.trim().strip_prefix("nudge ").unwrap_or("of an unknown version");
    let why = format!("{path} calls {program} ({version}), and this is {VERSION} at {}", about.place.program);
    Finding::warn(about.name(), why, format!("{again} with the one that agents should run"))
}

/// The version that a program reports. A program that other users can replace is not started, and
/// we wait only briefly.
fn version_of(program: &Path) -> Option<String> {
    safe_program::check(program).ok()?;
    let mut command = Command::new(program);
    command.arg("--version");
    run_briefly(command, b"")
        .map(|said| String::from_utf8_lossy(&said.output).lines().next().unwrap_or_default().to_owned())
}

/// Hooks for the user and hooks for the project both run.
fn fires_twice(about: &AgentFacts<'_>) -> Option<Finding> {
    let hooks = |targets: Vec<Target>| {
        targets.into_iter().find(|target| target.is_hooks() && !about.programs(target).is_empty())
    };
    let (person, project) = (hooks(about.targets())?, hooks(about.project_targets())?);
    if person.path() == project.path() {
        return None;
    }
    let once = about.agent.0.installer().is_some_and(|installer| installer.runs_equal_lines_once);
    if once && about.programs(&person) == about.programs(&project) {
        return None;
    }
    Some(Finding::warn(
        about.name(),
        format!(
            "every event fires twice here: hooks are in {} and in {}",
            person.path().display(),
            project.path().display()
        ),
        format!("run `nudge uninstall {} --project` here", about.agent.name()),
    ))
}

/// How long to wait for the program.
const RUN_TIMEOUT: Duration = Duration::from_secs(3);

/// How many bytes of each output to read.
const MAX_OUTPUT: u64 = 16 * 1024;

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
            let _ = from.take(MAX_OUTPUT).read_to_end(&mut bytes);
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
        if began.elapsed() > RUN_TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
