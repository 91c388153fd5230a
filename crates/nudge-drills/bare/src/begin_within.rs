//! Begins sessions in made-up stores with budgets of every size, and checks each text that they
//! get.
//!
//! `begin-within FROM TO`, for the stores with these numbers. Prints a line of JSON for each start,
//! `{store, trigger, budget, text, tokens, injected, left_out, wrong}`. `text` is null where
//! nothing was injected; `wrong` lists the violations.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use nudge_context::{Block, BlockFacts, Budget, Delimiter, Note, RelativePlace, Stopped, Trigger, block};
use nudge_core::tokens::{self, Tokens};
use nudge_core::{EntryId, Timestamp};
use nudge_memory::capture::{CapturedEvent, EventBody};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_testkit::event::{prompt, start};
use serde_json::json;

use crate::made_up_store::{MEASURED_REPO, MadeUpStore};

/// The budgets, in tokens.
const MIN_BUDGET: u64 = 50;

const MAX_BUDGET: u64 = 2_200;

/// How many left-out entries the ledger keeps.
const MAX_LEDGER: usize = 50;

/// The line in which a section counts the items that did not fit: `- 3 more: …`.
const MORE_NOTES: [&str; 2] = [" more: `nudge knows`", "`nudge knows`; `inject.start_tokens` sets the limit"];

/// The length of a short form, with the mark of what is left out, in characters.
const MAX_SHORT_CHARS: usize = 82;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let (from, to) = args.next().zip(args.next()).context("usage: begin-within FROM TO")?;
    for number in from.parse()?..to.parse::<u64>()? {
        begin(number).with_context(|| format!("store {number}"))?;
    }
    Ok(())
}

/// A session begins, loses its context and starts a subagent, each with its own budget.
fn begin(number: u64) -> anyhow::Result<()> {
    let mut store = MadeUpStore::new(number)?;
    let budget = |store: &mut MadeUpStore| MIN_BUDGET + store.random.below(MAX_BUDGET - MIN_BUDGET + 1);
    for what in [start("startup"), start("compact"), EventBody::Subagent] {
        let limit = u32::try_from(budget(&mut store))?;
        let limits = InjectionLimits {
            start_tokens: limit,
            recovery_tokens: limit,
            prompt_tokens: limit,
            tool_tokens: limit,
            ask_agent: false,
        };
        // A subagent gets at most 60 % of the budget of a start.
        let within = if what == EventBody::Subagent { limit / 100 * 60 } else { limit };
        let event = store.event("new", MEASURED_REPO, what);
        let looked = CheckedStart::at(&store, &event, limits, within)?;
        println!("{}", looked.report(number));
        let asked = store.event("new", MEASURED_REPO, prompt("Why does the login page show no error?"));
        store.bench.memory.receive(&asked).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    }
    Ok(())
}

/// One start, and what is wrong with it.
struct CheckedStart {
    trigger: Trigger,
    budget: u32,
    given: Option<Injected>,
    injected: usize,
    left_out: usize,
    wrong: Vec<String>,
}

impl CheckedStart {
    fn at(
        store: &MadeUpStore,
        event: &CapturedEvent,
        limits: InjectionLimits,
        budget: u32,
    ) -> anyhow::Result<Self> {
        let (memory, now) = (&store.bench.memory, store.bench.caller.now);
        let fault = |fault| anyhow::anyhow!("{fault:?}");
        let received = memory.receive(event).map_err(fault)?;
        let (trigger, facts) = memory.candidates(event, now).map_err(fault)?.context("nobody asks")?;
        let given = received.reply(Some(limits), now).map_err(fault)?;
        let mut looked = Self { trigger, budget, given, injected: 0, left_out: 0, wrong: Vec::new() };
        match looked.given.clone() {
            Some(given) => {
                let whole = WholeLines::of(&facts, trigger, now);
                looked.check_text(&given, &whole);
                looked.check_ledger(store, &given, &whole);
            }
            None => looked.check_silence(&facts, now),
        }
        Ok(looked)
    }

    fn check_text(&mut self, given: &Injected, whole: &WholeLines) {
        let tokens = tokens::estimate(&given.context).0;
        self.demand(tokens <= self.budget, || format!("{tokens} tokens"));
        self.demand(tokens == given.tokens, || format!("{tokens} tokens are said to be {}", given.tokens));
        for line in inside(&given.context).filter(|line| whole.about(line).is_none()) {
            let is_more = line.starts_with("- ") && MORE_NOTES.iter().any(|note| line.ends_with(note));
            self.demand(is_more, || format!("no whole line: {line}"));
        }
        let items = inside(&given.context).filter(|line| is_item(line)).count();
        self.demand(items == given.lines as usize, || {
            format!("{items} lines are said to be {}", given.lines)
        });
    }

    /// Every entry in the text is in the ledger as injected; every other candidate is there with
    /// its reason.
    fn check_ledger(&mut self, store: &MadeUpStore, given: &Injected, whole: &WholeLines) {
        let entered =
            store.bench.ledger("new").into_iter().next().map(|(_, lines)| lines).unwrap_or_default();
        let entries = |is_injected: bool| -> BTreeSet<i64> {
            entered.iter().filter(|line| line.is_injected() == is_injected).map(|line| line.entry.0).collect()
        };
        let (injected, left_out) = (entries(true), entries(false));
        (self.injected, self.left_out) = (injected.len(), left_out.len());
        let about = inside(&given.context).filter_map(|line| whole.about(line));
        let shown: BTreeSet<i64> = about.flatten().collect();
        let hidden: Vec<_> = injected.difference(&shown).collect();
        self.demand(hidden.is_empty(), || format!("injected but not in the text: {hidden:?}"));
        let unknown: Vec<_> = shown.difference(&injected).collect();
        self.demand(unknown.is_empty(), || format!("in the text but not injected: {unknown:?}"));
        if left_out.len() < MAX_LEDGER {
            let accounted: BTreeSet<i64> = injected.union(&left_out).copied().collect();
            let lost: Vec<_> = whole.considered.difference(&accounted).collect();
            self.demand(lost.is_empty(), || format!("neither injected nor left out for a reason: {lost:?}"));
        }
    }

