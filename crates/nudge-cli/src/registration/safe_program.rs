//! Checks that only this user and the system can replace the program that agents will run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_home::home::private_dir;

const WRITE_BY_GROUP: u32 = 0o020;
const WRITE_BY_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The group of administrators on macOS; elsewhere there is none.
const ADMINISTRATORS: u32 = if cfg!(target_os = "macos") { 80 } else { 0 };

/// Groups with lower numbers belong to the system.
const FIRST_USER_GROUP: u32 = if cfg!(target_os = "macos") { 0 } else { 1000 };

/// How many links to follow. Nobody chains this many.
const MAX_LINKS: usize = 40;

/// Rejects a program that another user could replace, because agents run it with this user's
/// rights. Every directory and every link on its path counts.
pub(crate) fn check(program: &Path) -> Result<(), Fault> {
    walk(program, program, MAX_LINKS)
}

fn walk(program: &Path, path: &Path, links: usize) -> Result<(), Fault> {
    let mut here = PathBuf::new();
    for part in path.components() {
        here.push(part);
        let Ok(facts) = fs::symlink_metadata(&here) else { continue };
        if let Some(why) = writable_by_others(&facts) {
            return Err(Fault::new(
                FaultKind::Forbidden,
                "program_not_safe",
                format!("your agents would run {}, but {} {why}", program.display(), here.display()),
            )
            .with("path", here.display().to_string())
            .next(format!("run `chmod go-w {}`, or install nudge in your own directory", here.display())));
        }
        if let Ok(target) = fs::read_link(&here)
            && links > 0
        {
            let target = here.parent().unwrap_or(Path::new("/")).join(target);
            walk(program, &target, links - 1)?;
        }
    }
    Ok(())
}

fn writable_by_others(facts: &fs::Metadata) -> Option<&'static str> {
    let own = private_dir::own_uid();
    let (mode, uid) = (facts.mode(), facts.uid());
    // In a directory with the sticky bit, only the owner of a file can replace it.
    let is_shared = facts.is_dir() && mode & STICKY != 0;
    // Many systems give each user a group with the same number. The administrator chooses the
    // members of system groups, such as those that may install programs.
    let is_own_group = facts.gid() == own || facts.gid() == 0;
    let is_of_system = facts.gid() == ADMINISTRATORS || (uid == 0 && facts.gid() < FIRST_USER_GROUP);
    if uid != own && uid != 0 {
        Some("belongs to another user")
    } else if facts.is_symlink() {
        // The mode of a link means nothing; only its owner matters.
        None
    } else if mode & WRITE_BY_ALL != 0 && !is_shared {
        Some("can be written by every user")
    } else if mode & WRITE_BY_GROUP != 0 && !is_shared && !is_own_group && !is_of_system {
        Some("can be written by its group")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_that_others_can_exchange_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let program = dir.path().join("nudge");
        fs::write(&program, "").expect("written");
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        mode(&program, 0o755);
        assert!(check(&program).is_ok());
        mode(&program, 0o757);
        assert_eq!(check(&program).expect_err("refused").reason, "program_not_safe");
        mode(&program, 0o755);
        mode(dir.path(), 0o777);
        assert!(check(&program).is_err(), "whoever writes the directory can exchange the file");
        mode(dir.path(), 0o1777);
        assert!(check(&program).is_ok());
        mode(dir.path(), 0o700);
    }
}
