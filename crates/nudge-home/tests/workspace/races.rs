//! What others do to the disk in the middle of a call.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nudge_home::workspace::{Expected, FileError, FileHash};

use super::support::{Project, rules};

/// Ends the other thread, also when this one panics.
struct Done<'d>(&'d AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` while another thread swaps `root/dir` between a directory and a link to outside.
fn while_swapping(project: &Project, work: impl FnOnce()) {
    let (dir, away) = (project.root.join("dir"), project.root.join("away"));
    fs::create_dir(&dir).expect("created");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            let mut swaps = 0;
            while !done.load(Ordering::Relaxed) || swaps == 0 {
                // A write may recreate the directory in between.
                if fs::rename(&dir, &away).is_ok() {
                    let _ = symlink(&project.outside, &dir);
                    thread::yield_now();
                    let _ = fs::remove_file(&dir);
                    let _ = fs::remove_dir_all(&dir);
                    let _ = fs::rename(&away, &dir);
                    swaps += 1;
                } else {
                    let _ = fs::remove_dir_all(&away);
                    let _ = fs::create_dir(&dir);
                }
            }
            swaps
        });
        let ending = Done(&done);
        work();
        drop(ending);
        assert!(swapping.join().expect("no panic") > 0);
    });
}

/// @files_inside_root A directory that is swapped for a link during a write leads nowhere: of two
/// thousand writes none arrives outside. On a busy machine the link may be there for all of them,
/// so it goes on until some met the directory.
#[test]
fn a_swapped_directory_leads_no_write_outside() {
    let project = Project::new();
    let (path, mut written) = (project.path("dir/file"), 0);
    while_swapping(&project, || {
        let began = Instant::now();
        let mut writes = 0;
        while writes < 2_000 || (written == 0 && began.elapsed() < Duration::from_secs(20)) {
            written += usize::from(project.files.write(&path, "x", Expected::Any).is_ok());
            writes += 1;
        }
    });
    project.assert_outside_untouched();
    assert!(written > 0, "some writes meet the directory");
}

/// @files_inside_root Reads, removals, renames and scans do not get outside by a swapped directory.
#[test]
fn a_swapped_directory_leads_nothing_else_outside() {
    let project = Project::new();
    project.put("own", "own");
    let (secret, own) = (project.path("dir/secret"), project.path("own"));
    while_swapping(&project, || {
        for round in 0..2_000 {
            if let Ok(read) = project.files.read(&secret, 100) {
                assert_ne!(read.text, "secret", "the file outside was read");
            }
            let _ = project.files.remove(&secret, Expected::Any);
            let _ = project.files.remove(&secret, Expected::Hash(FileHash::of(b"secret")));
            let _ = project.files.rename(&secret, &project.path(&format!("stolen{round}")), Expected::Any);
            let _ = project.files.rename(&own, &project.path("dir/own"), Expected::Any);
            if round % 10 == 0 {
                let scan = project.files.scan(&rules(&[]), &|| false);
                assert!(scan.files.iter().all(|file| file.path != "dir/secret"), "{:?}", scan.files);
            }
        }
    });
    project.assert_outside_untouched();
}

/// @files_atomic_write A reader sees the old content or the new, never a part of one.
#[test]
fn a_reader_never_sees_half_a_file() {
    let project = Project::new();
    let path = project.path("file");
    let texts = ["a".repeat(200_000), "b".repeat(300_000)];
    project.files.write(&path, &texts[0], Expected::Any).expect("written");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) || reads == 0 {
                let text = fs::read_to_string(project.root.join("file")).expect("always there");
                assert!(texts.contains(&text), "{} bytes", text.len());
                reads += 1;
            }
            reads
        });
        let ending = Done(&done);
        for round in 0..200 {
            project.files.write(&path, &texts[round % 2], Expected::Any).expect("written");
        }
        drop(ending);
        assert!(reading.join().expect("no panic") > 0);
    });
    assert_eq!(project.names(""), ["file"]);
}

/// @files_atomic_write Of several writers that expect no file, one wins.
#[test]
fn one_of_many_creates_a_file() {
    let project = Project::new();
    let path = project.path("new/file");
    for _ in 0..50 {
        let write = || project.files.write(&path, "x", Expected::Absent);
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(write)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        let mut losers = results.into_iter().filter_map(Result::err);
        assert!(losers.all(|error| matches!(error, FileError::Changed { .. })));
        project.files.remove(&path, Expected::Any).expect("removed");
    }
}
