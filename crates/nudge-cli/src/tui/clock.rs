//! Times in the user's time zone.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The user's time zone, and the current year, which dates leave out.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    zone: TimeZone,
    year: i16,
}

impl Clock {
    /// A clock in this time zone, at this time.
    pub(super) fn new(zone: TimeZone, now: Timestamp) -> Self {
        let year = now.to_zoned(zone.clone()).year();
        Self { zone, year }
    }

    /// `Nov 17 15:47`; in another year `2025-11-17`. Never wider than [`Clock::COLUMNS`].
    pub(super) fn short(&self, unix_seconds: i64) -> String {
        let Ok(at) = Timestamp::from_second(unix_seconds) else { return "-".to_owned() };
        self.short_of(at)
    }

    /// The same for a timestamp in text form. Any other text stays unchanged.
    pub(super) fn short_text(&self, at: &str) -> String {
        at.parse::<Timestamp>().map_or_else(|_| at.to_owned(), |at| self.short_of(at))
    }

    /// `2026-11-17 15:47`.
    pub(super) fn long(&self, unix_seconds: i64) -> String {
        let Ok(at) = Timestamp::from_second(unix_seconds) else { return "-".to_owned() };
        at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// `15:47`, if the day is known.
    pub(super) fn time(&self, unix_seconds: i64) -> String {
        let Ok(at) = Timestamp::from_second(unix_seconds) else { return "-".to_owned() };
        at.to_zoned(self.zone.clone()).strftime("%H:%M").to_string()
    }

    /// The width of the widest short time.
    pub(super) const COLUMNS: u16 = 12;

    fn short_of(&self, at: Timestamp) -> String {
        let at = at.to_zoned(self.zone.clone());
        let form = if at.year() == self.year { "%b %e %H:%M" } else { "%Y-%m-%d" };
        at.strftime(form).to_string()
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    #[test]
    fn times_are_local_and_old_ones_have_a_year() {
        let now = "2026-11-17T15:47:12Z".parse::<Timestamp>().expect("a timestamp");
        let clock = Clock::new(TimeZone::fixed(Offset::constant(2)), now);
        assert_eq!(clock.short(now.as_second()), "Nov 17 17:47");
        assert_eq!(clock.short_text("2026-11-07T23:30:00.123Z"), "Nov  8 01:30");
        assert_eq!(clock.short_text("2025-03-01T00:00:00Z"), "2025-03-01");
        assert_eq!(clock.short_text("soon"), "soon");
        assert_eq!(clock.long(now.as_second()), "2026-11-17 17:47");
        assert_eq!(clock.short(i64::MAX), "-");
    }
}
