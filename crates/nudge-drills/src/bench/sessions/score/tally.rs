//! Counts, with the reason for each hit.

use serde_json::{Value, json};

use super::super::data::Place;

/// A number of hits out of a total.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Share {
    pub(in super::super) hit: u64,
    pub(in super::super) of: u64,
}

impl Share {
    pub(in super::super) fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hit as f64 / self.of as f64)
    }
}

/// What was counted for a share: the place, and the line or words that made it a hit.
#[derive(Debug, Default)]
pub(in super::super) struct Tally(Vec<(Place, Option<String>)>);

impl Tally {
    pub(super) fn count(&mut self, place: Place, hit: Option<&str>) {
        self.0.push((place, hit.map(str::to_owned)));
    }

    pub(in super::super) fn share(&self) -> Share {
        let hit = self.0.iter().filter(|(_, hit)| hit.is_some()).count();
        Share { hit: hit as u64, of: self.0.len() as u64 }
    }

    /// This many hits out of a total.
    #[cfg(test)]
    pub(in super::super) fn of(hit: u64, of: u64) -> Self {
        let row = |number| (Place { session: String::new(), seq: number }, (number < hit).then(String::new));
        Self((0..of).map(row).collect())
    }

    /// Each row, for debugging.
    pub(super) fn json(&self) -> Value {
        let row = |(place, hit): &(Place, Option<String>)| json!({"session": place.session, "seq": place.seq, "hit": hit});
        let Share { hit, of } = self.share();
        json!({"hit": hit, "of": of, "rows": self.0.iter().map(row).collect::<Vec<_>>()})
    }
}
