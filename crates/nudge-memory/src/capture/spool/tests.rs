//! Each captured event is stored once, whatever happens on the way.

use std::os::unix::fs::PermissionsExt;

use nudge_core::Speaker;
use nudge_core::{Fault, FaultKind, Timestamp};
use tempfile::TempDir;

use super::*;
use crate::capture::drops::Drops;
use crate::capture::{EventBody, sample};

/// A key in the documented shape of the vendor's example keys.
const KEY: &str = concat!("AKIA", "QZ3MFJ6T2XW7NB4D");

struct Stage {
    dir: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { dir: TempDir::new().expect("temporary directory") }
    }

    fn home(&self) -> Home {
        Home::locate(Some(self.dir.path()), &|_| None).expect("absolute")
    }

    fn spool(&self) -> Spool {
        Spool::of(&self.home())
    }

    fn open_file(&self) -> PathBuf {
        self.spool().dir.join(OPEN_FILE)
    }

    /// Processes everything that `keep` accepts; returns the prompts in order.
    fn take(&self, mut keep: impl FnMut(&str) -> Result<(), Fault>) -> (Vec<String>, DrainReport) {
        let mut kept = Vec::new();
        let taken = drain_spool(&self.home(), Timestamp::from_millis(9), None, |captured| {
            let EventBody::Prompt { text, .. } = &captured.what else { panic!("only prompts were spooled") };
            keep(text)?;
            kept.push(text.clone());
            Ok(())
        });
        (kept, taken.expect("taken in"))
    }

    fn take_all(&self) -> Vec<String> {
        self.take(|_| Ok(())).0
    }
}

fn prompt(text: &str) -> CapturedEvent {
    let what = EventBody::Prompt { text: text.to_owned(), by: Speaker::Person };
    sample::event("0b5e6a1c-58a4-4a4e-9d51-5d0f6a4f0f55", "/p", 5, -77, &what)
}

#[test]
fn what_is_spooled_is_taken_in_once_and_in_order() {
    let stage = Stage::new();
    for text in ["one", "two\nlines", "three"] {
        stage.spool().append(&prompt(text)).expect("spooled");
    }
    let mode = |path: PathBuf| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(stage.open_file()), mode(stage.spool().dir)), (0o600, 0o700));
    assert_eq!(stage.take_all(), ["one", "two\nlines", "three"]);
    assert_eq!(stage.take_all(), [""; 0]);
    assert!(!stage.spool().dir.exists(), "an empty spool leaves nothing behind");
    stage.spool().append(&prompt("four")).expect("spooled");
    assert_eq!(stage.take_all(), ["four"]);
}

#[test]
fn the_moment_comes_back_as_it_was_but_for_credentials() {
    let stage = Stage::new();
    let mut captured = prompt("plain words");
    stage.spool().append(&captured).expect("spooled");
    let mut came = Vec::new();
    drain_spool(&stage.home(), Timestamp::from_millis(9), None, |captured| {
        came.push(captured.clone());
        Ok(())
    })
    .expect("taken in");
    assert_eq!(came, [captured.clone()]);
    captured.cwd = Some(format!("/srv/{KEY}"));
    captured.what = EventBody::Prompt { text: format!("deploy with {KEY}"), by: Speaker::Person };
    stage.spool().append(&captured).expect("spooled");
    let raw = fs::read_to_string(stage.open_file()).expect("readable");
    assert!(!raw.contains(KEY), "{raw}");
    assert_eq!(stage.take_all(), ["deploy with [REDACTED]"]);
}

#[test]
fn what_the_memory_cannot_take_now_waits() {
    let stage = Stage::new();
    for text in ["one", "two", "three"] {
        stage.spool().append(&prompt(text)).expect("spooled");
    }
    let busy = |text: &str| match text {
        "two" => Err(Fault::new(FaultKind::Busy, "busy", "busy")),
        _ => Ok(()),
    };
    let (kept, taken) = stage.take(busy);
    assert_eq!((kept, taken), (vec!["one".to_owned()], DrainReport { kept: 1, dropped: 0, left: true }));
    stage.spool().append(&prompt("four")).expect("spooled");
    assert_eq!(stage.take_all(), ["two", "three", "four"]);
}

#[test]
fn torn_and_refused_lines_do_not_hold_the_others_up() {
    let stage = Stage::new();
    for text in ["one", "two"] {
        stage.spool().append(&prompt(text)).expect("spooled");
    }
    let whole = fs::read(stage.open_file()).expect("readable");
    fs::write(stage.open_file(), [&whole[..], b"{\"harness\":\"cla"].concat()).expect("torn");
    stage.spool().append(&prompt("three")).expect("spooled");
    let refuse = |text: &str| match text {
        "two" => Err(Fault::invalid("no", "no")),
        _ => Ok(()),
    };
    let (kept, taken) = stage.take(refuse);
    assert_eq!(kept, ["one", "three"]);
    assert_eq!(taken, DrainReport { kept: 2, dropped: 2, left: false });
    let report = Drops::of(&stage.home()).read().expect("readable");
    assert_eq!(report.by_reason, [("refused", 1), ("torn", 1)].into());
}

#[test]
fn a_file_that_a_taker_left_behind_is_taken_in_by_the_next() {
    let stage = Stage::new();
    stage.spool().append(&prompt("one")).expect("spooled");
    fs::rename(stage.open_file(), stage.spool().dir.join("taken-1-0.jsonl")).expect("put aside");
    stage.spool().append(&prompt("two")).expect("spooled");
    assert_eq!(stage.take_all(), ["one", "two"]);
}

#[test]
fn writers_and_takers_at_once_lose_nothing() {
    let stage = Stage::new();
    let all: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let spool = stage.spool();
                scope.spawn(move || {
                    for n in 0..50 {
                        spool.append(&prompt(&format!("{writer}-{n}"))).expect("spooled");
                    }
                })
            })
            .collect();
        let mut all = Vec::new();
        while writers.iter().any(|writer| !writer.is_finished()) {
            all.extend(stage.take_all());
        }
        for writer in writers {
            writer.join().expect("no panic");
        }
        all.extend(stage.take_all());
        all
    });
    let mut seen = all.clone();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((seen.len(), all.len()), (200, 200));
}

#[test]
fn a_spool_that_is_held_is_gone_around() {
    let stage = Stage::new();
    stage.spool().append(&prompt("one")).expect("spooled");
    let held = File::open(stage.open_file()).expect("opened");
    held.lock().expect("locked");
    stage.spool().append(&prompt("two")).expect("spooled apart");
    drop(held);
    assert_eq!(stage.take_all(), ["one", "two"]);
}
