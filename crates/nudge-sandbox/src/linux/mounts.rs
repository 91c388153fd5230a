//! Builds the file system of a command and makes it the only one.
//!
//! Everything visible is opened first. Then a new file system is mounted over `/tmp`, where the
//! open files can still be reached as `/proc/self/fd`, and filled. It becomes the root, and the old
//! one goes.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};

use super::view::{self, View};
use super::{limits, namespaces, protected};
use crate::plan::Plan;

/// Where the new root is built.
const BASE: &str = "/tmp";

/// Devices, which every program may use.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// Links in `/dev`.
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Parts of `/proc` that change or show the machine.
const PROC_READ_ONLY: &[&str] = &["sys", "sysrq-trigger", "irq", "bus", "fs", "asound", "scsi", "acpi"];
const PROC_HIDDEN: &[&str] = &[
    "kcore",
    "keys",
    "key-users",
    "kmsg",
    "timer_list",
    "sched_debug",
    "kpagecount",
    "kpageflags",
    "kpagecgroup",
    "slabinfo",
    "vmallocinfo",
    "iomem",
    "kallsyms",
];

/// Files of `/etc` are copied up to this size.
const COPIED: u64 = 4 << 20;

/// Inodes of the temporary file system: as many files as fit if they have 4 KiB each, within
/// bounds.
const INODES: std::ops::RangeInclusive<u64> = 10_000..=1_000_000;

/// What may be done in a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    Device,
    /// It has its flags already.
    Done,
}

/// Enters the file system; whether it has its own `/proc`.
pub(super) fn enter(plan: &Plan, view: &View) -> Result<bool, String> {
    namespaces::enter_mounts().map_err(|error| format!("the system refuses mount namespaces ({error})"))?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).map_err(said("cannot part the mounts"))?;
    let protected = protected::find(&plan.root, &plan.rights.write);
    let sources = Sources::open(view).map_err(|error| error.to_string())?;
    let mut base = Base::mount()?;
    base.scratch(plan)?;
    for (seen, source) in view.seen.iter().zip(&sources.seen) {
        base.bind(source, &seen.path, if seen.may_write { Use::Write } else { Use::Read })?;
    }
    base.protect(&plan.root, &protected)?;
    base.etc(&sources.etc)?;
    let has_proc = base.proc(plan, &sources)?;
    base.devices(&sources)?;
    for hidden in &plan.hidden {
        base.hide(hidden, &sources)?;
    }
    base.links(view);
    base.set_flags()?;
    make_root().map_err(said("cannot change the root"))?;
    Ok(has_proc)
}

fn said<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> String {
    move |error| format!("{what} ({error})")
}

/// What is visible, opened while the machine's file system is still in its place.
struct Sources {
    seen: Vec<OwnedFd>,
    etc: Vec<(PathBuf, OwnedFd)>,
    devices: Vec<(&'static str, OwnedFd)>,
}

impl Sources {
    fn open(view: &View) -> io::Result<Self> {
        let seen = view.seen.iter().map(|seen| open(&seen.path)).collect::<io::Result<_>>()?;
        let etc = view::etc().into_iter().filter_map(|path| {
            let real = path.canonicalize().ok().filter(|real| real.is_dir())?;
            Some((path, open(&real).ok()?))
        });
        let devices =
            DEVICES.iter().filter_map(|name| Some((*name, open(&Path::new("/dev").join(name)).ok()?)));
        Ok(Self { seen, etc: etc.collect(), devices: devices.collect() })
    }

    fn null(&self) -> Result<&OwnedFd, String> {
        let null = self.devices.iter().find(|(name, _)| *name == "null");
        null.map(|(_, fd)| fd).ok_or_else(|| "there is no /dev/null".to_owned())
    }
}

/// Opens a resolved path. If a link has come into its way since, it is not followed.
fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let opened = match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            rustix::fs::open(path, flags, Mode::empty())
        }
        opened => opened,
    };
    opened.map_err(|error| io::Error::new(error.kind(), format!("cannot open {}: {error}", path.display())))
}

