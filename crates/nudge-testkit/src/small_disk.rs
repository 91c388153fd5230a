//! A separate file system, small enough to fill. Only root can mount one.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The mounted file system, unmounted when dropped.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts one with that many megabytes.
    pub fn mount(megabytes: u32) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("nudge-disk-")
            .tempdir()
            .expect("a temporary directory can be made");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=700"), "tmpfs"])
            .arg(dir.path())
            .status()
            .expect("mount runs");
        assert!(mounted.success(), "root can mount a tmpfs");
        Self(dir)
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all remaining space; dropping the value frees it again.
    pub fn fill(&self) -> Filler {
        let path = self.path().join("filler");
        let mut file = File::create(&path).expect("a name needs no room");
        while file.write_all(&[b'x'; 4096]).is_ok() {}
        while file.write_all(b"x").is_ok() {}
        Filler(path)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, so that a process that is just exiting cannot block it.
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}

/// The file that takes all space.
pub struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
