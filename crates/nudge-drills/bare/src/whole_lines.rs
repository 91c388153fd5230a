//! The lines that a block could have, each rendered alone and with all the room it wants.

use std::collections::{BTreeMap, BTreeSet};

use nudge_context::{Block, Budget, Delimiter, Note, StartFacts, Stopped, Trigger, Where, block};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Timestamp};

/// More than any line needs.
const ROOMY: Budget = Budget { tokens: Tokens(1_000_000), characters: 1_000_000 };

/// What a made-up note says that is no candidate: it only makes the others worth a block.
const BESIDE: &str = "beside";

/// Every line that could stand in a block, and every entry that is considered for it.
#[derive(Debug, Default)]
pub struct WholeLines {
    /// The lines with the entries that they are about; headings are about none.
    pub lines: BTreeMap<String, BTreeSet<i64>>,
    /// The entries that the assembler accounts for, by a line or by a reason why not.
    pub considered: BTreeSet<i64>,
}

impl WholeLines {
    /// Those of these candidates.
    pub fn of(facts: &StartFacts, trigger: Trigger, now: Timestamp) -> Self {
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

/// The lines between the two of the frame and behind the sentence that says what they are.
pub fn inside(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().count();
    text.lines().skip(2).take(lines.saturating_sub(3))
}

/// Whether a line tells something, and is no heading and no closing line.
pub fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("  ") || line.starts_with("| #")
}

/// Each candidate as the only one, beside a note that makes it worth a block.
pub fn each_alone(facts: &StartFacts, now: Timestamp) -> Vec<StartFacts> {
    let note = Note { entry: None, at: now, text: BESIDE.to_owned() };
    let bare = StartFacts { project: facts.project.clone(), notes: vec![note], ..StartFacts::default() };
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut StartFacts)| {
        let mut alone = bare.clone();
        change(&mut alone);
        all.push(alone);
    };
    facts.stated.iter().for_each(|one| add(&|to| to.stated.push(one.clone())));
    // What keeps failing is told with how often it did, and no more with its session.
    let noted: BTreeSet<EntryId> = facts.notes.iter().filter_map(|note| note.entry).collect();
    let mut stopped = facts.stopped.clone();
    for one in &mut stopped {
        one.failing.take_if(|command| noted.contains(&command.entry));
    }
    let whole = stopped.iter().position(Stopped::left_something).unwrap_or(0);
    for (place, one) in stopped.iter().enumerate() {
        // The newest session that left something is shown otherwise than the others.
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

/// A session that left something and says nothing.
const fn nothing(at: Timestamp) -> Stopped {
    Stopped {
        at,
        place: Where::Here,
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
