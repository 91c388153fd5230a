//! How relevant a past event still is, without any words to search for.

use nudge_core::{ObservationKind, Timestamp};

/// After this many days an event counts half.
const HALF_LIFE_DAYS: f64 = 7.0;

/// The weight of a prompt among the kinds of actions: as little as a file read.
const PROMPT_WEIGHT: f64 = 0.17;

/// The weight of an event in another project, relative to 1 for this project.
const ELSEWHERE: f64 = 0.3;

const DAY_MS: f64 = 86_400_000.0;

/// Whether something happened in the project asked about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// No project was asked about.
    NotAsked,
    /// In the project that was asked about.
    Here,
    /// In another one.
    Elsewhere,
}

/// From 0 to 1: half of it is age, the rest kind and place.
pub(super) fn score(kind: Option<ObservationKind>, at: Timestamp, now: Timestamp, place: Match) -> f64 {
    let recency = recency(at, now);
    let weight = kind.map_or(PROMPT_WEIGHT, ObservationKind::weight);
    match place {
        Match::NotAsked => 0.6 * recency + 0.4 * weight,
        Match::Here => 0.5 * recency + 0.3 * weight + 0.2,
        Match::Elsewhere => 0.5 * recency + 0.3 * weight + 0.2 * ELSEWHERE,
    }
}

/// 1 for now, a half after seven days, a quarter after fourteen.
fn recency(at: Timestamp, now: Timestamp) -> f64 {
    let age_days = now.since(at).as_millis() as f64 / DAY_MS;
    (-std::f64::consts::LN_2 * age_days / HALF_LIFE_DAYS).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_794_723_027_123);

    fn days_ago(days: i64) -> Timestamp {
        Timestamp::from_millis(NOW.as_millis() - days * 86_400_000)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn recency_halves_every_seven_days() {
        for (days, expected) in [(0, 1.0), (7, 0.5), (14, 0.25), (21, 0.125), (-3, 1.0)] {
            assert!(close(recency(days_ago(days), NOW), expected), "{days}");
        }
    }

    #[test]
    fn what_happened_where_counts_by_kind_and_place() {
        let edit = Some(ObservationKind::FileEdit);
        let at = |place| score(edit, days_ago(7), NOW, place);
        assert!(close(at(Match::Here), 0.25 + 0.3 + 0.2));
        assert!(close(at(Match::Elsewhere), 0.25 + 0.3 + 0.06));
        assert!(close(at(Match::NotAsked), 0.3 + 0.4));
        let new = |kind| score(Some(kind), NOW, NOW, Match::NotAsked) - 0.6;
        for (kind, weight) in [
            (ObservationKind::Command, 0.67),
            (ObservationKind::SessionCompact, 0.5),
            (ObservationKind::McpCall, 0.33),
            (ObservationKind::FileRead, 0.17),
        ] {
            assert!(close(new(kind), 0.4 * weight), "{}", kind.name());
        }
        assert!(close(score(None, NOW, NOW, Match::NotAsked), 0.6 + 0.4 * 0.17));
    }
}
