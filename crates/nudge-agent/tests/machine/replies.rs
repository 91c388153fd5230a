//! Replies that are not well formed: what is healed, and what is an error.

use insta::assert_snapshot;
use nudge_agent::{Limits, Ruling, TurnVerdict};
use nudge_agent::{Machine, Policy, VerdictChain};
use nudge_core::run::Mode;

use crate::machine::driver::Reply::{self, Cut, Say};
use crate::machine::driver::Script;

const DONE: Reply = Say(r#"<update status="200">done</update>"#);

/// @run_healing: plain text without a call is the answer of an ask loop.
#[test]
fn plain_text_answers_a_question() {
    assert_snapshot!(Script::new(Mode::Ask, &[Say("<think>Known.</think>The port is 8080.")]).play());
}

/// @run_healing: text beside a call is no answer: an end is never guessed while tools were called.
#[test]
fn text_beside_a_call_is_no_answer() {
    assert_snapshot!(Script::new(Mode::Ask, &[Say("Let me look: <get path=\"a\"/>"), DONE]).play());
}

/// @run_healing: what the parser recovers without a loss is shown and is no strike.
#[test]
fn what_is_healed_is_no_strike() {
    let reply = Say("<read path=\"a\"/>\n<update status=\"200\">It is 8080.");
    assert_snapshot!(Script::new(Mode::Ask, &[reply]).play());
}

/// @run_healing: what was lost is one error of the turn, and refutes an end.
#[test]
fn what_was_lost_is_one_error() {
    let reply = Say("<get/>\n<update status=\"200\">done</update>\n<rm path=\"src/");
    assert_snapshot!(Script::new(Mode::Act, &[reply, DONE]).play());
}

/// @run_healing: a reply that was cut says so, and no half of a call is carried out.
#[test]
fn a_cut_reply_says_so() {
    let in_body = Cut("<get path=\"a\"/>\n<set path=\"known://x\">half of it");
    let in_tag = Cut("<update status=\"102\">x</update>\n<get path=\"src/");
    let in_update = Cut("<update status=\"200\">The answer is");
    assert_snapshot!("cut_twice", Script::new(Mode::Ask, &[in_body, in_tag, DONE]).play());
    assert_snapshot!("cut_update", Script::new(Mode::Ask, &[in_update, DONE]).play());
    let text = Script::new(Mode::Ask, &[Cut("The port is 80"), DONE]).play();
    assert!(text.contains("cut: the text has no end"), "{text}");
}

/// @run_caps: calls over the limit of a turn are dropped, and the model reads that.
#[test]
fn a_turn_has_a_limit_of_calls() {
    let reply = Say(r#"<get path="a"/><get path="b"/><get path="c"/><update status="102">x</update>"#);
    let mut script = Script::new(Mode::Act, &[reply, DONE]);
    script.facts.limits = Limits { max_commands: 2, ..Limits::default() };
    assert_snapshot!(script.play());
}

/// @run_policy: a loop takes filters and verdicts of its caller.
#[test]
fn a_caller_adds_policy_and_verdicts() {
    let facts = Script::new(Mode::Act, &[]).facts;
    let policy = Policy::new(facts.mode, facts.flags, facts.limits)
        .with(60, "nothing", |recorded| recorded.rejected("policy", "no"));
    let verdicts = VerdictChain::new(facts.limits).with(50, "price", |mut ruling: Ruling| {
        let verdict = TurnVerdict {
            goes_on: false,
            status: 402,
            reason: "too dear".to_owned(),
            outcome: Some("price"),
            strikes: 0,
        };
        ruling.outcome.verdict = verdict;
        ruling
    });
    let machine = Machine::new(facts).with_policy(policy).with_verdicts(verdicts);
    let page = Script::new(Mode::Act, &[Say(r#"<get path="a"/>"#)]).play_with(machine);
    assert!(page.contains("record 1: [turn_1/get/a policy]"), "{page}");
    assert!(page.contains("end loop failed(price:402) 402: too dear"), "{page}");
}
