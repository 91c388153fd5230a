//! How a command ends: the exit codes that scripts rely on, one for each kind of error.

use nudge_core::{Fault, FaultKind};

/// The exit codes, as `nudge --help` and `docs/spec/cli.md` list them. `hook` always exits 0;
/// `record` has its own codes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success.
    Ok,
    /// A failure without its own code.
    Failed,
    /// The command line or the input is wrong. Clap uses the same number.
    Usage,
    /// There is no such hint, entry, session, project or file, or none that applies here.
    NotFound,
    /// Not allowed, or not confirmed.
    NotAllowed,
    /// The memory cannot be used: locked, damaged, missing, read-only, or the disk is full.
    Unavailable,
    /// A conflict with stored data: another version, a taken name, a limit.
    Conflict,
    /// The user stopped it with Ctrl-C, as shells number that.
    Interrupted,
}

impl Exit {
    /// The numeric code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::NotAllowed => 4,
            Self::Unavailable => 5,
            Self::Conflict => 6,
            Self::Interrupted => 130,
        }
    }

    /// The code for a fault. The reason decides if the kind covers more than one code.
    pub(crate) fn of(fault: &Fault) -> Self {
        by_reason(&fault.reason).unwrap_or_else(|| by_kind(fault.kind))
    }
}

const fn by_kind(kind: FaultKind) -> Exit {
    match kind {
        FaultKind::Invalid | FaultKind::ScopeInvalid | FaultKind::TooLarge => Exit::Usage,
        FaultKind::NotFound | FaultKind::UnknownOperation => Exit::NotFound,
        FaultKind::Forbidden | FaultKind::SecretRejected => Exit::NotAllowed,
        FaultKind::Busy | FaultKind::NewerStore | FaultKind::ReadOnly | FaultKind::Unavailable => {
            Exit::Unavailable
        }
        FaultKind::Conflict | FaultKind::Quota => Exit::Conflict,
        FaultKind::NeedEnv | FaultKind::Internal => Exit::Failed,
    }
}

/// The code for reasons that are more specific than their kind. The kinds are part of the wire
/// contract and cannot change.
fn by_reason(reason: &str) -> Option<Exit> {
    let exit = match reason {
        // The user did not confirm.
        "not_confirmed" => Exit::NotAllowed,
        // The store is broken. On the wire this is an internal failure.
        Fault::DAMAGED | Fault::DATABASE | Fault::FILE | Fault::MIGRATION_CHANGED => Exit::Unavailable,
        // There is no server at the port given with `-p`.
        "wrong_port" | "no_server" => Exit::Unavailable,
        // The stored state already went past this.
        "decided" | "over" | "file_exists" | "memory_sound" | "nothing_to_trust" => Exit::Conflict,
        "no_transcripts" => Exit::NotFound,
        // Files and ports outside the memory.
        Fault::OUTPUT
        | "unwritable"
        | "unreadable_file"
        | "damaged_file"
        | "settings_unreadable"
        | "settings_not_written"
        | "settings_not_writable"
        | "settings_not_json"
        | "settings_not_toml"
        | "settings_of_another_kind"
        | "broken_link"
        | "token_unusable"
        | "token_refused"
        | "ledger_unusable"
        | "server_not_started"
        | "daemon"
        | "port_taken"
        | "no_port"
        | "no_sockets" => Exit::Failed,
        _ => return None,
    };
    Some(exit)
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command could not do its work.
    Fault(Fault),
    /// The arguments are wrong in combination, which the parser cannot detect.
    Usage(String),
}

impl Failure {
    /// The exit code for this failure.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Fault(fault) => Exit::of(fault),
            Self::Usage(_) => Exit::Usage,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_decides_before_its_kind() {
        let exit = |kind, reason: &str| Exit::of(&Fault::new(kind, reason, "x")).code();
        assert_eq!(exit(FaultKind::Invalid, "ttl_invalid"), 2);
        assert_eq!(exit(FaultKind::Invalid, "not_confirmed"), 4);
        assert_eq!(exit(FaultKind::Internal, Fault::DAMAGED), 5);
        assert_eq!(exit(FaultKind::Internal, "panic"), 1);
        assert_eq!(exit(FaultKind::Unavailable, "port_taken"), 1);
    }

    #[test]
    fn every_kind_of_fault_has_a_code_of_its_own_kind() {
        let codes = FaultKind::ALL.map(|kind| by_kind(kind).code());
        assert_eq!(codes, [3, 2, 6, 4, 2, 6, 4, 5, 2, 3, 5, 5, 5, 1, 1]);
    }
}
