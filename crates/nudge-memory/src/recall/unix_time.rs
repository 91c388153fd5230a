//! Times on the wire: whole Unix seconds. A window excludes both of its ends.

use nudge_core::Timestamp;
use nudge_store::Window;

/// The time in its wire form.
pub(crate) const fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

/// The time in readable form, to the second.
pub(crate) fn readable(at: Timestamp) -> String {
    let text = at.to_string();
    text.split_once('.').map_or_else(|| text.clone(), |(seconds, _)| format!("{seconds}Z"))
}

/// The window between the two times, compared in whole seconds as on the wire.
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
