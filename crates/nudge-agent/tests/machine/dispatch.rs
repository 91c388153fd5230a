//! Calls: one after another, none after a failure, and what the user stops.

use insta::assert_snapshot;
use nudge_agent::{Effect, Event, Machine};
use nudge_core::run::Mode;

use crate::machine::driver::Reply::{self, Say};
use crate::machine::driver::Script;

const DONE: Reply = Say(r#"<update status="200">done</update>"#);

/// @run_dispatch: after a failure the remaining calls are skipped, but not the update.
#[test]
fn a_failure_skips_the_rest() {
    let reply = Say(
        r#"<think>plan</think><get path="a"/><get path="missing"/><set path="known://x">1</set><think>b</think>
<update status="102">next</update>"#,
    );
    assert_snapshot!(Script::new(Mode::Act, &[reply, DONE]).play());
}

/// @run_dispatch: a failure inside Nudge is an error of the turn and skips the rest.
#[test]
fn a_crash_skips_the_rest() {
    let reply = Say(r#"<get path="crash"/><get path="b"/><update status="200">done</update>"#);
    assert_snapshot!(Script::new(Mode::Act, &[reply, DONE]).play());
}

/// @run_dispatch: a proposal stops the calls until the user decides.
#[test]
fn an_accepted_proposal_lets_the_calls_go_on() {
    let reply = Say(r#"<sh command="make"/><get path="a"/><update status="200">built</update>"#);
    let mut script = Script::new(Mode::Act, &[reply]);
    script.decisions.push_back(true);
    assert_snapshot!(script.play());
}

/// @run_dispatch: a rejected proposal ends the loop.
#[test]
fn a_rejected_proposal_ends_the_loop() {
    let reply =
        Say(r#"<get path="a"/><sh command="make"/><get path="b"/><update status="200">built</update>"#);
    let mut script = Script::new(Mode::Act, &[reply]);
    script.decisions.push_back(false);
    assert_snapshot!(script.play());
}

/// @run_dispatch: a proposal that fails after it was accepted is a failure like any other.
#[test]
fn an_accepted_proposal_may_fail() {
    let text = r#"<sh command="make"/><get path="a"/><update status="200">built</update>"#;
    let mut machine = Machine::new(Script::new(Mode::Act, &[]).facts);
    machine.handle(Event::Answered { text: text.to_owned(), finish_is_length: false, tokens: None });
    machine.handle(Event::Recorded { done: vec![] });
    let effects = machine.handle(Event::Dispatched { index: 0, status: 202, waits_for_user: true });
    assert_eq!(effects, [Effect::AwaitUser { index: 0 }]);
    let effects = machine.handle(Event::Decided { index: 0, accepted: true, status: 409 });
    assert_eq!(effects, [Effect::Skip { index: 1 }, Effect::Measure]);
    let effects = machine.handle(Event::Measured { estimate: 1, ceiling: 2 });
    assert_eq!(effects[0], Effect::Finish { index: 2, status: 409 });
}

/// @run_dispatch: the user can stop the loop at any point, and what has not run is skipped.
#[test]
fn the_user_stops_the_loop() {
    let reply = Say(r#"<update status="102">x</update><get path="a"/><get path="b"/><sh command="make"/>"#);
    let mut pages = String::new();
    for abort_at in
        ["assemble 1", "send 1", "  dispatch get/a", "  dispatch get/b", "  await sh/make", "measure"]
    {
        let mut script = Script::new(Mode::Act, &[reply, DONE]);
        script.abort_at = Some(abort_at);
        script.decisions.push_back(true);
        let page = script.play();
        let end = page.split(abort_at).nth(1).expect("it came to that");
        pages += &format!("--- {}{end}", abort_at.trim());
    }
    assert_snapshot!(pages);
}

/// @run_dispatch: after a crash the stored answer goes on with the calls that were not carried out.
#[test]
fn a_turn_goes_on_after_a_restart() {
    let text = r#"<get path="a"/><sh command="make"/><get path="c"/><update status="200">done</update>"#;
    let answered = || Event::Answered { text: text.to_owned(), finish_is_length: false, tokens: None };
    for (done, expected) in [
        (vec![], vec![Effect::Dispatch { index: 0 }]),
        (vec![Some(200)], vec![Effect::Dispatch { index: 1 }]),
        (vec![Some(200), Some(202)], vec![Effect::AwaitUser { index: 1 }]),
        (vec![Some(200), Some(200), Some(200), Some(200)], vec![Effect::Measure]),
        (vec![Some(404)], vec![Effect::Skip { index: 1 }, Effect::Skip { index: 2 }, Effect::Measure]),
    ] {
        let mut machine = Machine::new(Script::new(Mode::Act, &[]).facts);
        machine.handle(answered());
        assert_eq!(machine.handle(Event::Recorded { done: done.clone() }), expected, "{done:?}");
    }
}

/// @run_dispatch: an event that does not fit changes nothing.
#[test]
fn a_late_event_changes_nothing() {
    let mut machine = Machine::new(Script::new(Mode::Act, &[]).facts);
    let answered = Event::Answered {
        text: r#"<get path="a"/><get path="b"/>"#.to_owned(),
        finish_is_length: false,
        tokens: None,
    };
    machine.handle(answered.clone());
    machine.handle(Event::Recorded { done: vec![] });
    for event in [
        Event::Begin,
        answered,
        Event::Recorded { done: vec![] },
        Event::Dispatched { index: 1, status: 200, waits_for_user: false },
        Event::Decided { index: 0, accepted: true, status: 200 },
        Event::Measured { estimate: 1, ceiling: 2 },
    ] {
        assert_eq!(machine.handle(event.clone()), [], "{event:?}");
    }
    let next = machine.handle(Event::Dispatched { index: 0, status: 200, waits_for_user: false });
    assert_eq!(next, [Effect::Dispatch { index: 1 }]);
}

/// @run_policy: a rejected call is recorded as failed, is not carried out, and skips the rest.
#[test]
fn a_rejected_call_skips_the_rest() {
    let reply = Say(r#"<get path="a"/><set path="src/a.rs">x</set><get path="b"/><sh command="ls"/>
<update status="200">done</update>"#);
    assert_snapshot!(Script::new(Mode::Ask, &[reply, DONE]).play());
}
