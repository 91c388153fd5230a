//! How loops go on and end.

use insta::assert_snapshot;
use nudge_agent::{Event, FailureKind, Limits, LoopFacts, Machine};
use nudge_core::run::{Mode, run_status};

use crate::machine::driver::Reply::{self, Fail, Say};
use crate::machine::driver::Script;

const READ: Reply = Say(r#"<get path="a"/><update status="102">next: b</update>"#);
const DONE: Reply = Say(r#"<update status="200">It is 8080 (a).</update>"#);

/// @loop_verdict: a loop goes on with 102 and ends with 200 and the answer.
#[test]
fn a_loop_reads_then_answers() {
    assert_snapshot!(Script::new(Mode::Act, &[READ, DONE]).play());
}

/// @loop_verdict: 204 and 422 end a loop as completed, with the status as outcome.
#[test]
fn two_more_statuses_end_a_loop() {
    for (reply, status) in [
        (Say(r#"<update status="204">Nothing to do.</update>"#), 204),
        (Say(r#"<update status="422">Impossible.</update>"#), 422),
    ] {
        let page = Script::new(Mode::Act, &[reply]).play();
        assert!(page.contains(&format!("end loop completed({status}) {status}: ")), "{page}");
    }
}

/// @run_update: the last update counts; a status that ends nothing goes on.
#[test]
fn the_last_update_counts() {
    let first =
        Say(r#"<update status="200">done</update><get path="a"/><update status="500">not yet</update>"#);
    let second = Say(r#"<update status="102">one more</update><update status="200">8080</update>"#);
    assert_snapshot!(Script::new(Mode::Act, &[first, second]).play());
}

/// @run_update: an end beside a failed call is refuted with 409, wherever the call stands.
#[test]
fn an_end_beside_a_failure_is_refuted() {
    let before = Say(r#"<get path="missing"/><get path="b"/><update status="200">done</update>"#);
    let after = Say(r#"<update status="200">done</update><get path="missing"/>"#);
    let honest = Say(r#"<get path="missing"/><update status="102">look elsewhere</update>"#);
    let script = |replies: &[Reply]| Script::new(Mode::Act, replies);
    assert_snapshot!(script(&[before, READ, after, honest, DONE]).play());
}

/// @run_strikes: three turns with errors in a row end the loop with 499.
#[test]
fn three_strikes_end_a_loop() {
    let silent = Say("");
    let prose = Say("I will read it now.");
    let no_update = Say(r#"<get path="a"/>"#);
    assert_snapshot!(Script::new(Mode::Act, &[silent, prose, no_update]).play());
}

/// @run_strikes: a clean turn begins the count anew.
#[test]
fn a_clean_turn_begins_anew() {
    let bad = Say(r#"<get path="missing"/><update status="102">x</update>"#);
    let page = Script::new(Mode::Act, &[bad, bad, READ, bad, bad, DONE]).play();
    let strikes: Vec<&str> = page.lines().filter_map(|line| line.split(", strikes ").nth(1)).collect();
    let strikes: Vec<&str> = strikes.into_iter().map(|rest| &rest[..1]).collect();
    assert_eq!(strikes, ["1", "2", "0", "1", "2", "0"], "{page}");
    assert!(page.contains("end loop completed(-) 200"), "{page}");
}

/// @run_strikes: an answer that broke off is an error of its turn, and the loop goes on.
#[test]
fn a_broken_answer_is_a_strike() {
    let broken = Fail(FailureKind::Interrupted);
    assert_snapshot!("interrupted_once", Script::new(Mode::Ask, &[broken, DONE]).play());
    let page = Script::new(Mode::Ask, &[broken, broken, broken]).play();
    assert!(page.contains("end loop aborted(strikes) 499: gave up after 3 turns"), "{page}");
}

/// @run_cycles: repeated turns are strikes, and the model reads nothing about it.
#[test]
fn a_cycle_ends_without_a_word() {
    let again = Say(r#"<think>Now once more.</think><get path="a"/><update status="102">reading</update>"#);
    let page = Script::new(Mode::Act, &[again; 5]).play();
    assert!(!page.contains("error "), "{page}");
    assert_snapshot!(page);
}

/// @run_cycles: a cycle of two turns counts as well, and one that is broken off in time does not.
#[test]
fn a_cycle_of_two_turns_counts() {
    let other = Say(r#"<get path="b"/><update status="102">x</update>"#);
    let page = Script::new(Mode::Act, &[READ, other, READ, other, READ, other, DONE]).play();
    assert_eq!(page.matches("the turns repeat, strikes 1").count(), 1, "{page}");
    let page = Script::new(Mode::Act, &[READ, other, READ, other, DONE]).play();
    assert!(!page.contains("repeat"), "{page}");
}

/// @run_cycles: fingerprints of turns before a restart count.
#[test]
fn a_cycle_goes_on_over_a_restart() {
    let mut machine = Machine::new(Script::new(Mode::Act, &[]).facts);
    let first = [READ; 2].into_iter().map(|reply| fingerprint_of(&mut machine, reply)).collect();
    let mut script = Script::new(Mode::Act, &[READ, DONE]);
    script.facts = LoopFacts { turns_done: 2, fingerprints: first, ..script.facts };
    let page = script.play();
    assert!(page.contains("end turn 3 ended: 102 the turns repeat, strikes 1"), "{page}");
}

/// The fingerprint that the machine gives to a turn with this reply.
fn fingerprint_of(machine: &mut Machine<'_>, reply: Reply) -> u64 {
    let Say(text) = reply else { panic!("a reply in words") };
    machine.handle(Event::Begin);
    machine.handle(Event::Assembled { estimate: 1, ceiling: 2 });
    machine.handle(Event::Answered { text: text.to_owned(), finish_is_length: false, tokens: None });
    machine.handle(Event::Recorded { done: vec![] });
    machine.handle(Event::Dispatched { index: 0, status: 200, waits_for_user: false });
    let effects = machine.handle(Event::Measured { estimate: 1, ceiling: 2 });
    let end = effects.iter().find_map(|effect| match effect {
        nudge_agent::Effect::EndTurn { fingerprint, .. } => Some(*fingerprint),
        _ => None,
    });
    end.expect("the turn ended")
}

/// @run_caps: the last turn of the limit may answer; one that goes on ends the loop with 499.
#[test]
fn a_loop_has_a_limit_of_turns() {
    let play = |last| {
        let mut script = Script::new(Mode::Act, &[READ, last]);
        script.facts.limits = Limits { max_turns: 2, ..Limits::default() };
        script.play()
    };
    let other = Say(r#"<get path="b"/><update status="102">x</update>"#);
    assert!(play(other).contains("end loop aborted(turns) 499: turn limit: 2 turns"));
    assert!(play(DONE).contains("end loop completed(-) 200"));
}

/// @run_caps: turns of a loop before a restart count.
#[test]
fn the_limit_of_turns_holds_over_a_restart() {
    let mut script = Script::new(Mode::Act, &[READ]);
    script.facts = LoopFacts { first_turn: 40, turns_done: 98, ..script.facts };
    let page = script.play();
    assert!(page.contains("end turn 138 ended: 499 turn limit: 99 turns"), "{page}");
}

/// @loop_verdict: a model that fails for good ends the loop, with its status as outcome.
#[test]
fn a_failed_model_ends_the_loop() {
    for (kind, outcome, status) in [
        (FailureKind::ContextTooLong, "overflow:413", 413),
        (FailureKind::NotConfigured, "model:503", 503),
        (FailureKind::Auth, "model:401", 401),
        (FailureKind::RateLimit, "model:429", 429),
        (FailureKind::Rejected, "model:400", 400),
        (FailureKind::Unavailable, "model:502", 502),
        (FailureKind::Timeout, "model:504", 504),
        (FailureKind::Malformed, "model:502", 502),
    ] {
        let page = Script::new(Mode::Act, &[Fail(kind)]).play();
        let error =
            format!("error 1/model {status}: The model: no luck\nend turn 1 failed: {status} no luck");
        assert!(page.contains(&error), "{page}");
        assert!(page.contains(&format!("end loop failed({outcome}) {status}: no luck")), "{page}");
        assert_eq!(run_status(nudge_core::run::RunState::Failed, Some(outcome)), status);
    }
}
