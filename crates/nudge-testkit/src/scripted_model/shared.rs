//! What the connections of a scripted model share.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::seen::SeenRequest;
use super::step::{FINAL_TEXT, Step};

/// What the connections share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) changed: Condvar,
    is_closing: AtomicBool,
    otherwise: Otherwise,
}

/// What is said when no step is left.
struct Otherwise(Box<dyn Fn(&SeenRequest) -> Step + Send + Sync>);

impl Default for Otherwise {
    fn default() -> Self {
        Self(Box::new(|_| Step::say(FINAL_TEXT)))
    }
}

impl fmt::Debug for Otherwise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Otherwise")
    }
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

    pub(super) fn answering(answer: impl Fn(&SeenRequest) -> Step + Send + Sync + 'static) -> Self {
        Self { otherwise: Otherwise(Box::new(answer)), ..Self::default() }
    }

    /// Notes a call, and takes the step for it.
    pub(super) fn step(&self, seen: SeenRequest) -> Step {
        let step = self.change(|state| {
            state.requests.push(seen.clone());
            state.steps.pop_front()
        });
        step.unwrap_or_else(|| (self.otherwise.0)(&seen))
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
