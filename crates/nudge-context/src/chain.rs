//! Filters thread a value through subscribers; events notify subscribers.
//!
//! Subscribers do not know each other. The priority of a filter alone decides its place.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A chain of functions that each take a value and return it changed.
///
/// A lower priority number runs first. Filters of the same priority run in order of addition.
pub struct Filters<'f, T> {
    steps: Vec<Step<'f, T>>,
}

type Change<'f, T> = Box<dyn Fn(T) -> T + Send + Sync + 'f>;

struct Step<'f, T> {
    priority: u16,
    name: &'static str,
    change: Change<'f, T>,
}

impl<'f, T> Filters<'f, T> {
    /// A chain without filters: it returns each value unchanged.
    pub const fn new() -> Self {
        Self { steps: Vec::new() }
    }

    /// Adds a filter. The name is for people who read the order of a chain.
    pub fn add(&mut self, priority: u16, name: &'static str, f: impl Fn(T) -> T + Send + Sync + 'f) {
        let place = self.steps.partition_point(|step| step.priority <= priority);
        self.steps.insert(place, Step { priority, name, change: Box::new(f) });
    }

    /// Passes a value through all filters.
    pub fn apply(&self, value: T) -> T {
        self.steps.iter().fold(value, |value, step| (step.change)(value))
    }

    /// Priority and name of each filter, in the order in which they run.
    pub fn order(&self) -> impl Iterator<Item = (u16, &'static str)> {
        self.steps.iter().map(|step| (step.priority, step.name))
    }
}

impl<T> Default for Filters<'_, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Filters<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.order()).finish()
    }
}

/// Subscribers to one kind of event.
///
/// Events are fire and forget. A handler returns nothing, and the emitter never sees that one
/// failed: a panic ends that handler alone. Handlers run in order of addition, on the thread of the
/// emitter.
pub struct Events<'f, E> {
    handlers: Vec<(&'static str, Handler<'f, E>)>,
}

type Handler<'f, E> = Box<dyn Fn(&E) + Send + Sync + 'f>;

impl<'f, E> Events<'f, E> {
    /// No handlers.
    pub const fn new() -> Self {
        Self { handlers: Vec::new() }
    }

    /// Adds a handler. The name is for people who read the list of handlers.
    pub fn on(&mut self, name: &'static str, f: impl Fn(&E) + Send + Sync + 'f) {
        self.handlers.push((name, Box::new(f)));
    }

    /// Passes an event to every handler.
    pub fn emit(&self, event: &E) {
        for (_, handler) in &self.handlers {
            // The panic hook has reported it.
            let _ = catch_unwind(AssertUnwindSafe(|| handler(event)));
        }
    }

    /// The names of the handlers, in the order in which they run.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.handlers.iter().map(|(name, _)| *name)
    }
}

impl<E> Default for Events<'_, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> fmt::Debug for Events<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_priority_runs_first() {
        let mut filters = Filters::new();
        filters.add(50, "name", |text: String| text + "Ada");
        filters.add(30, "greeting", |text: String| text + "Hello, ");
        assert_eq!(filters.apply(String::new()), "Hello, Ada");
    }
}
