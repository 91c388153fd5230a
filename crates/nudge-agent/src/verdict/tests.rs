//! A table for each rule.

use super::*;

/// A clean turn with one call, in act mode.
fn turn() -> TurnRecord {
    TurnRecord {
        mode: Mode::Act,
        was_answered: true,
        has_calls: true,
        text: String::new(),
        update: update_seen(102, "next"),
        failed: false,
        is_to_blame: false,
        has_losses: false,
        errors: 0,
        is_cycle: false,
        turn_in_loop: 1,
        strikes_before: 0,
    }
}

fn update_seen(status: u16, body: &str) -> Option<UpdateSeen> {
    Some(UpdateSeen { status, body: body.to_owned() })
}

/// `goes on` or the status of the end, strikes, complaint, refutation, answer.
fn show(record: TurnRecord) -> String {
    let outcome = VerdictChain::new(Limits::default()).rule(record);
    let verdict = &outcome.verdict;
    assert_eq!(verdict.goes_on, verdict.status == 102, "{verdict:?}");
    let mut text = if verdict.goes_on { "goes on".to_owned() } else { format!("ends {}", verdict.status) };
    text += &format!(", strikes {}", verdict.strikes);
    if let Some(complaint) = &outcome.complaint {
        text += &format!(", {}", complaint.slug);
    }
    if outcome.update_is_refuted {
        text += ", refuted";
    }
    if !outcome.answer.is_empty() {
        text += &format!(", answer {:?}", outcome.answer);
    }
    text
}