fn path_of(fd: &impl AsFd) -> String {
    format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd())
}

/// The new root, while it is being built.
struct Base {
    /// What was mounted, and how it may be used.
    mounted: Vec<(PathBuf, Use)>,
    /// Which of that belongs to the machine: nothing is created in there.
    machine: Vec<PathBuf>,
}

impl Base {
    fn mount() -> Result<Self, String> {
        mount_tmpfs(Path::new(BASE), 16 << 20, 10_000).map_err(said("cannot mount a new root"))?;
        Ok(Self { mounted: vec![(PathBuf::from("/"), Use::Read)], machine: Vec::new() })
    }

    /// The temporary directories and the empty home, in one file system with one size.
    fn scratch(&mut self, plan: &Plan) -> Result<(), String> {
        let scratch = outside(Path::new("/.scratch"));
        let problem = "cannot make a temporary directory";
        fs::create_dir(&scratch).map_err(said(problem))?;
        let bytes = plan.limits.temporary_bytes;
        mount_tmpfs(&scratch, bytes, (bytes / 4096).clamp(*INODES.start(), *INODES.end()))
            .map_err(said(problem))?;
        let home = plan.home.clone();
        let places: [(&str, PathBuf, u32); 4] = [
            ("tmp", "/tmp".into(), 0o1777),
            ("shm", "/dev/shm".into(), 0o1777),
            ("run", "/run".into(), 0o755),
            ("home", home, 0o700),
        ];
        for (name, place, mode) in places {
            let dir = scratch.join(name);
            fs::create_dir(&dir)
                .and_then(|()| fs::set_permissions(&dir, fs::Permissions::from_mode(mode)))
                .map_err(said(problem))?;
            if place != Path::new("/") {
                let source = open(&dir).map_err(said(problem))?;
                self.mount_at(&source, &place, true, Use::Write)?;
            }
        }
        rustix::mount::unmount(&scratch, UnmountFlags::DETACH).map_err(said(problem))?;
        fs::remove_dir(&scratch).map_err(said(problem))
    }

    /// Shows something of the machine.
    fn bind(&mut self, source: &OwnedFd, path: &Path, usage: Use) -> Result<(), String> {
        let stat = rustix::fs::fstat(source).map_err(said("cannot read what is visible"))?;
        let is_dir = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
        self.mount_at(source, path, is_dir, usage)?;
        self.machine.push(path.to_owned());
        Ok(())
    }

    fn mount_at(&mut self, source: &OwnedFd, path: &Path, is_dir: bool, usage: Use) -> Result<(), String> {
        let problem = || format!("cannot show {}", path.display());
        if !self.machine.iter().any(|machine| path.starts_with(machine)) {
            create(&outside(path), is_dir).map_err(said(&problem()))?;
        }
        let target = inside(path).map_err(said(&problem()))?;
        rustix::mount::mount_bind_recursive(path_of(source), path_of(&target)).map_err(said(&problem()))?;
        self.mounted.push((path.to_owned(), usage));
        Ok(())
    }

    /// Mounts protected files of the project over themselves, to be read alone. The directories
    /// that lead there are mounted over themselves too, so that they cannot be renamed.
    fn protect(&mut self, root: &Path, protected: &[PathBuf]) -> Result<(), String> {
        let mut leading: Vec<&Path> = Vec::new();
        for path in protected {
            let between = path.ancestors().skip(1).take_while(|ancestor| *ancestor != root);
            leading.extend(between);
        }
        leading.sort_by_key(|path| path.components().count());
        leading.dedup();
        let protected = protected.iter().map(|path| (path.as_path(), Use::Read));
        for (path, usage) in leading.into_iter().map(|path| (path, Use::Write)).chain(protected) {
            // What has gone since it was found needs no protection.
            let Ok(source) = inside(path) else { continue };
            rustix::mount::mount_bind_recursive(path_of(&source), path_of(&source))
                .map_err(|error| format!("cannot protect {} ({error})", path.display()))?;
            self.mounted.push((path.to_owned(), usage));
        }
        Ok(())
    }

