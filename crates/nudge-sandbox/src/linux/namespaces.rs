//! Namespaces: how they are entered, and how one's own rights in them are given up.

use std::fs;
use std::io;

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

/// Enters new namespaces, as the same user.
pub(super) fn enter(network: bool) -> Result<(), String> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut flags =
        UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if !network {
        flags |= UnshareFlags::NEWNET;
    }
    unshare(flags).map_err(|error| format!("the system refuses user namespaces ({error})"))?;
    let map = |name: &str, text: &str| {
        fs::write(format!("/proc/self/{name}"), text)
            .map_err(|error| format!("the system refuses to map the user ({name}: {error})"))
    };
    map("setgroups", "deny")?;
    map("uid_map", &format!("{user} {user} 1"))?;
    map("gid_map", &format!("{group} {group} 1"))?;
    // Hides the path of the own control group. An old kernel has none.
    let _ = unshare(UnshareFlags::NEWCGROUP);
    if !network {
        start_loopback().map_err(|error| format!("cannot start the loopback network ({error})"))?;
    }
    Ok(())
}

/// Enters a new mount namespace.
pub(super) fn enter_mounts() -> io::Result<()> {
    unshare(UnshareFlags::NEWNS)
}

#[expect(
    deprecated,
    reason = "the other form is unsafe because of shared file descriptors, which no flag here parts"
)]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Brings up `lo`, so that tests can listen on 127.0.0.1: a netlink message to change the flags of
/// the interface with the number 1.
fn start_loopback() -> io::Result<()> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    const UP: u32 = 1;
    const LOOPBACK: i32 = 1;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend([0; 8]); // sequence, port
    message.extend([0; 4]); // family, type
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes()); // flags
    message.extend(UP.to_ne_bytes()); // which of them change
    let socket =
        rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    rustix::net::send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 128];
    let (count, _) = rustix::net::recv(&socket, &mut answer, rustix::net::RecvFlags::empty())?;
    match answer.get(16..20).filter(|_| count >= 20) {
        Some(&[0, 0, 0, 0]) => Ok(()),
        Some(error) => {
            let number = i32::from_ne_bytes(error.try_into().expect("four bytes were taken"));
            Err(io::Error::from_raw_os_error(-number))
        }
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Lets the next program keep the rights in the new namespaces, whatever its user is.
pub(super) fn hand_down_capabilities() -> io::Result<()> {
    let sets = rustix::thread::capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: sets.permitted, ..sets })?;
    for capability in each(sets.permitted) {
        rustix::thread::configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Gives up every right, for good: no program that is run later gets one back.
pub(super) fn drop_capabilities() -> io::Result<()> {
    for capability in each(CapabilitySet::from_bits_retain(u64::MAX)) {
        // A number that the kernel does not know has no right to give up.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?;
    Ok(())
}

fn each(set: CapabilitySet) -> impl Iterator<Item = CapabilitySet> {
    (0..64).map(|bit| CapabilitySet::from_bits_retain(1 << bit)).filter(move |&one| set.contains(one))
}
