//! No path, link or special file leads out of the root.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

use nudge_home::workspace::{Expected, FileHash, OutsideRoot};
use nudge_home::{Home, Workspace};

use super::support::{Project, reason};

const MAX: u64 = 1024 * 1024;

/// @files_inside_root A path that is absolute, climbs, or names `.git` in any spelling is refused.
#[test]
fn a_path_names_a_file_below_the_root_or_nothing() {
    let project = Project::new();
    let cases = [
        ("../outside/secret", "path_traversal"),
        ("a/../../outside/secret", "path_traversal"),
        ("/etc/passwd", "path_absolute"),
        ("", "path_empty"),
        (".", "path_not_plain"),
        ("a\0", "path_control"),
        (".git/config", "path_in_git"),
        (".GIT/hooks/pre-commit", "path_in_git"),
        ("sub/.git/hooks/pre-commit", "path_in_git"),
        ("git~1/hooks/pre-commit", "path_in_git"),
        (".g\u{200c}it/hooks/pre-commit", "path_in_git"),
    ];
    for (path, expected) in cases {
        assert_eq!(project.files.resolve(path).expect_err("refused").reason(), expected, "{path:?}");
    }
    assert_eq!(project.path("src/main.rs").as_str(), "src/main.rs");
}

/// @files_inside_root Nudge's own directory inside a root is refused in every case of letters, and
/// a root inside it cannot be opened.
#[test]
fn the_home_of_nudge_is_no_part_of_a_project() {
    let project = Project::new();
    let home = Home::locate(Some(&project.root.join("data/nudge")), &|_| None).expect("absolute");
    let files = Workspace::open(&project.root).expect("opened").keeping_out(&home).expect("kept out");
    for path in ["data/nudge", "data/nudge/nudge.db", "DATA/Nudge/run/token"] {
        assert!(matches!(files.resolve(path), Err(OutsideRoot::Home(_))), "{path}");
    }
    files.resolve("data/nudged").expect("another directory");
    // A path that another workspace accepted is checked again.
    let path = project.path("data/nudge/nudge.db");
    assert_eq!(reason(files.write(&path, "x", Expected::Any)), "path_in_home");
    assert_eq!(reason(files.read(&path, MAX)), "path_in_home");
    project.put("data/nudge/nudge.db", "x");
    project.put("data/a", "x");
    let scan = files.scan(&super::support::rules(&[]), &|| false);
    assert_eq!(scan.files.into_iter().map(|file| file.path).collect::<Vec<_>>(), ["data/a"]);
    let inside = Workspace::open(&project.root.join("data/nudge")).expect("opened").keeping_out(&home);
    assert_eq!(inside.expect_err("refused").kind(), std::io::ErrorKind::PermissionDenied);
}

/// @files_inside_root A linked file is neither read, written, removed nor renamed, wherever it
/// points.
#[test]
fn a_linked_file_is_refused() {
    let project = Project::new();
    project.put("real", "inside");
    symlink(project.outside.join("secret"), project.root.join("out")).expect("linked");
    symlink(project.root.join("real"), project.root.join("in")).expect("linked");
    symlink(project.outside.join("new"), project.root.join("dangling")).expect("linked");
    for name in ["out", "in", "dangling"] {
        let path = project.path(name);
        assert_eq!(reason(project.files.read(&path, MAX)), "file_link", "{name}");
        for expected in [Expected::Any, Expected::Absent, Expected::Hash(FileHash::of(b"secret"))] {
            assert_eq!(reason(project.files.write(&path, "x", expected)), "file_link", "{name}");
            assert_eq!(reason(project.files.remove(&path, expected)), "file_link", "{name}");
            let to = project.path("moved");
            assert_eq!(reason(project.files.rename(&path, &to, expected)), "file_link", "{name}");
        }
        let real = project.path("real");
        assert_eq!(reason(project.files.rename(&real, &path, Expected::Any)), "file_exists", "{name}");
    }
    assert_eq!(project.text("real"), "inside");
    project.assert_outside_untouched();
}