    /// Shows directories of `/etc`, and copies files: some are links to what is not visible.
    fn etc(&mut self, directories: &[(PathBuf, OwnedFd)]) -> Result<(), String> {
        for (path, source) in directories {
            self.bind(source, path, Use::Read)?;
        }
        for path in view::etc() {
            let is_small = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= COPIED);
            if is_small && !self.machine.iter().any(|machine| path.starts_with(machine)) {
                let problem = || format!("cannot copy {}", path.display());
                let text = fs::read(&path).map_err(said(&problem()))?;
                create(&outside(&path), false).map_err(said(&problem()))?;
                fs::write(outside(&path), text).map_err(said(&problem()))?;
            }
        }
        Ok(())
    }

    /// The processes of the own namespace; `false` if the system refuses to show them.
    fn proc(&mut self, plan: &Plan, sources: &Sources) -> Result<bool, String> {
        let proc = outside(Path::new("/proc"));
        create(&proc, true).map_err(said("cannot make /proc"))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        if rustix::mount::mount("proc", &proc, "proc", flags, None).is_err() {
            return Ok(false);
        }
        self.mounted.push((PathBuf::from("/proc"), Use::Done));
        // Second lines of defence, which old kernels do not have: no more processes than allowed,
        // and no further user namespaces.
        let _ = fs::write(proc.join("sys/kernel/pid_max"), limits::last_pid(&plan.limits).to_string());
        let _ = fs::write(proc.join("sys/user/max_user_namespaces"), "0");
        let null = sources.null()?;
        for name in PROC_READ_ONLY {
            let path = Path::new("/proc").join(name);
            if let Ok(source) = inside(&path) {
                rustix::mount::mount_bind_recursive(path_of(&source), path_of(&source))
                    .map_err(said("cannot protect /proc"))?;
                self.mounted.push((path, Use::Read));
            }
        }
        for name in PROC_HIDDEN {
            let path = Path::new("/proc").join(name);
            if let Ok(target) = inside(&path) {
                rustix::mount::mount_bind(path_of(null), path_of(&target))
                    .map_err(said("cannot hide in /proc"))?;
                self.mounted.push((path, Use::Device));
            }
        }
        Ok(true)
    }

    fn devices(&mut self, sources: &Sources) -> Result<(), String> {
        for (name, source) in &sources.devices {
            self.bind(source, &Path::new("/dev").join(name), Use::Device)?;
        }
        let terminals = outside(Path::new("/dev/pts"));
        create(&terminals, true).map_err(said("cannot make /dev/pts"))?;
        let data = CString::new("newinstance,ptmxmode=0666,mode=620").expect("it contains no zero");
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        // Without terminals most commands work.
        if rustix::mount::mount("devpts", &terminals, "devpts", flags, data.as_c_str()).is_ok() {
            self.mounted.push((PathBuf::from("/dev/pts"), Use::Done));
        }
        for (name, target) in DEVICE_LINKS {
            let _ = symlink(target, outside(Path::new("/dev")).join(name));
        }
        Ok(())
    }

    /// Covers what is never shown, if it is visible at all.
    fn hide(&mut self, path: &Path, sources: &Sources) -> Result<(), String> {
        if !self.machine.iter().any(|machine| path.starts_with(machine)) {
            return Ok(());
        }
        let Ok(target) = inside(path) else { return Ok(()) };
        let problem = || format!("cannot hide {}", path.display());
        let stat = rustix::fs::fstat(&target).map_err(said(&problem()))?;
        if rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir() {
            mount_tmpfs(Path::new(&path_of(&target)), 4096, 10).map_err(said(&problem()))?;
            self.mounted.push((path.to_owned(), Use::Read));
        } else {
            let null = sources.null()?;
            rustix::mount::mount_bind(path_of(null), path_of(&target)).map_err(said(&problem()))?;
            self.mounted.push((path.to_owned(), Use::Device));
        }
        Ok(())
    }

    /// Links of the system and of the person to what is visible, where nothing else is.
    fn links(&self, view: &View) {
        let own = [(PathBuf::from("/var/tmp"), PathBuf::from("/tmp")), ("/var/run".into(), "/run".into())];
        for (path, target) in own.iter().chain(&view.links) {
            if !self.machine.iter().any(|machine| path.starts_with(machine)) {
                let path = outside(path);
                let _ = path.parent().map(fs::create_dir_all);
                let _ = symlink(target, path);
            }
        }
    }

    /// Takes from every mount what it must not have. Mounts inside of what is visible came along
    /// and are treated like it. Flags that the machine set are kept: the kernel insists.
    fn set_flags(&self) -> Result<(), String> {
        let table = fs::read_to_string("/proc/self/mountinfo").map_err(said("cannot read the mounts"))?;
        for (path, options) in table.lines().filter_map(mount_of) {
            let Some(usage) = self.usage(&path) else { continue };
            let mut flags = MountFlags::BIND | MountFlags::NOSUID | kept(&options);
            match usage {
                Use::Read => flags |= MountFlags::RDONLY | MountFlags::NODEV,
                Use::Write => flags |= MountFlags::NODEV,
                Use::Device => flags |= MountFlags::NOEXEC,
                Use::Done => continue,
            }
            rustix::mount::mount_remount(outside(&path), flags, "")
                .map_err(|error| format!("cannot restrict {} ({error})", path.display()))?;
        }
        Ok(())
    }

    /// How the mount at a path may be used: as the nearest that this mounted, the last one if
    /// several are at one place.
    fn usage(&self, path: &Path) -> Option<Use> {
        let around = self.mounted.iter().filter(|(mounted, _)| path.starts_with(mounted));
        around.max_by_key(|(mounted, _)| mounted.components().count()).map(|(_, usage)| *usage)
    }
}

