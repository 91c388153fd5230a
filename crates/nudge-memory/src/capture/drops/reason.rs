//! Why something could not be stored.

/// Why something could not be stored. The numbers are stored in the record and never change.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum DropReason {
    /// The disk was full.
    DiskFull = 1,
    /// The directory was not writable, or its files may not grow.
    Unwritable = 2,
    /// The payload was invalid: not JSON, not text, or not something this agent sends.
    UnreadableInput = 3,
    /// Time ran out before the payload was fully read or processed.
    DeadlineBeforeRead = 4,
    /// A spooled line was truncated.
    Torn = 5,
    /// A spooled line was complete, but the memory rejected it permanently.
    Refused = 6,
}

impl DropReason {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::DiskFull,
        Self::Unwritable,
        Self::UnreadableInput,
        Self::DeadlineBeforeRead,
        Self::Torn,
        Self::Refused,
    ];

    /// The reason's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => "disk_full",
            Self::Unwritable => "unwritable",
            Self::UnreadableInput => "unreadable_input",
            Self::DeadlineBeforeRead => "deadline_before_read",
            Self::Torn => "torn",
            Self::Refused => "refused",
        }
    }

    /// The reason's number in the record.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The reason with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.number() == number)
    }

    /// The reason that matches an I/O error.
    pub fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Unwritable,
        }
    }
}
