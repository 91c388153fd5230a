//! The sizes of the surface bench.

/// How much is measured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Size {
    /// The size for `docs/performance.md`.
    Full,
    /// Just enough to see that everything runs.
    Short,
}

impl Size {
    /// Entries in the large store.
    pub(super) const fn entries(self) -> u64 {
        match self {
            Self::Full => 1_000_000,
            Self::Short => 50_000,
        }
    }

    /// Whole processes timed for each side.
    pub(super) const fn processes(self) -> usize {
        match self {
            Self::Full => 500,
            Self::Short => 40,
        }
    }

    /// Rounds of calls for each side, and calls in a round.
    pub(super) const fn calls(self) -> (usize, usize) {
        match self {
            Self::Full => (40, 100),
            Self::Short => (4, 50),
        }
    }

    /// Reads of the kernel timed for each store.
    pub(super) const fn samples(self) -> u64 {
        match self {
            Self::Full => 20_000,
            Self::Short => 2_000,
        }
    }
}
