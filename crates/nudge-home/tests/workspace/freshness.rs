//! When a file must be hashed again.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use nudge_home::workspace::{KnownFile, ScannedFile, is_fresh};

use super::support::Project;

fn found(project: &Project) -> ScannedFile {
    project.scan(&[]).files.into_iter().next().expect("one file")
}

fn known(project: &Project) -> KnownFile {
    project.files.read(&project.path("a"), 100).expect("read").known()
}

/// The same, as if it had been read when the file was no longer young.
fn known_for_long(project: &Project) -> KnownFile {
    let known = known(project);
    KnownFile { hashed_ms: known.hashed_ms + 10_000, ..known }
}

fn set_time(project: &Project, time: SystemTime) {
    let file = File::options().write(true).open(project.root.join("a")).expect("opened");
    file.set_modified(time).expect("time set");
}

/// @files_freshness A file that was settled when it was read is not hashed again until it changes.
#[test]
fn an_old_file_is_trusted_until_it_changes() {
    let project = Project::new();
    project.put("a", "one");
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    set_time(&project, hour_ago);
    assert!(!is_fresh(&known(&project), &found(&project)), "its time was set just now");
    let known = known_for_long(&project);
    assert!(is_fresh(&known, &found(&project)));
    // The same size, and a time that somebody put back.
    project.put("a", "two");
    assert!(!is_fresh(&known, &found(&project)));
    // Clocks of file systems tick in milliseconds.
    while found(&project).changed_ms == known.changed_ms {
        project.put("a", "two");
    }
    set_time(&project, hour_ago);
    let found = found(&project);
    assert_eq!((known.size, known.modified_ms), (found.size, found.modified_ms));
    assert!(!is_fresh(&known, &found), "the time of the change tells");
}

/// @files_freshness A file that was written within two seconds of its hash is hashed again, and so
/// is one dated in the future.
#[test]
fn a_young_file_is_not_trusted() {
    let project = Project::new();
    project.put("a", "one");
    assert!(!is_fresh(&known(&project), &found(&project)));
    set_time(&project, SystemTime::now() + Duration::from_secs(3_600));
    assert!(!is_fresh(&known(&project), &found(&project)));
}

/// @files_freshness Another file under the same name is noticed.
#[test]
fn a_replaced_file_is_noticed() {
    let project = Project::new();
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    project.put("a", "one");
    set_time(&project, hour_ago);
    let known = known_for_long(&project);
    fs::rename(project.root.join("a"), project.outside.join("old")).expect("moved");
    project.put("a", "two");
    set_time(&project, hour_ago);
    let found = found(&project);
    assert_eq!((known.size, known.modified_ms), (found.size, found.modified_ms));
    assert!(!is_fresh(&known, &found));
}
