//! The places for connections: who has one, and who gives it up when all are taken.
//!
//! A connection waits until the head of a request has come, and again after its answer. Only those
//! that wait give up their places, so a request that was begun is answered. The oldest that was
//! never used goes first: a client sends its request at once, a connection that is meant to hold us
//! up does not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Connections at once. When none of them waits, further ones are closed unanswered.
const PLACES: usize = 128;

/// The most, with those that are still finishing an answer before they leave.
const MOST: usize = 2 * PLACES;

/// All places of the port.
#[derive(Default)]
pub(super) struct Places {
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    /// Counts what happens, so that it can be said what was earlier.
    clock: u64,
    /// Every open connection, by its number.
    open: BTreeMap<u64, Connection>,
}

struct Connection {
    used: bool,
    /// Since when it waits for a request; `None` while one is under way.
    waits_since: Option<u64>,
    leave: CancellationToken,
}

/// One place, free again when the value is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    leave: CancellationToken,
}

impl Places {
    /// A place for a new connection. `None` when every other one has a request under way.
    pub(super) fn take(self: &Arc<Self>) -> Option<Arc<Place>> {
        let mut taken = self.taken();
        if taken.open.len() >= MOST {
            return None;
        }
        if taken.open.values().filter(|one| !one.leave.is_cancelled()).count() >= PLACES {
            taken.first_to_leave()?.leave.cancel();
        }
        let number = taken.tick();
        let leave = CancellationToken::new();
        let connection = Connection { used: false, waits_since: Some(number), leave: leave.clone() };
        taken.open.insert(number, connection);
        Some(Arc::new(Place { places: self.clone(), number, leave }))
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Of those that wait, the oldest that was never used, else the one that has waited longest.
    fn first_to_leave(&self) -> Option<&Connection> {
        let waiting = self.open.values().filter(|one| one.waits_since.is_some() && !one.leave.is_cancelled());
        waiting.min_by_key(|one| (one.used, one.waits_since))
    }
}

impl Place {
    /// A request has come.
    pub(super) fn has_request(&self) {
        self.note(|connection, _| connection.waits_since = None);
    }

    /// It was answered, and the next one may come.
    pub(super) fn has_answered(&self) {
        self.note(|connection, now| {
            connection.used = true;
            connection.waits_since = Some(now);
        });
    }

    /// Whether a request ever came.
    pub(super) fn was_used(&self) -> bool {
        let taken = self.places.taken();
        taken.open.get(&self.number).is_some_and(|one| one.used || one.waits_since.is_none())
    }

    /// Returns when the place is needed for another connection.
    pub(super) async fn given_up(&self) {
        self.leave.cancelled().await;
    }

    fn note(&self, change: impl FnOnce(&mut Connection, u64)) {
        let mut taken = self.places.taken();
        let now = taken.tick();
        if let Some(connection) = taken.open.get_mut(&self.number) {
            change(connection, now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(places: &Arc<Places>) -> Vec<Arc<Place>> {
        (0..PLACES).map(|_| places.take().expect("there is a place")).collect()
    }

    fn gone(held: &[Arc<Place>]) -> Vec<usize> {
        (0..held.len()).filter(|&at| held[at].leave.is_cancelled()).collect()
    }

    #[test]
    fn the_oldest_that_was_never_used_goes_first() {
        let places = Arc::new(Places::default());
        let held = fill(&places);
        held[0].has_request();
        held[1].has_request();
        held[1].has_answered();
        let _new = [places.take(), places.take()];
        assert_eq!(gone(&held), [2, 3]);
    }

    #[test]
    fn idle_ones_go_next_and_those_with_a_request_never() {
        let places = Arc::new(Places::default());
        let held = fill(&places);
        held.iter().for_each(|place| place.has_request());
        assert!(places.take().is_none());
        held[7].has_answered();
        held[5].has_answered();
        assert!(places.take().is_some_and(|new| !new.was_used()));
        assert_eq!(gone(&held), [7]);
    }

    #[test]
    fn those_that_are_leaving_are_counted_too() {
        let places = Arc::new(Places::default());
        let held: Vec<_> = (0..MOST).map(|_| places.take().expect("there is a place")).collect();
        assert_eq!(gone(&held).len(), PLACES);
        assert!(places.take().is_none());
        drop(held);
        assert!(places.take().is_some());
    }
}
