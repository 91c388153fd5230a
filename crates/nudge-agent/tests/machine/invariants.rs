//! What holds for every loop, whatever the model writes and however the calls go.

use std::collections::BTreeMap;

use nudge_agent::{Effect, Event, FailureKind, Limits, LoopFacts, Machine};
use nudge_core::run::Mode;

use crate::machine::driver::Script;

/// Numbers that look random and are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}

const PIECES: &[&str] = &[
    r#"<get path="a"/>"#,
    r#"<get path="b">x</get>"#,
    r#"<set path="known://a">1</set>"#,
    r#"<set path="src/a.rs">1</set>"#,
    r#"<sh command="make"/>"#,
    r#"<rm path="a">"#,
    "<think>hm</think>",
    "<get/>",
    "words",
    r#"<update status="102">x</update>"#,
    r#"<update status="200">x</update>"#,
    r#"<update status="422">x"#,
    r#"<rm path="sr"#,
];

fn event(numbers: &mut Numbers, asked: &Effect) -> Event {
    if numbers.below(60) == 0 {
        return Event::Abort;
    }
    let cost = [100, 100, 100, 100, 100, 100, 1_200][numbers.below(7)];
    match asked {
        Effect::Assemble { .. } => Event::Assembled { estimate: cost, ceiling: 1_000 },
        Effect::Measure => Event::Measured { estimate: cost, ceiling: 1_000 },
        Effect::Send { .. } if numbers.below(12) == 0 => {
            Event::ModelFailed { kind: FailureKind::Interrupted, message: "broke".to_owned() }
        }
        Effect::Send { .. } => {
            let text: Vec<&str> = (0..numbers.below(6)).map(|_| numbers.pick(PIECES)).collect();
            let tokens = Some(80 + u32::try_from(numbers.below(40)).expect("small"));
            Event::Answered { text: text.join("\n"), finish_is_length: numbers.below(8) == 0, tokens }
        }
        Effect::Record { .. } => Event::Recorded { done: vec![] },
        Effect::Dispatch { index } if numbers.below(20) == 0 => {
            Event::Crashed { index: *index, message: "disk full".to_owned() }
        }
        Effect::Dispatch { index } => {
            let (status, waits_for_user) = [(200, false), (404, false), (202, true)][numbers.below(3)];
            Event::Dispatched { index: *index, status, waits_for_user }
        }
        Effect::AwaitUser { index } => {
            Event::Decided { index: *index, accepted: numbers.below(3) > 0, status: 200 }
        }
        other => panic!("nothing is asked by {other:?}"),
    }
}

const fn asks(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Assemble { .. }
            | Effect::Send { .. }
            | Effect::Record { .. }
            | Effect::Dispatch { .. }
            | Effect::AwaitUser { .. }
            | Effect::Measure
    )
}

/// How often a call of the current turn was rejected, dispatched and settled without work.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    rejected: u32,
    dispatched: u32,
    settled: u32,
}

impl Counts {
    /// A call that crashes or is stopped while it runs is dispatched and settled.
    fn is_fine(self) -> bool {
        let Self { rejected, dispatched, settled } = self;
        if rejected == 1 {
            dispatched + settled == 0
        } else {
            dispatched <= 1 && settled <= 1 && dispatched + settled > 0
        }
    }
}

#[derive(Default)]
struct Settled(Vec<Counts>);

impl Settled {
    fn see(&mut self, effect: &Effect) {
        match effect {
            Effect::Record { calls, .. } => {
                let counts = |rejected| Counts { rejected: u32::from(rejected), ..Counts::default() };
                self.0 = calls.iter().map(|call| counts(call.rejection.is_some())).collect();
            }
            Effect::Dispatch { index } => self.0[*index].dispatched += 1,
            Effect::Skip { index } | Effect::Finish { index, .. } => self.0[*index].settled += 1,
            Effect::EndTurn { .. } => {
                assert!(self.0.iter().all(|counts| counts.is_fine()), "{:?}", self.0);
                self.0.clear();
            }
            _ => {}
        }
    }
}

/// @loop_verdict: every loop ends, asks for one thing at a time, and settles every call once.
#[test]
fn every_loop_ends_and_settles_every_call() {
    let mut ends = BTreeMap::new();
    for seed in 0..3_000 {
        let mut numbers = Numbers(seed);
        let mode = if seed % 2 == 0 { Mode::Ask } else { Mode::Act };
        let limits = Limits { max_turns: 6, ..Limits::default() };
        let mut machine = Machine::new(LoopFacts { limits, ..Script::new(mode, &[]).facts });
        let mut settled = Settled::default();
        let mut next = Event::Begin;
        let mut turns = 0;
        for step in 0.. {
            assert!(step < 500, "loop {seed} does not end");
            let effects = machine.handle(next);
            effects.iter().for_each(|effect| settled.see(effect));
            turns += effects.iter().filter(|effect| matches!(effect, Effect::EndTurn { .. })).count();
            if let Some(Effect::EndLoop { state, outcome, .. }) = effects.last() {
                assert!(machine.is_over() && state.is_over());
                *ends.entry(format!("{} {outcome:?}", state.name())).or_insert(0) += 1;
                break;
            }
            let asked: Vec<&Effect> = effects.iter().filter(|effect| asks(effect)).collect();
            assert_eq!(asked.len(), 1, "loop {seed}: {effects:?}");
            next = event(&mut numbers, asked[0]);
        }
        assert!(turns <= 6, "loop {seed}");
    }
    let names: Vec<&str> = ends.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "aborted Some(\"abort\")",
            "aborted Some(\"strikes\")",
            "aborted Some(\"turns\")",
            "completed None",
            "completed Some(\"422\")",
            "completed Some(\"rejected\")",
            "failed Some(\"overflow:413\")",
        ],
        "{ends:?}"
    );
}
