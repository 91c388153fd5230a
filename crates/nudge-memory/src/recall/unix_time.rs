//! Times as callers give them: whole Unix seconds, neither end of a window included.

use nudge_core::Timestamp;
use nudge_store::Window;

/// The time as it is on the wire.
pub(crate) const fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

/// The time as people and agents read it, to the second.
pub(crate) fn readable(at: Timestamp) -> String {
    let text = at.to_string();
    text.split_once('.').map_or_else(|| text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

/// What lies after the one and before the other, as the seconds on the wire compare.
pub(super) fn window(after: Option<i64>, before: Option<i64>) -> Window {
    let millis = |seconds: i64| Timestamp::from_millis(seconds.saturating_mul(1_000));
    Window {
        from: after.map_or(Timestamp::from_millis(i64::MIN), |after| millis(after.saturating_add(1))),
        until: before.map_or(Timestamp::from_millis(i64::MAX), millis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_left_out_whole() {
        let window = window(Some(10), Some(12));
        let inside = |ms| (window.from..window.until).contains(&Timestamp::from_millis(ms));
        assert_eq!([9_000, 10_999, 11_000, 11_999, 12_000].map(inside), [false, false, true, true, false]);
    }
}