/// Where a path of the new root is before it is the root.
fn outside(path: &Path) -> PathBuf {
    let mut outside = PathBuf::from(BASE);
    outside.extend(path.components().filter(|part| matches!(part, Component::Normal(_))));
    outside
}

/// Opens a path of the new root. Links on the way are not followed: they would be read in the old
/// root, and a project may contain any.
fn inside(path: &Path) -> io::Result<OwnedFd> {
    open(&outside(path))
}

fn create(path: &Path, is_dir: bool) -> io::Result<()> {
    if is_dir {
        return fs::create_dir_all(path);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::OpenOptions::new().create(true).append(true).open(path).map(drop)
}

fn mount_tmpfs(path: &Path, bytes: u64, inodes: u64) -> rustix::io::Result<()> {
    let data =
        CString::new(format!("mode=0755,size={bytes},nr_inodes={inodes}")).expect("it contains no zero");
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("tmpfs", path, "tmpfs", flags, data.as_c_str())
}

/// Place in the new root and options of a line of the table of mounts.
fn mount_of(line: &str) -> Option<(PathBuf, String)> {
    let mut fields = line.split(' ').skip(4);
    let place = unescaped(fields.next()?);
    let place = place.strip_prefix(BASE)?;
    let is_in = place.is_empty() || place.starts_with('/');
    is_in.then(|| Some((Path::new("/").join(place.trim_start_matches('/')), fields.next()?.to_owned())))?
}

/// The table writes blanks and the like as `\040`.
fn unescaped(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

fn kept(options: &str) -> MountFlags {
    let flag = |option: &str| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    };
    options.split(',').map(flag).fold(MountFlags::empty(), MountFlags::union)
}

/// Makes the new root the only one.
fn make_root() -> rustix::io::Result<()> {
    rustix::process::chdir(BASE)?;
    rustix::process::pivot_root(".", ".")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")
}
