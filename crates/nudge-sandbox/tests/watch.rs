//! How one sees from outside that an attempt got out, and in its words that something was denied.
//! Also for the drill `attempts`, which runs the same attempts as commands of a run.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::attempts::{Attempt, Listener, Out};
use super::scene::{CHANGED, SECRET, Scene, Seen};

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

/// Whether the system says in a text that it denied something.
pub(crate) fn has_words(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

/// Looks from outside while an attempt is made.
pub(crate) struct Watch {
    before: Option<String>,
    clock: (SystemTime, Instant),
    over: Arc<AtomicBool>,
    most_processes: Arc<AtomicUsize>,
    most_memory: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    pub(crate) fn start(scene: &Scene, attempt: &Attempt) -> Self {
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

    pub(crate) fn got_out(mut self, scene: &Scene, attempt: &Attempt, seen: &Seen, typed: &str) -> bool {
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
