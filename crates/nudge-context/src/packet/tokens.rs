//! The cost of a packet against its limit.

/// The cost of a packet against its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketTokens {
    /// The cost of the assembled bytes of both messages.
    pub usage: u32,
    /// What is left below the ceiling; 0 when the packet exceeds it.
    pub free: u32,
    /// The most that a packet may cost.
    pub ceiling: u32,
}

impl PacketTokens {
    /// The figures of a packet that costs this much.
    pub const fn new(usage: u32, ceiling: u32) -> Self {
        Self { usage, free: ceiling.saturating_sub(usage), ceiling }
    }
}
