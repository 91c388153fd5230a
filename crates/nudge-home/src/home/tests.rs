//! Where files are, and which directories are rejected.

use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

fn locate(flag: Option<&str>, vars: &[(&str, &str)]) -> Result<Home, Fault> {
    let env =
        |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
    Home::locate(flag.map(Path::new), &env)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("is there").permissions().mode() & 0o777
}

fn temporary() -> (TempDir, Home) {
    let dir = TempDir::new().expect("temporary directory");
    let root = dir.path().join("memory");
    let home = Home::locate(Some(&root), &|_| None).expect("absolute");
    (dir, home)
}

#[test]
fn home_alone_decides_where_the_memory_lies() {
    let home = locate(None, &[("HOME", "/home/me"), ("XDG_DATA_HOME", "/x"), ("XDG_RUNTIME_DIR", "/y")])
        .expect("found");
    assert!(home.is_default());
    assert_eq!(home.root(), Path::new("/home/me/.local/share/nudge"));
    assert_eq!(home.config_file(), Path::new("/home/me/.config/nudge/config.toml"));
    assert_eq!(home.db(), Path::new("/home/me/.local/share/nudge/nudge.db"));
    assert_eq!(home.lock_file(), Path::new("/home/me/.local/share/nudge/run/lock"));
    assert_eq!(home.state_file(), Path::new("/home/me/.local/share/nudge/run/state.json"));
    assert_eq!(home.token_file(), Path::new("/home/me/.local/share/nudge/run/token"));
    assert_eq!(home.socket(), Path::new("/home/me/.local/share/nudge/run/nudge.sock"));
    assert_eq!(home.log_dir(), Path::new("/home/me/.local/share/nudge/logs"));
    assert_eq!(home.backups_dir(), Path::new("/home/me/.local/share/nudge/backups"));
    assert_eq!(home.keys_file(), Path::new("/home/me/.local/share/nudge/keys.toml"));
}

#[test]
fn the_flag_goes_before_the_variable_and_moves_the_configuration_too() {
    let vars = [("HOME", "/home/me"), ("NUDGE_HOME", "/var/./memory/")];
    let by_variable = locate(None, &vars).expect("found");
    assert_eq!(by_variable.root(), Path::new("/var/memory"));
    let by_flag = locate(Some("/other"), &vars).expect("found");
    assert_eq!(by_flag.config_file(), Path::new("/other/config.toml"));
    assert_eq!(by_flag.keys_file(), Path::new("/other/keys.toml"));
    assert!(!by_flag.is_default());
}

#[test]
fn a_relative_home_is_refused() {
    for result in
        [locate(Some("memory"), &[]), locate(None, &[("NUDGE_HOME", "./m")]), locate(None, &[("HOME", "me")])]
    {
        let fault = result.expect_err("relative");
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Invalid, "home_not_absolute"));
        assert!(fault.next.is_some());
    }
}

#[test]
fn what_is_created_is_private() {
    let (_dir, home) = temporary();
    let run = home.secure_run_dir().expect("created");
    assert_eq!((mode(home.root()), mode(&run)), (0o700, 0o700));
    assert_eq!(home.secure_run_dir(), Ok(run));
}

#[test]
fn a_run_directory_of_ours_that_is_open_is_closed() {
    let (_dir, home) = temporary();
    let run = home.secure_run_dir().expect("created");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).expect("ours");
    assert_eq!(home.existing_socket().expect_err("open").reason, "run_dir_open");
    assert_eq!(home.secure_run_dir(), Ok(run.clone()));
    assert_eq!(mode(&run), 0o700);
    assert_eq!(home.existing_socket(), Ok(Some(run.join("nudge.sock"))));
}

#[test]
fn a_link_in_place_of_the_run_directory_is_refused() {
    let (dir, home) = temporary();
    home.prepare().expect("created");
    let elsewhere = dir.path().join("elsewhere");
    private_dir::create(&elsewhere).expect("created");
    symlink(&elsewhere, home.run_dir()).expect("linked");
    for fault in [home.secure_run_dir().expect_err("link"), home.existing_socket().expect_err("link")] {
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Unavailable, "run_dir_link"));
        assert!(fault.next.expect("a way out").contains("rm "));
    }
}

#[test]
fn a_file_in_place_of_the_run_directory_is_refused() {
    let (_dir, home) = temporary();
    home.prepare().expect("created");
    fs::write(home.run_dir(), "").expect("written");
    assert_eq!(home.secure_run_dir().expect_err("a file").reason, "run_dir_not_a_directory");
}

#[test]
fn a_run_directory_of_somebody_else_is_refused() {
    let (_dir, home) = temporary();
    let run = home.secure_run_dir().expect("created");
    if std::os::unix::fs::chown(&run, Some(private_dir::own_uid() + 1), None).is_err() {
        // Only root can change a directory's owner; other users must skip this test explicitly.
        assert!(
            std::env::var_os("NUDGE_TESTS_WITHOUT_ROOT").is_some(),
            "needs root, or NUDGE_TESTS_WITHOUT_ROOT=1"
        );
        return;
    }
    for fault in [home.secure_run_dir().expect_err("foreign"), home.existing_socket().expect_err("foreign")] {
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Unavailable, "run_dir_foreign"));
    }
}

#[test]
fn nothing_is_created_for_those_who_only_call() {
    let (_dir, home) = temporary();
    assert_eq!(home.existing_socket(), Ok(None));
    assert!(!home.root().exists());
}

#[test]
fn a_socket_path_that_is_too_long_moves_to_a_private_directory() {
    let dir = TempDir::new().expect("temporary directory");
    let deep = dir.path().join("d".repeat(120));
    fs::create_dir(&deep).expect("created");
    let link = dir.path().join("l".repeat(120));
    symlink(&deep, &link).expect("linked");
    let home = Home::locate(Some(&deep), &|_| None).expect("absolute");
    let socket = home.secure_socket().expect("private");
    assert!(socket.starts_with(format!("/tmp/nudge-{}", private_dir::own_uid())), "{}", socket.display());
    assert!(socket.as_os_str().len() <= MAX_SOCKET_PATH_BYTES);
    assert_eq!(mode(socket.parent().expect("in a directory")), 0o700);
    let same = Home::locate(Some(&link), &|_| None).expect("absolute");
    assert_eq!(same.socket(), socket);
}
