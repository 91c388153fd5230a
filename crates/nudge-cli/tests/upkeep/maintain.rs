//! Maintenance while others work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use nudge_core::ObservationKind as Kind;
use nudge_memory::capture::spool::Spool;
use nudge_testkit::EventBuilder;
use serde_json::{Value, json};

use crate::upkeep::setup::{DAY, MINUTE, Scene, did, said, touched};

/// @maintain_steps: every step is reported; a step that fails is reported too, and the next one
/// still runs.
#[test]
fn each_step_is_taken_and_injected() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1_000);
    let late = said("s-2", "shop", scene.now - 2 * DAY, "said while nobody could write");
    Spool::of(&scene.place()).append(&late).expect("spooled");
    assert_snapshot!("maintain", scene.home.run(["maintain", "--remove-all-due"]).page());
    assert_eq!(scene.stored()["prompts"], 1);

    let scene = Scene::new();
    scene.worked("s-1", "shop", 1);
    // A directory in place of the spool file: the spool cannot be imported.
    std::fs::create_dir_all(scene.place().run_dir().join("spool/taken-1-0.jsonl")).expect("made");
    let outcome = scene.home.run(["maintain", "--json"]);
    assert_eq!(outcome.code, Some(1));
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let steps = answer["steps"].as_array().expect("steps");
    assert!(steps[0]["failed"].is_string(), "{answer}");
    assert_eq!(steps[1]["did"], json!({"written": 1}));
    assert!(steps[1..].iter().all(|step| step.get("failed").is_none()), "{answer}");
}

/// @maintain_steps: backups that a killed process left half written are removed an hour later, by
/// upkeep and by the next backup. Files elsewhere are the user's, whatever they are called.
#[test]
fn half_written_backups_are_removed() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1_000);
    let left = |dir: &str, name: &str, hours: u64| {
        let path = scene.home.file(&format!("{dir}/{name}"), "a copy of everything");
        let file = std::fs::File::options().write(true).open(&path).expect("opened");
        let then = std::time::SystemTime::now() - Duration::from_secs(hours * 60 * 60);
        file.set_modified(then).expect("made to look old");
        path
    };
    let backups = ".local/share/nudge/backups";
    let old = [left(backups, ".nudge-backup-a", 2), left(backups, ".nudge-backup-a-wal", 2)];
    let stay = [left(backups, ".nudge-backup-b", 0), left(backups, "nudge-own.db", 2)];
    let answer = scene.home.run(["maintain", "--json"]).json();
    let steps = answer["steps"].as_array().expect("steps");
    let sweep = steps.iter().find(|step| step["step"] == "sweep").expect("a sweep");
    assert_eq!(sweep["did"]["drafts"], 2, "{answer}");
    assert!(old.iter().all(|path| !path.exists()) && stay.iter().all(|path| path.exists()));
    let old = left(backups, ".nudge-backup-c", 2);
    let beside = left("elsewhere", ".nudge-backup-notes.md", 2);
    scene.home.run(["backup", "elsewhere/copy.db"]).ok();
    assert!(beside.exists(), "a file of the user");
    assert!(!old.exists() && stay.iter().all(|path| path.exists()));
}

/// @maintain_steps: without a memory there is nothing to maintain.
#[test]
fn there_must_be_a_memory() {
    let home = nudge_testkit::TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    home.run(["maintain"]).exits(3);
}

/// The number of observations to process; fewer in an unoptimised build, which is that much slower.
const ENTRIES: i64 = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// How long a maintenance transaction may hold the write lock.
const MAX_HELD: Duration = Duration::from_millis(50);

/// A hook's deadline for a tool event.
const DEADLINE: Duration = Duration::from_millis(150);

/// @maintain_lock: while a hundred thousand observations are summarised and deleted, no transaction
/// holds the lock for more than 50 ms, and no other writer waits as long as
/// a hook's deadline.
#[test]
fn nobody_waits_for_upkeep() {
    let scene = Scene::new();
    let memory = scene.memory();
    let old = scene.now - 200 * DAY;
    for batch in 0..ENTRIES / 5_000 {
        let one = |number: i64| {
            let at = old + number;
            let session = format!("s-{}", number / 500);
            match number % 3 {
                0 => did(&session, "shop", at, Kind::Command, "cargo build --release"),
                _ => touched(&session, "shop", at, Kind::FileWrite, &format!("/w/shop/{}.rs", number % 997)),
            }
        };
        let events: Vec<_> = (batch * 5_000..(batch + 1) * 5_000).map(one).map(EventBuilder::build).collect();
        memory.receive_all(&events).expect("kept");
    }
    let done = AtomicBool::new(false);
    let (answer, waits, noise) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut waits = Vec::new();
            let mut number = 0;
            while !done.load(Ordering::Relaxed) {
                number += 1;
                let captured = did("live", "shop", scene.now - MINUTE + number, Kind::Command, "ls");
                let began = Instant::now();
                memory.receive(&captured).expect("kept");
                waits.push(began.elapsed());
                thread::sleep(Duration::from_millis(3));
            }
            waits
        });
        let noise = scope.spawn(|| longest_nap(&done));
        let asked = ["maintain", "--remove-all-due", "--json"];
        let answer = scene.home.nudge(asked).env("NUDGE_RETENTION", "file_write=100").run().json();
        done.store(true, Ordering::Relaxed);
        let join = "the threads do not panic";
        (answer, writer.join().expect(join), noise.join().expect(join))
    });
    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps[1]["did"]["written"], ENTRIES / 500);
    assert_eq!(steps[2]["did"]["observations"], ENTRIES);
    for step in steps {
        let held = Duration::from_secs_f64(step["held_ms"].as_f64().expect("a number") / 1e3);
        assert!(held <= MAX_HELD + noise, "{step}, beside naps of up to {noise:?}");
    }
    let longest = waits.iter().max().expect("some writes");
    assert!(
        waits.len() > 100 && *longest < DEADLINE + noise,
        "{} writes, the slowest waited {longest:?} beside naps of up to {noise:?}",
        waits.len()
    );
}

/// The longest delay before the system wakes a thread while others work: no process can be faster
/// than that.
fn longest_nap(done: &AtomicBool) -> Duration {
    let nap = Duration::from_millis(1);
    let mut longest = Duration::ZERO;
    while !done.load(Ordering::Relaxed) {
        let began = Instant::now();
        thread::sleep(nap);
        longest = longest.max(began.elapsed() - nap);
    }
    longest
}
