//! Lifetimes.

use std::time::Duration;

use crate::duration::{self, Why};
use crate::fault::Fault;
use crate::text::first_chars;
use crate::time::Timestamp;

/// How long a hint lives, counted from the last time it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ttl {
    /// Until the session ends.
    Session,
    /// Until it is deleted.
    Forever,
    /// For this long; the text is what the user wrote.
    For {
        /// The length.
        length: Duration,
        /// The ISO-8601 duration as written.
        text: String,
    },
}

impl Ttl {
    /// Parses `session`, `forever` or an ISO-8601 duration such as `PT2H` or `P3DT4H`.
    ///
    /// A month is 30 days and a year 365. The smallest part may have a fraction: `PT1.5H`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text {
            "session" => Ok(Self::Session),
            "forever" => Ok(Self::Forever),
            _ => {
                let length = duration::iso(text).map_err(|why| refuse(text, why))?;
                Ok(Self::For { length, text: text.to_owned() })
            }
        }
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Session => "session",
            Self::Forever => "forever",
            Self::For { text, .. } => text,
        }
    }

    /// When something set at that time expires by the clock; `None` when the clock does not end it.
    pub fn ends(&self, set_at: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Session | Self::Forever => None,
            Self::For { length, .. } => Some(set_at.plus(*length)),
        }
    }

    /// Whether this may replace `other` where lifetimes may only become shorter.
    ///
    /// Anything is shorter than `forever`, and an end by the clock is shorter than `session`, which
    /// has none. A duration never becomes `session`: a session may last for weeks.
    pub fn shortens(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::For { length: own, .. }, Self::For { length: given, .. }) => own <= given,
            (Self::Forever | Self::Session, Self::For { .. }) | (Self::Forever, Self::Session) => false,
            _ => true,
        }
    }
}

fn refuse(text: &str, why: Why) -> Fault {
    let shown = first_chars(text, 60);
    Fault::invalid("ttl_invalid", format!("ttl: `{}` is not a valid lifetime: {why}", shown.escape_debug()))
        .with("field", "meta.ttl")
        .next("use session, forever, or an ISO-8601 duration such as PT2H (two hours) or P3DT4H")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(text: &str) -> u64 {
        match Ttl::parse(text) {
            Ok(Ttl::For { length, text: kept }) => {
                assert_eq!(kept, text);
                length.as_secs()
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn words_stand_for_themselves() {
        assert_eq!(Ttl::parse("session"), Ok(Ttl::Session));
        assert_eq!(Ttl::parse("forever"), Ok(Ttl::Forever));
        assert_eq!(Ttl::Session.as_str(), "session");
        assert_eq!(Ttl::Forever.as_str(), "forever");
    }

    #[test]
    fn durations_are_read_in_full() {
        let table = [
            ("PT2H", 7_200),
            ("PT90M", 5_400),
            ("PT1H30M5S", 5_405),
            ("PT0.5H", 1_800),
            ("PT1,5M", 90),
            ("P3DT4H", 3 * 86_400 + 4 * 3_600),
            ("P1W", 7 * 86_400),
            ("P1M", 30 * 86_400),
            ("P1Y", 365 * 86_400),
            ("P1Y2M1W3DT1S", (365 + 60 + 7 + 3) * 86_400 + 1),
            ("P1.5D", 129_600),
            ("P100Y", 100 * 365 * 86_400),
        ];
        for (text, expected) in table {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_an_example() {
        let table = [
            ("", "a duration begins with P"),
            ("2h", "a duration begins with P"),
            ("Session", "a duration begins with P"),
            ("pt2h", "a duration begins with P"),
            ("P", "nothing follows P"),
            ("PT", "nothing follows T"),
            ("P1DT", "nothing follows T"),
            ("PT2", "a number needs a unit in capitals behind it"),
            ("PT2h", "a number needs a unit in capitals behind it"),
            ("PTH", "a unit needs a number before it"),
            ("PT-2H", "a unit needs a number before it"),
            ("-PT2H", "a duration has no sign"),
            ("PT0S", "it is zero"),
            ("PT0.0001S", "it is zero"),
            ("PT5M2H", "its units are unknown or out of order"),
            ("PT1H1H", "its units are unknown or out of order"),
            ("P2H", "its units are unknown or out of order"),
            ("PT1.5H3M", "only its last part may have a fraction"),
            ("P1.5DT1H", "only its last part may have a fraction"),
            ("P101Y", "it is longer than 100 years"),
            ("P999999999999Y", "it is longer than 100 years"),
            ("PT1000000000000S", "a number in it has too many digits"),
            (" PT2H", "a duration begins with P"),
            ("PT2H ", "a number needs a unit in capitals behind it"),
            ("PT٣H", "a unit needs a number before it"),
        ];
        for (text, why) in table {
            let fault = Ttl::parse(text).expect_err(text);
            assert_eq!(fault.message, format!("ttl: `{text}` is not a valid lifetime: {why}"));
            assert_eq!((fault.kind.id(), fault.reason.as_str()), ("E_INVALID", "ttl_invalid"));
            assert!(fault.next.expect("a way out").contains("PT2H"));
        }
    }

    #[test]
    fn only_durations_end_by_the_clock() {
        let set_at = Timestamp::from_millis(1_000);
        let two_hours = Ttl::parse("PT2H").expect("valid");
        assert_eq!(two_hours.ends(set_at), Some(Timestamp::from_millis(7_201_000)));
        assert_eq!(Ttl::Session.ends(set_at), None);
        assert_eq!(Ttl::Forever.ends(set_at), None);
    }

    #[test]
    fn shorter_is_an_order_that_never_lengthens() {
        let hour = Ttl::parse("PT1H").expect("valid");
        let day = Ttl::parse("P1D").expect("valid");
        assert!(hour.shortens(&day) && !day.shortens(&hour) && day.shortens(&day));
        assert!(hour.shortens(&Ttl::Session) && !Ttl::Session.shortens(&hour));
        assert!(Ttl::Session.shortens(&Ttl::Forever) && !Ttl::Forever.shortens(&Ttl::Session));
        assert!(hour.shortens(&Ttl::Forever) && !Ttl::Forever.shortens(&hour));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,80}") {
            let _ = Ttl::parse(&text);
        }

        #[test]
        fn anything_like_a_duration_is_read_or_refused(text in "-?P[0-9.,YMWDTHS]{0,40}") {
            if let Ok(Ttl::For { length, text: kept }) = Ttl::parse(&text) {
                prop_assert!(length > Duration::ZERO && length <= duration::MAX_DURATION);
                prop_assert_eq!(kept, text);
            }
        }
    }
}
