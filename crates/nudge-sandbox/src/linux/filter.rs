//! seccomp: calls of the kernel that no build and no test needs, and that have been ways out of a
//! sandbox. What is denied answers "operation not permitted".

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Denied whatever their arguments are.
const DENIED: &[i64] = &[
    // The view of the file system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    // Namespaces of others.
    libc::SYS_setns,
    // Keys of the person, which no namespace parts.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Large parts of the kernel. Node and others do without io_uring.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // Memory of other processes. `ptrace` is allowed, for debuggers: it reaches children alone.
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
];

/// Calls that give a file its mode, with the number of the argument. The bits that let others run
/// it as the person, or as its group, are denied: the file would outlive the sandbox.
const CHANGES_OF_MODE: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls whose mode counts if they create a file: their flags say so in the argument before.
const CREATIONS: &[(i64, u8)] = &[
    (libc::SYS_openat, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
];
const CREATING: &[i32] = &[libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];

const SYS_FCHMODAT2: i64 = 452;
const RUN_AS_THE_OWNER: &[u64] = &[0o4000, 0o2000];

/// Calls with flags in memory, where no filter sees them. Libraries fall back to the older ones.
const UNKNOWN: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

const NEW_NAMESPACES: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Ways to type into a terminal for somebody else.
const TYPING: &[u64] = &[TIOCSTI, TIOCLINUX];
// The C libraries do not agree on their type.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;

/// Personalities that programs ask for: the current one, the usual one, and without random
/// addresses, which debuggers and sanitizers want.
const PERSONALITIES: &[u64] = &[0xffff_ffff, 0, 0x0004_0000];

/// Which sockets a command may open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Unix, internet, and netlink, in a network namespace that decides what they reach.
    /// Others, such as those to a virtual machine's host, belong to no namespace.
    Usual,
    /// No Unix sockets: those of Docker and the like can be connected to by name.
    NotUnix,
    /// None; pairs of sockets are.
    None,
}

/// Applies to this process and all that it starts; `false` if the kernel cannot.
pub(super) fn apply(sockets: Sockets) -> Result<bool, String> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(false) };
    let denied = denied(sockets).map_err(|error| format!("seccomp: {error}"))?;
    let unknown = UNKNOWN.iter().map(|&call| (call, Vec::new())).collect();
    let filters = [filter(denied, libc::EPERM, arch), filter(unknown, libc::ENOSYS, arch)];
    for filter in filters {
        let filter = filter.map_err(|error| format!("seccomp: {error}"))?;
        if seccompiler::apply_filter(&filter).is_err() {
            return Ok(false);
        }
    }
    if cfg!(target_arch = "x86_64") && seccompiler::apply_filter(&no_x32()).is_err() {
        return Ok(false);
    }
    Ok(true)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn denied(sockets: Sockets) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = DENIED.iter().map(|&call| (call, Vec::new())).collect();
    let mut namespaces = Vec::new();
    for &flag in NEW_NAMESPACES {
        let flag = u64::try_from(flag).unwrap_or(0);
        namespaces.push(rule([(0, SeccompCmpOp::MaskedEq(flag), flag)])?);
    }
    rules.insert(libc::SYS_unshare, namespaces.clone());
    rules.insert(libc::SYS_clone, namespaces);
    for &bits in RUN_AS_THE_OWNER {
        for &(call, mode) in CHANGES_OF_MODE {
            let rule = rule([(mode, SeccompCmpOp::MaskedEq(bits), bits)])?;
            rules.entry(call).or_default().push(rule);
        }
        for (&(call, mode), &flag) in
            CREATIONS.iter().flat_map(|call| CREATING.iter().map(move |flag| (call, flag)))
        {
            let flag = u64::try_from(flag).unwrap_or(0);
            let creates = (mode - 1, SeccompCmpOp::MaskedEq(flag), flag);
            let rule = rule([creates, (mode, SeccompCmpOp::MaskedEq(bits), bits)])?;
            rules.entry(call).or_default().push(rule);
        }
    }
    let mut typing = Vec::new();
    for &request in TYPING {
        typing.push(rule([(1, SeccompCmpOp::Eq, request)])?);
    }
    rules.insert(libc::SYS_ioctl, typing);
    let other = |&value: &u64| (0, SeccompCmpOp::Ne, value);
    rules.insert(libc::SYS_personality, vec![rule(PERSONALITIES.iter().map(other))?]);
    let families =
        [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_UNIX].map(|family| family as u64);
    let opened = match sockets {
        Sockets::Usual => vec![rule(families.iter().map(other))?],
        Sockets::NotUnix => vec![rule(families[..3].iter().map(other))?],
        Sockets::None => Vec::new(),
    };
    rules.insert(libc::SYS_socket, opened);
    Ok(rules)
}

/// Matches if all of these do: the number of an argument, a comparison, and a value. Four bytes are
/// compared, because the kernel ignores the others.
fn rule(
    conditions: impl IntoIterator<Item = (u8, SeccompCmpOp, u64)>,
) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions = conditions
        .into_iter()
        .map(|(argument, comparison, value)| {
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)
        })
        .collect::<Result<_, _>>()?;
    SeccompRule::new(conditions)
}

fn filter(rules: Rules, error: i32, arch: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let error = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, error, arch)?.try_into()
}

/// Denies the second numbering of calls that x86-64 kernels may have, which the others would not
/// see through: every number above its beginning is unknown.
fn no_x32() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    const NUMBER: u32 = 0;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_WORD, 0, 0, NUMBER),
        step(JUMP_IF_AT_LEAST, 0, 1, X32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
