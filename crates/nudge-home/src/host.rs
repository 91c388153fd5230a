//! The identity of this machine and its current boot.

use std::fs;
use std::path::Path;
use std::time::Duration;

use nudge_core::{HostIdentity, Timestamp};

/// This machine and this boot, as far as the system reports them. Unreadable ids are `None`, and
/// `None` never counts as a change.
pub fn identity() -> HostIdentity {
    identity_below(Path::new("/"))
}

/// When this machine booted; `None` if the system does not report it.
pub fn booted_at(now: Timestamp) -> Option<Timestamp> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    Some(now.minus(uptime(&text)?))
}

/// How long the machine has been running: the first of two numbers, in seconds.
fn uptime(text: &str) -> Option<Duration> {
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn identity_below(root: &Path) -> HostIdentity {
    let read = |path: &str| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        let id = text.trim();
        // systemd writes `uninitialized` on the first boot of an image.
        (!id.is_empty() && id != "uninitialized" && id.len() <= 128).then(|| id.to_owned())
    };
    HostIdentity {
        machine: read("etc/machine-id").map(|id| name_of(&id)),
        boot: read("proc/sys/kernel/random/boot_id"),
    }
}

/// machine-id(5) requires that the id itself stay confidential, and entries leave the machine. So a
/// name derived from it is stored, which is useless to anybody else.
fn name_of(machine: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("nudge machine name v1");
    hasher.update(machine.as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn system(machine: Option<&str>, boot: Option<&str>) -> TempDir {
        let dir = TempDir::new().expect("temporary directory");
        for (path, text) in [("etc/machine-id", machine), ("proc/sys/kernel/random/boot_id", boot)] {
            if let Some(text) = text {
                let path = dir.path().join(path);
                fs::create_dir_all(path.parent().expect("has one")).expect("created");
                fs::write(path, text).expect("written");
            }
        }
        dir
    }

    #[test]
    fn the_machine_is_named_without_telling_its_id() {
        let dir = system(Some("0123456789abcdef0123456789abcdef\n"), Some("11111111-2222\n"));
        let identity = identity_below(dir.path());
        assert_eq!(identity.machine.as_deref(), Some("1e37df86a0b97baacb527c50d45aa26e"));
        assert_eq!(identity.boot.as_deref(), Some("11111111-2222"));
    }

    #[test]
    fn the_uptime_is_the_first_number() {
        assert_eq!(uptime("350735.47 234388.90\n"), Some(Duration::from_millis(350_735_470)));
        assert_eq!((uptime(""), uptime("-1 2"), uptime("x")), (None, None, None));
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        for dir in [system(None, None), system(Some("\n"), Some("")), system(Some("uninitialized\n"), None)] {
            let identity = identity_below(dir.path());
            assert_eq!((identity.machine, identity.boot), (None, None));
        }
    }
}
