//! Constants that `cargo xtask fit` writes, from real sessions with whole projects left out. Do
//! not edit.

/// How much each feature of an entry counts for the chance that it helps with a prompt.
pub const HELPS_WEIGHTS: [(&str, f32); 10] = [
    ("covered_in_line", 1.062),
    ("rare_unseen", -0.364),
    ("mass", 0.822),
    ("second_rarest", 3.750),
    ("rare_in_line", 0.194),
    ("second_rarest_in_line", 1.408),
    ("names", 1.570),
    ("name_share", 0.077),
    ("age", -0.207),
    ("same_session", 0.604),
];

/// What is added to the weighted features.
pub const HELPS_BIAS: f32 = -6.673;

/// The least chance at which something is injected with a prompt.
pub const MIN_HELPS: f32 = 0.27;
