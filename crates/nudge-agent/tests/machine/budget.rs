//! The ceiling of packets.

use insta::assert_snapshot;
use nudge_core::run::Mode;

use crate::machine::driver::Reply::{self, Counted, Say};
use crate::machine::driver::Script;

const DONE: Reply = Say(r#"<update status="200">done</update>"#);
const READ: Reply = Say(r#"<get path="a"/><update status="102">next</update>"#);

/// @run_budget: an overflow demotes the previous turn, then the prompt, and is no strike.
#[test]
fn an_overflow_demotes_step_by_step() {
    let mut script = Script::new(Mode::Act, &[READ, READ, DONE]);
    script.assembled = [100, 1_001, 1_000, 1_000, 1_500, 1_200, 999, 999].into();
    assert_snapshot!(script.play());
}

/// @run_budget_ladder: what the ladder did is shown if the packet has room for it, and a packet
/// that has none does not grow.
#[test]
fn the_news_of_an_overflow_needs_room() {
    for (smaller, seen) in [(500, "shown"), (999, "not shown")] {
        let mut script = Script::new(Mode::Act, &[READ, DONE]);
        script.assembled = [100, 1_001, smaller, smaller].into();
        let page = script.play();
        assert!(page.contains(&format!("overflow 2/overflow_previous_turn {seen}: ")), "{page}");
        assert!(page.contains("assemble 2\nsend 2"), "{page}");
    }
}

/// @run_budget: a packet that cannot be made to fit is not sent, and the loop fails with 413.
#[test]
fn a_packet_that_never_fits_ends_the_loop() {
    let mut script = Script::new(Mode::Act, &[]);
    script.assembled = [3_000, 2_000, 1_001].into();
    assert_snapshot!(script.play());
}

/// @run_budget: results over the ceiling are demoted, and that is an error of the turn.
#[test]
fn results_over_the_ceiling_are_demoted() {
    let mut script = Script::new(Mode::Act, &[READ, DONE]);
    script.measured = [1_400, 1_000].into();
    assert_snapshot!(script.play());
}

/// @run_budget: a turn that has ended the loop is not taken back by its results.
#[test]
fn an_overflow_does_not_take_back_the_end() {
    let mut script = Script::new(Mode::Act, &[DONE]);
    script.measured = [1_400].into();
    let page = script.play();
    assert!(page.contains("error 1/overflow_after 413"), "{page}");
    assert!(page.contains("end loop completed(-) 200"), "{page}");
}

/// @run_budget: estimates are scaled by what the model counted for the previous packet.
#[test]
fn the_model_s_own_count_scales_the_estimate() {
    let counted = Counted(300, r#"<get path="a"/><update status="102">next</update>"#);
    let mut script = Script::new(Mode::Act, &[counted, DONE]);
    script.assembled = [200, 700, 660].into();
    script.measured = [666, 100].into();
    let page = script.play();
    assert!(page.contains("send 1"), "{page}");
    assert!(!page.contains("overflow_after"), "666 is 999: {page}");
    assert!(page.contains("The packet has 1050 tokens, 50 over the ceiling of 1000."), "{page}");
    assert!(page.contains("assemble 2\nsend 2"), "{page}");
}
