//! What a driver reports to the machine.

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The loop begins, or goes on after a turn that was never answered.
    Begin,
    /// The packet of the turn is assembled.
    Assembled {
        /// Its estimated cost.
        estimate: u32,
        /// The most that it may cost.
        ceiling: u32,
    },
    /// The model answered.
    Answered {
        /// What it wrote.
        text: String,
        /// Whether the answer ended because it reached the limit of its length.
        finish_is_length: bool,
        /// What the model counted for the packet.
        tokens: Option<u32>,
    },
    /// The model did not answer.
    ModelFailed {
        /// Why.
        kind: FailureKind,
        /// The same in words.
        message: String,
    },
    /// The answer and its calls are stored.
    Recorded {
        /// The status of each call that was carried out before a crash: normally all `None`. 202
        /// waits for the user.
        done: Vec<Option<u16>>,
    },
    /// A call was carried out.
    Dispatched {
        /// Which call.
        index: usize,
        /// Its status; 400 and above is a failure.
        status: u16,
        /// Whether it now waits for the user.
        waits_for_user: bool,
    },
    /// The user decided on a call.
    Decided {
        /// Which call.
        index: usize,
        /// Whether it may be carried out.
        accepted: bool,
        /// Its status after it was carried out. Nobody reads it if it was not accepted.
        status: u16,
    },
    /// The next packet is measured.
    Measured {
        /// Its estimated cost.
        estimate: u32,
        /// The most that it may cost.
        ceiling: u32,
    },
    /// Nudge itself failed while it carried out a call.
    Crashed {
        /// Which call.
        index: usize,
        /// What failed.
        message: String,
    },
    /// The user stops the loop.
    Abort,
}

/// Why a model did not answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The packet is longer than the model can read.
    ContextTooLong,
    /// The answer broke off.
    Interrupted,
    /// The provider has no key or address.
    NotConfigured,
    /// The provider does not know the key.
    Auth,
    /// Too many requests, for too long.
    RateLimit,
    /// The provider rejects the request.
    Rejected,
    /// The provider cannot be reached or has failed.
    Unavailable,
    /// Nothing came for too long.
    Timeout,
    /// The answer does not follow the provider's protocol.
    Malformed,
}

impl FailureKind {
    /// The status of the error.
    pub const fn status(self) -> u16 {
        match self {
            Self::ContextTooLong => 413,
            Self::Interrupted | Self::Unavailable | Self::Malformed => 502,
            Self::NotConfigured => 503,
            Self::Auth => 401,
            Self::RateLimit => 429,
            Self::Rejected => 400,
            Self::Timeout => 504,
        }
    }
}
