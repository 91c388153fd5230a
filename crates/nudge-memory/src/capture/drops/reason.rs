//! Why something could not be kept.

/// Why something could not be kept. The numbers are those of the record and never change.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum DropReason {
    /// The disk was full.
    DiskFull = 1,
    /// The directory could not be written, or its files may not grow.
    Unwritable = 2,
    /// The payload was none: not JSON, not text, or not what that agent sends.
    UnreadableInput = 3,
    /// The time was up before the payload was read to its end, or before anything could be made of it.
    DeadlineBeforeRead = 4,
    /// A spooled line was cut off in the middle.
    Torn = 5,
    /// A spooled line was whole, but the memory refused it for good.
    Refused = 6,
}

impl DropReason {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::DiskFull,
        Self::Unwritable,
        Self::UnreadableInput,
        Self::DeadlineBeforeRead,
        Self::Torn,
        Self::Refused,
    ];

    /// The word for it.
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

    /// The number in the record.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The reason with that number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.number() == number)
    }

    /// The reason that a failure to write a file amounts to.
    pub fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Unwritable,
        }
    }
}