fn check(table: impl IntoIterator<Item = (TurnRecord, &'static str)>) {
    for (record, expected) in table {
        assert_eq!(show(record.clone()), expected, "{record:?}");
    }
}

#[test]
fn three_statuses_end_and_all_others_go_on() {
    let with = |status| TurnRecord { update: update_seen(status, "done"), ..turn() };
    check([
        (with(200), r#"ends 200, strikes 0, answer "done""#),
        (with(204), r#"ends 204, strikes 0, answer "done""#),
        (with(422), r#"ends 422, strikes 0, answer "done""#),
        (with(102), "goes on, strikes 0"),
        (with(100), "goes on, strikes 0"),
        (with(201), "goes on, strikes 0"),
        (with(404), "goes on, strikes 0"),
        (with(500), "goes on, strikes 0"),
        (with(0), "goes on, strikes 0"),
    ]);
}

#[test]
fn the_text_outside_is_the_answer_of_an_empty_update() {
    let record = TurnRecord { update: update_seen(200, " \n"), text: "It is 8080.".to_owned(), ..turn() };
    check([(record, r#"ends 200, strikes 0, answer "It is 8080.""#)]);
}

#[test]
fn an_end_beside_a_failure_is_not_believed() {
    let failed = |status| TurnRecord {
        update: update_seen(status, "done"),
        failed: true,
        is_to_blame: true,
        ..turn()
    };
    check([
        (failed(200), "goes on, strikes 1, refuted"),
        (failed(204), "goes on, strikes 1, refuted"),
        (failed(422), "goes on, strikes 1, refuted"),
        (failed(102), "goes on, strikes 1"),
        (
            TurnRecord { failed: false, is_to_blame: false, has_losses: true, ..failed(200) },
            "goes on, strikes 1, refuted",
        ),
        (TurnRecord { strikes_before: 2, ..failed(200) }, "ends 499, strikes 3, refuted"),
    ]);
}

#[test]
fn without_an_update_an_end_is_never_guessed_while_tools_were_called() {
    let none = TurnRecord { update: None, ..turn() };
    let words = TurnRecord { text: "It is 8080.".to_owned(), has_calls: false, ..none.clone() };
    let silent = TurnRecord { has_calls: false, ..none.clone() };
    let ask = |record: &TurnRecord| TurnRecord { mode: Mode::Ask, ..record.clone() };
    check([
        (none.clone(), "goes on, strikes 1, no_update"),
        (ask(&none), "goes on, strikes 1, no_update"),
        (TurnRecord { failed: true, is_to_blame: true, ..none.clone() }, "goes on, strikes 1, no_update"),
        (TurnRecord { has_losses: true, errors: 1, ..none.clone() }, "goes on, strikes 1"),
        (TurnRecord { has_calls: true, ..ask(&words) }, "goes on, strikes 1, no_update"),
        (ask(&words), r#"ends 200, strikes 0, answer "It is 8080.""#),
        (TurnRecord { errors: 1, ..ask(&words) }, "goes on, strikes 1"),
        (TurnRecord { failed: true, is_to_blame: true, ..ask(&words) }, "goes on, strikes 1"),
        (words, "goes on, strikes 1, no_tags"),
        (silent.clone(), "goes on, strikes 1, empty"),
        (ask(&silent), "goes on, strikes 1, empty"),
        (TurnRecord { text: " \n".to_owned(), ..ask(&silent) }, "goes on, strikes 1, empty"),
        (TurnRecord { errors: 1, ..silent.clone() }, "goes on, strikes 1"),
        (TurnRecord { was_answered: false, errors: 1, ..silent }, "goes on, strikes 1"),
    ]);
}

#[test]
fn errors_count_and_a_clean_turn_begins_anew() {
    let after = |strikes_before, errors| TurnRecord { strikes_before, errors, ..turn() };
    check([
        (after(0, 1), "goes on, strikes 1"),
        (after(0, 5), "goes on, strikes 1"),
        (after(1, 1), "goes on, strikes 2"),
        (after(2, 1), "ends 499, strikes 3"),
        (after(2, 0), "goes on, strikes 0"),
        (TurnRecord { failed: true, is_to_blame: true, ..after(1, 0) }, "goes on, strikes 2"),
        (TurnRecord { failed: true, is_to_blame: true, ..after(1, 1) }, "goes on, strikes 2"),
    ]);
}

#[test]
fn a_cycle_is_a_strike_without_a_word() {
    let cycle = |strikes_before| TurnRecord { is_cycle: true, strikes_before, ..turn() };
    check([
        (cycle(0), "goes on, strikes 1"),
        (TurnRecord { errors: 1, ..cycle(0) }, "goes on, strikes 1"),
        (cycle(2), "ends 499, strikes 3"),
        (
            TurnRecord { update: update_seen(200, "done"), ..cycle(2) },
            r#"ends 200, strikes 0, answer "done""#,
        ),
    ]);
}

#[test]
fn the_last_turn_of_the_cap_may_still_answer() {
    let at = |turn_in_loop| TurnRecord { turn_in_loop, ..turn() };
    check([
        (at(98), "goes on, strikes 0"),
        (at(99), "ends 499, strikes 0"),
        (at(100), "ends 499, strikes 0"),
        (TurnRecord { update: update_seen(200, "done"), ..at(99) }, r#"ends 200, strikes 0, answer "done""#),
        (
            TurnRecord { update: update_seen(200, "done"), failed: true, is_to_blame: true, ..at(99) },
            "ends 499, strikes 1, refuted",
        ),
    ]);
}

#[test]
fn an_error_after_the_work_does_not_take_back_the_end() {
    let done = TurnRecord { update: update_seen(200, "done"), errors: 1, strikes_before: 2, ..turn() };
    check([(done, r#"ends 200, strikes 3, answer "done""#)]);
}

#[test]
fn people_read_why_a_loop_was_given_up() {
    let reason = |record| {
        let verdict = VerdictChain::new(Limits::default()).rule(record).verdict;
        (verdict.reason, verdict.outcome)
    };
    for (record, expected, outcome) in [
        (
            TurnRecord { errors: 1, strikes_before: 2, ..turn() },
            "gave up after 3 turns with errors",
            Some("strikes"),
        ),
        (
            TurnRecord { is_cycle: true, strikes_before: 2, ..turn() },
            "gave up after 3 turns with errors or repetitions",
            Some("strikes"),
        ),
        (TurnRecord { turn_in_loop: 99, ..turn() }, "turn limit: 99 turns", Some("turns")),
        (TurnRecord { is_cycle: true, ..turn() }, "the turns repeat", None),
    ] {
        assert_eq!(reason(record), (expected.to_owned(), outcome));
    }
}

#[test]
fn a_caller_adds_subscribers() {
    let verdicts = VerdictChain::new(Limits::default()).with(50, "price", |mut ruling: Ruling| {
        ruling.outcome.verdict = TurnVerdict {
            goes_on: false,
            status: 402,
            reason: "the price limit".to_owned(),
            outcome: Some("price"),
            strikes: 0,
        };
        ruling
    });
    assert_eq!(verdicts.rule(turn()).verdict.status, 402);
    let names: Vec<&str> = verdicts.order().map(|(_, name)| name).collect();
    assert_eq!(names, ["update", "cycle", "strikes", "cap", "price"]);
}

#[test]
fn a_copy_of_the_packet_is_no_answer() {
    let with = |text: &str| TurnRecord {
        mode: Mode::Ask,
        has_calls: false,
        text: text.to_owned(),
        update: None,
        ..turn()
    };
    check([
        (with("<prompt>\n<<:::prompt://1\nWhy?\n:::prompt://1"), "goes on, strikes 1, echo"),
        (with("It is 80."), r#"ends 200, strikes 0, answer "It is 80.""#),
    ]);
}
