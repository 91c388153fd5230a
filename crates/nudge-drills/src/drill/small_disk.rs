//! A home on a separate disk, small enough to be filled.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use rustix::fs::FallocateFlags;
use tempfile::TempDir;

/// The allocation unit of such a disk, in bytes.
const PAGE: u64 = 4096;

/// The mounted disk; dropping the value unmounts it.
pub(super) struct SmallDisk {
    dir: TempDir,
}

impl SmallDisk {
    /// Mounts the disk. Only root can; without root the drill cannot run, so it fails.
    pub(super) fn mount(megabytes: u64) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("nudge-drill-").tempdir()?;
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=700"), "nudge-drill"])
            .arg(dir.path())
            .status()
            .context("mount cannot be started")?;
        anyhow::ensure!(
            status.success(),
            "a small tmpfs cannot be mounted: run this as root, or within `unshare --map-root-user --mount`"
        );
        Ok(Self { dir })
    }

    pub(super) fn path(&self) -> anyhow::Result<PathBuf> {
        Ok(self.dir.path().canonicalize()?)
    }

    /// Makes the disk read-only for everyone, including root, or writable again.
    pub(super) fn set_read_only(&self, is_read_only: bool) -> anyhow::Result<()> {
        let option = if is_read_only { "remount,ro" } else { "remount,rw" };
        let status = Command::new("mount").args(["-o", option]).arg(self.dir.path()).status()?;
        anyhow::ensure!(status.success(), "the small disk cannot be mounted `{option}`");
        Ok(())
    }

    /// Takes all space that is left.
    pub(super) fn fill(&self) -> anyhow::Result<Ballast> {
        let path = self.dir.path().join("ballast");
        let mut ballast = Ballast { file: File::create(&path)?, path, length: 0 };
        ballast.top_up()?;
        Ok(ballast)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that is just exiting must not block it.
        let _ = Command::new("umount").arg("--lazy").arg(self.dir.path()).status();
    }
}

/// The file that fills the disk; dropping the value deletes it.
pub(super) struct Ballast {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Ballast {
    /// Frees this many bytes.
    pub(super) fn leave(&mut self, bytes: u64) -> anyhow::Result<()> {
        self.length = self.length.saturating_sub(bytes);
        Ok(self.file.set_len(self.length)?)
    }

    /// Takes the space that others have freed meanwhile.
    pub(super) fn top_up(&mut self) -> anyhow::Result<()> {
        let mut room = free(&self.path)?;
        while room > 0 {
            match rustix::fs::fallocate(&self.file, FallocateFlags::empty(), self.length, room) {
                Ok(()) => {
                    self.length += room;
                    return Ok(());
                }
                // Another process was faster: take less, and try again soon.
                Err(rustix::io::Errno::NOSPC) => room = room / 2 / PAGE * PAGE,
                Err(error) => return Err(error).context("the ballast cannot be made"),
            }
        }
        Ok(())
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

fn free(path: &Path) -> anyhow::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail * disk.f_frsize)
}