/// @files_inside_root A linked directory anywhere on the way is refused.
#[test]
fn a_linked_directory_is_refused() {
    let project = Project::new();
    fs::create_dir(project.root.join("a")).expect("created");
    project.put("real", "inside");
    symlink(&project.outside, project.root.join("link")).expect("linked");
    symlink(&project.outside, project.root.join("a/link")).expect("linked");
    symlink("../outside", project.root.join("relative")).expect("linked");
    for dir in ["link", "a/link", "relative", "link/deeper", "a/link/deeper/still"] {
        let (secret, new) = (project.path(&format!("{dir}/secret")), project.path(&format!("{dir}/new")));
        assert_eq!(reason(project.files.read(&secret, MAX)), "file_link", "{dir}");
        assert_eq!(reason(project.files.write(&new, "x", Expected::Absent)), "file_link", "{dir}");
        assert_eq!(reason(project.files.write(&secret, "x", Expected::Any)), "file_link", "{dir}");
        assert_eq!(reason(project.files.remove(&secret, Expected::Any)), "file_link", "{dir}");
        let real = project.path("real");
        assert_eq!(reason(project.files.rename(&real, &new, Expected::Any)), "file_link", "{dir}");
        assert_eq!(reason(project.files.rename(&secret, &real, Expected::Any)), "file_link", "{dir}");
    }
    project.assert_outside_untouched();
}

/// @files_inside_root Pipes, sockets, devices and directories are refused at once, with a reason.
#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let project = Project::new();
    let pipe = project.root.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let _socket = UnixListener::bind(project.root.join("socket")).expect("bound");
    fs::create_dir(project.root.join("dir")).expect("created");
    let began = Instant::now();
    for (name, said) in [("pipe", "a pipe"), ("socket", "a socket"), ("dir", "a directory")] {
        let path = project.path(name);
        let error = project.files.read(&path, MAX).expect_err("refused");
        assert_eq!(error.to_string(), format!("{name} is {said}, not a file"));
        assert_eq!(reason(project.files.write(&path, "x", Expected::Any)), "file_not_regular");
        assert_eq!(reason(project.files.remove(&path, Expected::Any)), "file_not_regular");
        assert_eq!(
            reason(project.files.rename(&path, &project.path("to"), Expected::Any)),
            "file_not_regular"
        );
    }
    let devices = Workspace::open(std::path::Path::new("/dev")).expect("opened");
    let null = devices.resolve("null").expect("valid");
    assert_eq!(reason(devices.read(&null, MAX)), "file_not_regular");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(project.names(""), ["dir", "pipe", "socket"]);
}

/// @files_inside_root A file in the place of a directory is named as such.
#[test]
fn a_file_is_no_directory() {
    let project = Project::new();
    project.put("a", "x");
    let path = project.path("a/b");
    assert_eq!(reason(project.files.read(&path, MAX)), "file_parent_not_a_directory");
    assert_eq!(reason(project.files.write(&path, "x", Expected::Any)), "file_parent_not_a_directory");
}

/// @files_inside_root Binary and large files are refused with the reason, text is returned whole.
#[test]
fn only_text_of_a_bearable_size_is_read() {
    let project = Project::new();
    project.put("text", "grüße\r\n");
    let read = project.files.read(&project.path("text"), 9).expect("read");
    assert_eq!((read.text.as_str(), read.size), ("grüße\r\n", 9));
    assert_eq!(read.hash, FileHash::of("grüße\r\n".as_bytes()));
    assert_eq!(reason(project.files.read(&project.path("text"), 8)), "file_too_large");
    fs::write(project.root.join("nul"), b"a\0b").expect("written");
    fs::write(project.root.join("latin"), b"gr\xfc\xdfe").expect("written");
    assert_eq!(reason(project.files.read(&project.path("nul"), MAX)), "file_binary");
    assert_eq!(reason(project.files.read(&project.path("latin"), MAX)), "file_binary");
    assert_eq!(reason(project.files.read(&project.path("none"), MAX)), "file_missing");
    assert_eq!(reason(project.files.read(&project.path("no/ne"), MAX)), "file_missing");
}

/// @files_inside_root A root must be a directory; a link to one is opened by its real path.
#[test]
fn a_root_is_a_real_directory() {
    let project = Project::new();
    project.put("file", "x");
    Workspace::open(&project.root.join("file")).expect_err("a file");
    Workspace::open(&project.root.join("none")).expect_err("missing");
    let link = project.outside.join("link");
    symlink(&project.root, &link).expect("linked");
    assert_eq!(Workspace::open(&link).expect("opened").root(), project.root);
}
