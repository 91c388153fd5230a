//! What the connections of a scripted model share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::seen::SeenRequest;
use super::step::Step;

/// What the connections share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) changed: Condvar,
    is_closing: AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) steps: VecDeque<Step>,
    pub(super) requests: Vec<SeenRequest>,
    pub(super) lookups: Vec<String>,
    pub(super) left: usize,
}

impl Shared {
    pub(super) fn new(steps: Vec<Step>) -> Self {
        Self { state: Mutex::new(State { steps: steps.into(), ..State::default() }), ..Self::default() }
    }

    /// Ends every connection soon.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes those who wait for it.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.notify_all();
        result
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }
}
