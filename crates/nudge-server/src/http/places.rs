//! Connection slots: who has one, and who must free it when all are taken.
//!
//! A connection is idle until the head of a request has arrived, and again after its answer. Only
//! idle connections are closed, so a request that has begun is answered. The oldest that was never
//! used is closed first: a client sends its request at once, a connection that is meant to block us
//! does not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The most connections at once. When none of them is idle, new ones are closed unanswered.
const MAX_CONNECTIONS: usize = 128;

/// The most, including those that must close and have not done so yet. When a burst of connections
/// reaches it, the next one waits to be accepted.
const MAX_WITH_CLOSING: usize = 2 * MAX_CONNECTIONS;

/// All slots of the port.
#[derive(Default)]
pub(super) struct ConnectionSlots {
    taken: Mutex<Taken>,
    /// Notified when a slot is freed.
    freed: Notify,
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Full {
    /// Every connection has a running request.
    Running,
    /// Enough connections must close, and none has done so yet.
    Closing,
}

#[derive(Default)]
struct Taken {
    /// Counts events, to order them.
    clock: u64,
    /// Every open connection, by its number.
    open: BTreeMap<u64, Connection>,
}

struct Connection {
    used: bool,
    /// Since when it has been idle; `None` while a request is running.
    waits_since: Option<u64>,
    leave: CancellationToken,
}

/// One slot, freed when the value is dropped.
pub(super) struct ConnectionSlot {
    places: Arc<ConnectionSlots>,
    number: u64,
    leave: CancellationToken,
}

impl ConnectionSlots {
    /// A slot for a new connection. `None` when every other one has a running request. Waits for
    /// connections that must close; they have little time to do so.
    pub(super) async fn take(self: &Arc<Self>) -> Option<Arc<ConnectionSlot>> {
        loop {
            match self.try_take() {
                Ok(slot) => return Some(slot),
                Err(Full::Running) => return None,
                Err(Full::Closing) => self.freed.notified().await,
            }
        }
    }

    fn try_take(self: &Arc<Self>) -> Result<Arc<ConnectionSlot>, Full> {
        let mut taken = self.taken();
        if taken.open.len() >= MAX_WITH_CLOSING {
            return Err(Full::Closing);
        }
        if taken.open.values().filter(|one| !one.leave.is_cancelled()).count() >= MAX_CONNECTIONS {
            taken.first_to_leave().ok_or(Full::Running)?.leave.cancel();
        }
        let number = taken.tick();
        let leave = CancellationToken::new();
        let connection = Connection { used: false, waits_since: Some(number), leave: leave.clone() };
        taken.open.insert(number, connection);
        Ok(Arc::new(ConnectionSlot { places: self.clone(), number, leave }))
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

    /// Of the idle connections, the oldest that was never used, else the one idle longest.
    fn first_to_leave(&self) -> Option<&Connection> {
        let waiting = self.open.values().filter(|one| one.waits_since.is_some() && !one.leave.is_cancelled());
        waiting.min_by_key(|one| (one.used, one.waits_since))
    }
}

impl ConnectionSlot {
    /// A request has arrived.
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

    /// Whether a request ever arrived.
    pub(super) fn was_used(&self) -> bool {
        let taken = self.places.taken();
        taken.open.get(&self.number).is_some_and(|one| one.used || one.waits_since.is_none())
    }

    /// Returns when the slot is needed for another connection.
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

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.places.taken().open.remove(&self.number);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(places: &Arc<ConnectionSlots>) -> Vec<Arc<ConnectionSlot>> {
        (0..MAX_CONNECTIONS).map(|_| places.try_take().expect("there is a place")).collect()
    }

    fn gone(held: &[Arc<ConnectionSlot>]) -> Vec<usize> {
        (0..held.len()).filter(|&at| held[at].leave.is_cancelled()).collect()
    }

    #[test]
    fn the_oldest_that_was_never_used_goes_first() {
        let places = Arc::new(ConnectionSlots::default());
        let held = fill(&places);
        held[0].has_request();
        held[1].has_request();
        held[1].has_answered();
        let _new = [places.try_take(), places.try_take()];
        assert_eq!(gone(&held), [2, 3]);
    }

    #[test]
    fn idle_ones_go_next_and_those_with_a_request_never() {
        let places = Arc::new(ConnectionSlots::default());
        let held = fill(&places);
        held.iter().for_each(|place| place.has_request());
        assert_eq!(places.try_take().err(), Some(Full::Running));
        held[7].has_answered();
        held[5].has_answered();
        assert!(places.try_take().is_ok_and(|new| !new.was_used()));
        assert_eq!(gone(&held), [7]);
    }

    #[test]
    fn those_that_are_leaving_are_counted_too() {
        let places = Arc::new(ConnectionSlots::default());
        let held: Vec<_> =
            (0..MAX_WITH_CLOSING).map(|_| places.try_take().expect("there is a place")).collect();
        assert_eq!(gone(&held).len(), MAX_CONNECTIONS);
        assert_eq!(places.try_take().err(), Some(Full::Closing));
        drop(held);
        assert!(places.try_take().is_ok());
    }

    #[tokio::test]
    async fn a_burst_waits_for_those_that_are_leaving() {
        let places = Arc::new(ConnectionSlots::default());
        let mut held: Vec<_> =
            (0..MAX_WITH_CLOSING).map(|_| places.try_take().expect("there is a place")).collect();
        let waiting = tokio::spawn({
            let places = places.clone();
            async move { places.take().await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        held.remove(0);
        assert!(waiting.await.expect("it ends"));
    }
}
