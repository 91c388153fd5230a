//! The lines that a block could contain, each rendered alone and without a size limit.

use std::collections::{BTreeMap, BTreeSet};

use nudge_context::{Block, BlockFacts, Budget, Delimiter, Note, RelativePlace, Stopped, Trigger, block};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Timestamp};

/// More than any line needs.
const ROOMY: Budget = Budget { tokens: Tokens(1_000_000), characters: 1_000_000 };

/// The text of a made-up note that is no candidate: it only makes the block worth rendering.
const FILLER_NOTE: &str = "beside";

/// Every line that could be in a block, and every entry that is considered for it.
#[derive(Debug, Default)]
pub struct WholeLines {
    /// The lines with the entries they are about; a heading has none.
    pub lines: BTreeMap<String, BTreeSet<i64>>,
    /// The entries that the assembler must account for, with a line or with a reason.
    pub considered: BTreeSet<i64>,
}

impl WholeLines {
    /// The lines and entries of these candidates.
    pub fn of(facts: &BlockFacts, trigger: Trigger, now: Timestamp) -> Self {
        let mut whole = Self::default();
        for alone in each_alone(facts, now) {
            if let Some(block) = block(alone, trigger, ROOMY, &Delimiter::new([0; 6]), now) {
                whole.add(&block);
            }
        }
        whole
    }

    fn add(&mut self, block: &Block) {
        let mut entries = block.included.iter().map(|line| line.entry);
        for line in inside(&block.text) {
            let about = self.lines.entry(line.to_owned()).or_default();
            if is_item(line) {
                about.extend(entries.next().flatten().map(|EntryId(id)| id));
            }
        }
        let included = block.included.iter().filter_map(|line| line.entry);
        let accounted = included.chain(block.left_out.iter().map(|left| left.entry));
        self.considered.extend(accounted.map(|EntryId(id)| id));
    }
}

/// The lines inside the frame, after the sentence that introduces them.
pub fn inside(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().count();
    text.lines().skip(2).take(lines.saturating_sub(3))
}

/// Whether a line is an item, not a heading or a closing line.
pub fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("  ") || line.starts_with("| #")
}

/// Each candidate alone, together with a note that makes it worth a block.
pub fn each_alone(facts: &BlockFacts, now: Timestamp) -> Vec<BlockFacts> {
    let note = Note { entry: None, at: now, text: FILLER_NOTE.to_owned() };
    let bare = BlockFacts { project: facts.project.clone(), notes: vec![note], ..BlockFacts::default() };
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut BlockFacts)| {
        let mut alone = bare.clone();
        change(&mut alone);
        all.push(alone);
    };
    facts.stated.iter().for_each(|one| add(&|to| to.stated.push(one.clone())));
    // A repeated failure is shown with its count, and no longer with its session.
    let noted: BTreeSet<EntryId> = facts.notes.iter().filter_map(|note| note.entry).collect();
    let mut stopped = facts.stopped.clone();
    for one in &mut stopped {
        one.failing.take_if(|command| noted.contains(&command.entry));
    }
    let whole = stopped.iter().position(Stopped::left_something).unwrap_or(0);
    for (place, one) in stopped.iter().enumerate() {
        // The newest session that left something is rendered differently from the others.
        let ahead = (place != whole).then(|| nothing(now));
        add(&|to| to.stopped = ahead.iter().chain([one]).cloned().collect());
    }
    facts.notes.iter().for_each(|one| add(&|to| to.notes.push(one.clone())));
    facts.intents.iter().for_each(|one| add(&|to| to.intents.push(one.clone())));
    facts.rows.iter().for_each(|one| add(&|to| to.rows.push(one.clone())));
    facts.elsewhere.iter().for_each(|one| add(&|to| to.elsewhere.push(one.clone())));
    facts.prompts.iter().for_each(|one| add(&|to| to.prompts.push(one.clone())));
    facts.files.iter().for_each(|one| add(&|to| to.files.push(one.clone())));
    facts.command.iter().for_each(|one| add(&|to| to.command = Some(one.clone())));
    all
}

/// A session that left something and has no text.
const fn nothing(at: Timestamp) -> Stopped {
    Stopped {
        at,
        place: RelativePlace::Here,
        broke_off: false,
        goal: None,
        last: None,
        concluded: None,
        drift: None,
        branch: None,
        commit: None,
        changed: None,
        failing: None,
        todos: Some((EntryId(0), Vec::new())),
    }
}
