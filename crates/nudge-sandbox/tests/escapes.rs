//! Every attempt fails in the sandbox, and gets out without it.

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use nudge_sandbox::{Level, Plan};

use crate::attempts::{ATTEMPTS, Attempt, Listener, Out, Says, Unheld};
use crate::scene::{CHANGED, SECRET, Scene, Seen, User, is_root, users};

/// What the system says when it denies something.
const WORDS: &[&str] = &[
    "annot",
    "can't",
    "must be root",
    "limit exceeded",
    "denied",
    "nexistent",
    "not permitted",
    "Read-only",
    "No such",
    "refused",
    "nreachable",
    "not found",
    "busy",
    "temporarily unavailable",
    "No space",
    "oo large",
    "ross-device",
    "Bad file descriptor",
    "name resolution",
    "Name or service",
    "failed",
];

/// Everything in the table, as every user that this machine can be tested as.
///
/// @run_sandbox
#[test]
fn nothing_gets_out_of_the_full_sandbox() {
    assert!(ATTEMPTS.len() >= 40);
    let mut wrong = Vec::new();
    for user in users() {
        for attempt in ATTEMPTS {
            wrong.extend(held(attempt, user, Level::Full).err());
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ATTEMPTS.len(), wrong.join("\n"));
}

/// The same scripts without a sandbox: a test that sees nothing get out shows nothing otherwise.
///
/// @run_sandbox
#[test]
fn without_a_sandbox_the_same_attempts_get_out() {
    let mut wrong = Vec::new();
    for user in users() {
        let is_root = is_root() && user == User::Own;
        for attempt in ATTEMPTS {
            let gets_out = match attempt.unheld {
                Unheld::Everywhere => true,
                Unheld::AsRoot => is_root,
                Unheld::Never => false,
            };
            if gets_out {
                wrong.extend(unheld(attempt, user).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ATTEMPTS.len(), wrong.join("\n"));
}

/// Landlock alone holds what it can, which the table says.
///
/// @run_sandbox_levels
#[test]
fn landlock_alone_holds_most_attempts() {
    let mut wrong = Vec::new();
    for user in users() {
        for attempt in ATTEMPTS.iter().filter(|attempt| attempt.landlock) {
            wrong.extend(held(attempt, user, Level::Landlock).err());
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn held(attempt: &Attempt, user: User, level: Level) -> Result<(), String> {
    let scene = Scene::new(user);
    let mut plan = scene.plan(attempt.script);
    plan.level = level;
    if level < Level::Full {
        plan.hidden.retain(|hidden| !hidden.starts_with(scene.project()));
    }
    attempt.limit(&mut plan);
    let watch = Watch::start(&scene, attempt);
    let (seen, typed) = match attempt.out {
        Out::Typed => at_terminal(&scene, &Some(plan), attempt.script),
        _ => (scene.sandboxed(&plan), String::new()),
    };
    let name = format!("{} ({user:?}, {level:?})", attempt.name);
    if let Some(failed) = &seen.failed {
        return Err(format!("{name}: cannot be run: {failed}"));
    }
    if watch.got_out(&scene, attempt, &seen, &typed) {
        return Err(format!("{name}: got out; {seen:?}"));
    }
    if level == Level::Full && !says_so(attempt, &seen) {
        return Err(format!("{name}: does not say what was denied; {seen:?}"));
    }
    Ok(())
}

fn unheld(attempt: &Attempt, user: User) -> Result<(), String> {
    let scene = Scene::new(user);
    let watch = Watch::start(&scene, attempt);
    let time = match attempt.out {
        Out::Longer(time) => time + Duration::from_millis(100),
        _ => Duration::from_secs(30),
    };
    let (seen, typed) = match attempt.out {
        Out::Typed => at_terminal(&scene, &None, attempt.script),
        _ => (scene.unheld(attempt.script, time), String::new()),
    };
    let got_out = watch.got_out(&scene, attempt, &seen, &typed);
    for place in ["/tmp", "/dev/shm"] {
        let _ = fs::remove_file(Path::new(place).join(&scene.mark));
    }
    if got_out { Ok(()) } else { Err(format!("{} ({user:?}): did not get out; {seen:?}", attempt.name)) }
}

fn says_so(attempt: &Attempt, seen: &Seen) -> bool {
    let Some(ended) = &seen.ended else { return false };
    let words = WORDS.iter().any(|word| seen.text.contains(word));
    match attempt.says {
        Says::Words => words,
        Says::Stopped(stop) => ended.stopped_by == Some(stop),
        Says::WordsOr(stop) => words || ended.stopped_by == Some(stop),
        Says::Refused => !ended.refused.is_empty(),
        Says::Cut => ended.cut,
        Says::Silent(why) => !why.is_empty(),
    }
}

/// Runs at a terminal of its own, and answers with what came out of it beside the script's output.
fn at_terminal(scene: &Scene, plan: &Option<Plan>, script: &str) -> (Seen, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let open = || fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
    let held_open = open();
    let path = scene.path("plan.json");
    fs::write(&path, serde_json::to_vec(plan).unwrap()).unwrap();
    let stage = scene.path("stage");
    let script = match plan {
        Some(_) => format!("exec {} <{}", stage.display(), path.display()),
        None => script.to_owned(),
    };
    let started = Instant::now();
    let output = scene
        .as_user("setsid", &["--ctty", "--wait", "sh", "-c", &script])
        .envs(scene.variables())
        .stdin(open())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default().to_owned();
    let ended: Option<Result<nudge_sandbox::Ended, String>> = serde_json::from_str(&last).ok();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    drop(held_open);
    let failed = ended.as_ref().and_then(|ended| ended.as_ref().err().cloned());
    let seen = Seen { text, ended: ended.and_then(Result::ok), failed, took: started.elapsed() };
    let mut typed = Vec::new();
    // Ends with an error, as nobody has the other side open.
    let _ = fs::File::from(terminal).read_to_end(&mut typed);
    (seen, String::from_utf8_lossy(&typed).into_owned())
}

/// Looks from outside while an attempt is made.
struct Watch {
    before: Option<String>,
    clock: (SystemTime, Instant),
    over: Arc<AtomicBool>,
    most_processes: Arc<AtomicUsize>,
    most_memory: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    fn start(scene: &Scene, attempt: &Attempt) -> Self {
        let before = match attempt.out {
            Out::MachineChanged(path) | Out::Text(path) => Some(fs::read_to_string(path).unwrap_or_default()),
            Out::Changed(path) => Some(fs::read_to_string(scene.path(path)).unwrap()),
            _ => None,
        };
        let mut watch = Self {
            before,
            clock: (SystemTime::now(), Instant::now()),
            over: Arc::default(),
            most_processes: Arc::default(),
            most_memory: Arc::default(),
            thread: None,
        };
        if matches!(attempt.out, Out::Processes(_) | Out::Memory(_)) {
            let (over, processes, memory) =
                (watch.over.clone(), watch.most_processes.clone(), watch.most_memory.clone());
            let mark = scene.mark.clone();
            watch.thread = Some(std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let (count, bytes) = marked_use(&mark);
                    processes.fetch_max(count, Ordering::Relaxed);
                    memory.fetch_max(bytes, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(10));
                }
            }));
        }
        watch
    }

    fn got_out(mut self, scene: &Scene, attempt: &Attempt, seen: &Seen, typed: &str) -> bool {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
        let on_machine = |path: &str| path.replace("$MARK", &scene.mark);
        match attempt.out {
            Out::Changed(path) => {
                fs::read_to_string(scene.path(path)).unwrap_or(CHANGED.to_owned()) != self.before.unwrap()
            }
            Out::Exists(path) => fs::symlink_metadata(scene.path(path)).is_ok(),
            Out::OnMachine(path) => Path::new(&on_machine(path)).exists(),
            Out::MachineChanged(path) => Some(fs::read_to_string(path).unwrap_or_default()) != self.before,
            Out::Gone(path) => fs::symlink_metadata(scene.path(path)).is_err(),
            Out::Link(path) => fs::symlink_metadata(scene.path(path)).is_ok_and(|file| file.is_symlink()),
            Out::RunsAsOwner(path) => {
                fs::metadata(scene.path(path)).is_ok_and(|file| file.permissions().mode() & 0o6000 != 0)
            }
            Out::Secret => seen.text.contains(SECRET),
            Out::Text(_) => seen.text.contains(self.before.unwrap().lines().next().unwrap_or("no line")),
            Out::Printed(text) => seen.text.contains(text),
            Out::Reached(listener) => reached(scene, listener),
            Out::VictimDead => {
                // It takes a moment.
                (0..20).any(|_| {
                    std::thread::sleep(Duration::from_millis(5));
                    !is_alive(scene.victim.id())
                })
            }
            Out::Alive => {
                std::thread::sleep(Duration::from_millis(50));
                !scene.marked().is_empty()
            }
            Out::Processes(count) => self.most_processes.load(Ordering::Relaxed) > count,
            Out::Memory(bytes) => self.most_memory.load(Ordering::Relaxed) > bytes,
            Out::Larger(path, bytes) => size(&scene.path(path)) > bytes,
            Out::LargerOnMachine(path, bytes) => size(Path::new(&on_machine(path))) > bytes,
            Out::Output(bytes) => seen.text.len() > bytes,
            Out::Longer(time) => seen.took > time,
            Out::Typed => typed.contains(&scene.mark),
            Out::Clock => {
                let expected = self.clock.0 + self.clock.1.elapsed();
                let now = SystemTime::now();
                let apart = now.duration_since(expected).or_else(|_| expected.duration_since(now)).unwrap();
                apart > Duration::from_secs(60)
            }
        }
    }
}

fn reached(scene: &Scene, listener: Listener) -> bool {
    match listener {
        Listener::Tcp => scene.tcp.accept().is_ok(),
        Listener::Tcp6 => scene.tcp6.as_ref().is_none_or(|tcp6| tcp6.accept().is_ok()),
        Listener::Udp => scene.udp.recv(&mut [0; 9]).is_ok(),
        Listener::Named => scene.named.accept().is_ok(),
        Listener::Server => scene.server.accept().is_ok(),
        Listener::Abstract => scene.abstract_.accept().is_ok(),
    }
}

/// Whether a process runs. A child that nobody waited for does not.
fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn marked_use(mark: &str) -> (usize, u64) {
    let (mut count, mut bytes) = (0, 0);
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(mark) {
            count += 1;
            let text = fs::read_to_string(entry.path().join("statm")).unwrap_or_default();
            bytes += text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096;
        }
    }
    (count, bytes)
}

fn size(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.blocks() * 512;
    }
    fs::read_dir(path).unwrap().flatten().map(|entry| size(&entry.path())).sum()
}
