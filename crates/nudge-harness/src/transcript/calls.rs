//! Tool calls that have not ended; the end may come much later or never.

use std::collections::HashMap;

use nudge_core::event::HookEvent;

use super::item::Item;

/// The calls that have begun, by id, in the order they began.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: HashMap<String, (u64, HookEvent)>,
    begun: u64,
}

impl Calls {
    /// A call began. One that is reported twice counts once.
    pub(crate) fn begin(&mut self, id: &str, event: HookEvent) {
        self.begun += 1;
        self.open.entry(id.to_owned()).or_insert((self.begun, event));
    }

    /// The open call with that id.
    pub(crate) fn get(&self, id: &str) -> Option<&HookEvent> {
        self.open.get(id).map(|(_, event)| event)
    }

    /// Removes and returns the open call with that id.
    pub(crate) fn end(&mut self, id: &str) -> Option<HookEvent> {
        self.open.remove(id).map(|(_, event)| event)
    }

    /// The calls that never ended.
    pub(crate) fn rest(self) -> Vec<Item> {
        let mut left: Vec<_> = self.open.into_values().collect();
        left.sort_by_key(|(order, _)| *order);
        left.into_iter().map(|(_, event)| Item::Event(Box::new(event))).collect()
    }
}
