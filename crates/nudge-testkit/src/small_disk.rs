//! A separate file system, small enough to fill. Only root can mount one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use tempfile::TempDir;

/// The allocation unit of such a disk, in bytes.
const PAGE_BYTES: u64 = 4096;

/// The mounted file system, unmounted when dropped.
pub struct SmallDisk {
    path: PathBuf,
    _dir: TempDir,
}

impl SmallDisk {
    /// Mounts one with that many megabytes.
    pub fn mount(megabytes: u32) -> Self {
        let dir = tempfile::Builder::new().prefix("nudge-disk-").tempdir();
        let dir = dir.expect("a temporary directory can be made");
        let path = dir.path().canonicalize().expect("a fresh directory has a path");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=700"), "tmpfs"])
            .arg(&path)
            .status()
            .expect("mount runs");
        assert!(
            mounted.success(),
            "a small tmpfs cannot be mounted: run this as root, or within `unshare --map-root-user --mount`"
        );
        Self { path, _dir: dir }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it read-only for everyone, including root, or writable again.
    pub fn set_read_only(&self, is_read_only: bool) {
        let option = if is_read_only { "remount,ro" } else { "remount,rw" };
        let status = Command::new("mount").args(["-o", option]).arg(&self.path).status();
        assert!(status.is_ok_and(|status| status.success()), "the small disk cannot be mounted `{option}`");
    }

    /// Takes all space that is left; dropping the value frees it again.
    pub fn fill(&self) -> Ballast {
        let path = self.path.join("ballast");
        let file = File::create(&path).expect("a name needs no room");
        let mut ballast = Ballast { file, path, length: 0 };
        ballast.top_up();
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, so that a process that is just exiting cannot block it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.path).status();
    }
}

/// The file that takes all space.
pub struct Ballast {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Ballast {
    /// Frees this many bytes.
    pub fn leave(&mut self, bytes: u64) {
        self.length = self.length.saturating_sub(bytes);
        self.file.set_len(self.length).expect("a file can be cut");
    }

    /// Takes the space that others have freed meanwhile.
    pub fn top_up(&mut self) {
        let disk = rustix::fs::statvfs(&self.path).expect("the disk is mounted");
        let mut room = disk.f_bavail * disk.f_frsize;
        while room > 0 {
            match rustix::fs::fallocate(&self.file, FallocateFlags::empty(), self.length, room) {
                Ok(()) => {
                    self.length += room;
                    return;
                }
                // Another process was faster: take less, and try again soon.
                Err(Errno::NOSPC) => room = room / 2 / PAGE_BYTES * PAGE_BYTES,
                Err(error) => panic!("the disk cannot be filled: {error}"),
            }
        }
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        // Emptied first: a process that is just being started has the file open too, and would keep
        // its space.
        let _ = self.file.set_len(0);
        let _ = std::fs::remove_file(&self.path);
    }
}
