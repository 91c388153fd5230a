//! What was gathered for somebody who is told, and the block that it makes.

use std::collections::HashSet;

use nudge_context::{Block, Budget, Delimiter, Excluded, LeftOut, Note, StartFacts, Trigger, block};
use nudge_core::{EntryId, Timestamp};

use crate::inject::cooldown::Cooldown;

/// All that may be told, and the notes that must not be told now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::inject) struct Gathered {
    pub(in crate::inject) facts: StartFacts,
    pub(in crate::inject) held: Vec<Excluded>,
}

impl Gathered {
    /// Takes the notes that may be told, and remembers why the others may not.
    pub(in crate::inject) fn take_notes(&mut self, notes: Vec<Note>, cooldown: &Cooldown) {
        for note in notes {
            let held = note.entry.and_then(|entry| Some((entry, cooldown.on(entry, false)?)));
            match held {
                Some((entry, why)) => self.held.push(Excluded { entry, why: LeftOut::Withheld(why) }),
                None => self.facts.notes.push(note),
            }
        }
    }

    /// The block, or nothing where there is nothing to tell. A note that was held back comes first of all that was left out.
    pub(in crate::inject) fn block(
        self,
        trigger: Trigger,
        budget: Budget,
        delimiter: &Delimiter,
        now: Timestamp,
    ) -> Option<Block> {
        let mut block = block(self.facts, trigger, budget, delimiter, now)?;
        let told = block.included.iter().filter_map(|line| line.entry);
        let known: HashSet<EntryId> = told.chain(block.left_out.iter().map(|left| left.entry)).collect();
        let held = self.held.into_iter().filter(|left| !known.contains(&left.entry));
        block.left_out = held.chain(std::mem::take(&mut block.left_out)).collect();
        Some(block)
    }
}
