//! How long ago something was, in two or three characters.

use nudge_core::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `now`, `5m ago`, `3h ago`, `12d ago`.
pub(crate) fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).as_secs();
    match seconds {
        0..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ => format!("{}d ago", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit_that_fits() {
        let now = Timestamp::from_millis(1_000_000_000_000);
        let told = [0, 59, 60, 3_599, 3_600, 86_399, 86_400, 86_400 * 400]
            .map(|seconds| age(Timestamp::from_millis(1_000_000_000_000 - seconds * 1_000), now));
        assert_eq!(told, ["now", "now", "1m ago", "59m ago", "1h ago", "23h ago", "1d ago", "400d ago"]);
    }
}