    /// Nothing was injected, so nothing may have fitted the budget.
    fn check_silence(&mut self, facts: &BlockFacts, now: Timestamp) {
        let budget = Budget::of(Tokens(self.budget));
        let roomy = Budget::of(Tokens(u32::MAX));
        let delimiter = Delimiter::new([0; 6]);
        if block(facts.clone(), self.trigger, roomy, &delimiter, now).is_none() {
            return;
        }
        for mut alone in each_alone(facts, now) {
            alone.notes.retain(|note| note.entry.is_some());
            // Statements make the first line longer, even when none of them fits.
            alone.stated.clone_from(&facts.stated);
            let fits = block(alone, self.trigger, budget, &delimiter, now);
            self.demand(fits.is_none(), || "nothing was injected, and a line had room".to_owned());
        }
    }

    fn demand(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(otherwise());
        }
    }

    fn report(&self, store: u64) -> serde_json::Value {
        let text = self.given.as_ref().map(|given| given.context.as_str());
        json!({
            "store": store,
            "trigger": self.trigger.name(),
            "budget": self.budget,
            "text": text,
            "tokens": self.given.as_ref().map(|given| given.tokens),
            "injected": self.injected,
            "left_out": self.left_out,
            "wrong": self.wrong,
        })
    }
}

// The lines that a block could contain, each rendered alone and without a size limit.

/// More than any line needs.
const LARGE_BUDGET: Budget = Budget { tokens: Tokens(1_000_000), characters: 1_000_000 };

/// The text of a made-up note that is no candidate: it only makes the block worth rendering.
const FILLER_NOTE: &str = "beside";

/// Every line that could be in a block, and every entry that is considered for it.
#[derive(Debug, Default)]
pub struct WholeLines {
    /// The lines with the entries they are about; a heading has none.
    pub lines: BTreeMap<String, BTreeSet<i64>>,
    /// The entries that the assembler must account for, with a line or with a reason.
    pub considered: BTreeSet<i64>,
    /// The person's statements, which have a short form too.
    pub rules: BTreeSet<i64>,
}

impl WholeLines {
    /// The lines and entries of these candidates.
    pub fn of(facts: &BlockFacts, trigger: Trigger, now: Timestamp) -> Self {
        let rules = facts.stated.iter().filter(|one| one.by_person).map(|one| one.entry.0);
        let mut whole = Self { rules: rules.collect(), ..Self::default() };
        for alone in each_alone(facts, now) {
            if let Some(block) = block(alone, trigger, LARGE_BUDGET, &Delimiter::new([0; 6]), now) {
                whole.add(&block);
            }
        }
        whole
    }

    fn add(&mut self, block: &Block) {
        // An entry without tokens is beside the one before it, in the same line.
        let mut entries: Vec<Vec<i64>> = Vec::new();
        for line in &block.included {
            let own = line.entry.map(|EntryId(id)| id);
            match entries.last_mut().filter(|_| line.tokens.0 == 0) {
                Some(last) => last.extend(own),
                None => entries.push(own.into_iter().collect()),
            }
        }
        let mut entries = entries.into_iter();
        for line in inside(&block.text) {
            let about = self.lines.entry(line.to_owned()).or_default();
            if is_item(line) {
                about.extend(entries.next().into_iter().flatten());
            }
        }
        let included = block.included.iter().filter_map(|line| line.entry);
        let accounted = included.chain(block.left_out.iter().map(|left| left.entry));
        self.considered.extend(accounted.map(|EntryId(id)| id));
    }
}

impl WholeLines {
    /// The entries that a line is about; `None` for a line that nothing can have.
    fn about(&self, line: &str) -> Option<BTreeSet<i64>> {
        let short = || {
            let (text, id) = line.strip_prefix("- \"")?.rsplit_once("\" #")?;
            let id = id.parse().ok().filter(|id| self.rules.contains(id))?;
            (text.chars().count() <= MAX_SHORT_CHARS).then(|| BTreeSet::from([id]))
        };
        self.lines.get(line).cloned().or_else(short)
    }
}

/// The lines inside the frame, after the sentence that introduces them.
pub fn inside(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().count();
    text.lines().skip(2).take(lines.saturating_sub(3))
}

/// Whether a line is an item, not a heading or a closing line.
pub fn is_item(line: &str) -> bool {
    let is_result = line.starts_with("  the agent concluded: ") || line == "  no result recorded";
    !is_result && (line.starts_with("- ") || line.starts_with("  ") || line.starts_with("| #"))
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
    facts.requests.iter().for_each(|one| add(&|to| to.requests.push(one.clone())));
    facts.files.iter().for_each(|one| add(&|to| to.files.push(one.clone())));
    facts.command.iter().for_each(|one| add(&|to| to.command = Some(one.clone())));
    facts.failure.iter().for_each(|one| add(&|to| to.failure = Some(one.clone())));
    facts.todos.iter().for_each(|one| add(&|to| to.todos = Some(one.clone())));
    all
}

/// A session that left something and has no text.
const fn nothing(at: Timestamp) -> Stopped {
    Stopped {
        at,
        place: RelativePlace::Here,
        broke_off: false,
        last: None,
        first: None,
        branch: None,
        commit: None,
        changed: None,
        failing: None,
        todos: Some((EntryId(0), Vec::new())),
    }
}
