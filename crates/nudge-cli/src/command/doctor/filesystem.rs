//! Checks the storage of the memory: a local disk, a network, or a layer of a container.

use std::path::Path;

use nudge_client::status::ServerStatus;
use nudge_home::Home;

use crate::command::doctor::finding::Finding;

const NAME: &str = "disk";

/// File systems on which locks and memory maps do not work between machines, by their Linux magic
/// number.
const NETWORK: [(u64, &str); 7] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x6573_5546, "FUSE, perhaps over a network"),
    (0x0102_1997, "9p, shared by a host"),
    (0x0161_1970, "a network (virtiofs or 9p)"),
];

/// The writable layer of a container. It is deleted with the container.
const OVERLAY: u64 = 0x794c_7630;

/// Whether the memory's storage is safe.
pub(super) fn check_storage(home: &Home, server: &ServerStatus) -> Finding {
    let nearest = home.root().ancestors().find(|dir| dir.exists()).unwrap_or(home.root());
    let kind = kind_of(nearest);
    let container = container();
    if let Some((_, name)) = NETWORK.iter().find(|(number, _)| Some(*number) == kind) {
        return Finding::warn(
            NAME,
            format!("{} is on {name}: two machines that write it at once can damage it", nearest.display()),
            "put it on a disk of this machine: set NUDGE_HOME, or pass --home to `nudge install`",
        );
    }
    if let Some(pid) = server.pid.filter(|pid| server.running && !is_visible(*pid)) {
        return Finding::warn(
            NAME,
            format!(
                "the server (pid {pid}) is no process that can be seen here: a container shares this memory"
            ),
            "give each container its own memory with NUDGE_HOME, or run all agents on one side",
        );
    }
    match container {
        Some(name) if kind == Some(OVERLAY) => Finding::warn(
            NAME,
            format!("{} is inside {name} and goes with it", nearest.display()),
            "mount a volume there, or set NUDGE_HOME to a directory that stays",
        ),
        Some(name) => Finding::ok(NAME, format!("in {name}, on storage that stays")),
        None => Finding::ok(NAME, "on this machine"),
    }
}

#[cfg(target_os = "linux")]
fn kind_of(path: &Path) -> Option<u64> {
    // The numbers have 32 bits; some systems store them in signed fields.
    rustix::fs::statfs(path).ok().map(|facts| facts.f_type as u64 & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn kind_of(_: &Path) -> Option<u64> {
    None
}

/// The container that this process runs in, detected by the marks of the usual container tools.
fn container() -> Option<&'static str> {
    let is_set = std::env::var_os("container").is_some_and(|value| !value.is_empty());
    let is_docker = Path::new("/.dockerenv").exists();
    let is_podman = Path::new("/run/.containerenv").exists();
    (is_set || is_docker || is_podman).then_some("a container")
}

fn is_visible(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}
