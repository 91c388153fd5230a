//! A drill that cannot fail would be worthless: every kind of violation is detected.

use super::*;

const SLOWEST_TRUE: Duration = Duration::from_millis(20);

fn sending() -> Sending {
    Sending { took: Duration::from_millis(5), disk_full: false, doubtful: false, problem: None }
}

fn event(key: &str, what: What, sendings: Vec<Sending>) -> Sent {
    Sent { key: key.to_owned(), what, hash: format!("hash of {key}"), sendings }
}

fn found(stored: &[(&str, usize)], duplicates: usize, dropped: &[(&str, &str)]) -> Found {
    Found {
        stored: stored.iter().map(|(key, times)| ((*key).to_owned(), *times)).collect(),
        duplicates,
        dropped: dropped.iter().map(|(key, why)| (format!("hash of {key}"), (*why).to_owned())).collect(),
        dropped_in_all: dropped.len(),
    }
}

/// The violations, and the totals.
fn account(sent: &[Sent], found: &Found) -> (Vec<String>, Sums) {
    let mut violations = Violations::default();
    let sums = check_account(sent, found, (SLOWEST_TRUE, Timing::Strict), &mut violations);
    (violations.list().to_vec(), sums)
}

fn complaints(sent: &[Sent], found: &Found) -> Vec<String> {
    account(sent, found).0
}

#[test]
fn each_once_with_repetitions_and_drops_is_in_order() {
    let full = Sending { disk_full: true, ..sending() };
    let sent = [
        event("a", What::Command, vec![sending()]),
        event("b", What::Read, vec![sending(), sending()]),
        event("c", What::Edit, vec![full.clone(), sending()]),
        event("d", What::Prompt, vec![full.clone()]),
        event("e", What::SilentStop, vec![sending(), full]),
    ];
    let found = found(
        &[("a", 1), ("b", 1), ("c", 1)],
        1,
        &[("c", "disk_full"), ("d", "disk_full"), ("e", "disk_full")],
    );
    let sums = Sums { sent: 8, stored: 3, duplicates: 1, dropped: 3, nothing_to_keep: 1, sent_again: 0 };
    assert_eq!(account(&sent, &found), (vec![], sums));
}

#[test]
fn a_missing_event_is_reported() {
    let sent = [event("a", What::Command, vec![sending()]), event("b", What::Read, vec![sending()])];
    assert_eq!(
        complaints(&sent, &found(&[("a", 1)], 0, &[])),
        [
            "lost, 1 in all: Read b (hash of b) is not in the store; sent 1 times, 0 to a full disk, dropped 0",
            "2 sendings, 0 of them in doubt, but 1 accounted for: Sums { sent: 2, stored: 1, duplicates: 0, dropped: 0, nothing_to_keep: 0, sent_again: 0 }",
        ]
    );
}

#[test]
fn a_missing_event_is_reported_even_if_a_repetition_hides_it_in_the_sums() {
    let sent = [event("a", What::Command, vec![sending()]), event("b", What::Read, vec![sending()])];
    assert_eq!(
        complaints(&sent, &found(&[("a", 1)], 1, &[])),
        ["lost, 1 in all: Read b (hash of b) is not in the store; sent 1 times, 0 to a full disk, dropped 0"]
    );
}

#[test]
fn a_double_is_reported() {
    let sent = [event("a", What::Command, vec![sending(), sending()])];
    assert_eq!(
        complaints(&sent, &found(&[("a", 2)], 0, &[])),
        ["stored too often, 1 in all: Command a is stored 2 times"]
    );
}

#[test]
fn a_late_hook_is_reported() {
    let on_the_dot = Sending { took: Duration::from_millis(170), ..sending() };
    let late = Sending { took: Duration::from_millis(171), ..sending() };
    let stored = found(&[("a", 1)], 0, &[]);
    assert_eq!(complaints(&[event("a", What::Command, vec![on_the_dot])], &stored), [""; 0]);
    assert_eq!(
        complaints(&[event("a", What::Command, vec![late.clone()])], &stored),
        ["late, 1 in all: Command a took 171ms, allowed were 170ms"]
    );
    // A session's start has more time.
    assert_eq!(complaints(&[event("a", What::Start, vec![late])], &stored), [""; 0]);
}

#[test]
fn without_optimisation_one_hook_in_a_hundred_may_be_late() {
    let late = |took: u64, times: usize| {
        let slow = Sending { took: Duration::from_millis(took), ..sending() };
        let sent = [event("a", What::Command, [vec![slow; times], vec![sending(); 99]].concat())];
        let mut violations = Violations::default();
        let limits = (SLOWEST_TRUE, Timing::Unoptimised);
        check_account(&sent, &found(&[("a", 1)], 98 + times, &[]), limits, &mut violations);
        violations.list().len()
    };
    assert_eq!((late(340, 1), late(341, 1), late(171, 2)), (0, 1, 1));
}

#[test]
fn a_hook_that_fails_or_prints_is_reported() {
    let loud = Sending { problem: Some("ended with exit status: 1".to_owned()), ..sending() };
    assert_eq!(
        complaints(&[event("a", What::Command, vec![loud])], &found(&[("a", 1)], 0, &[])),
        ["ill-mannered, 1 in all: Command a ended with exit status: 1"]
    );
}

#[test]
fn only_a_full_disk_excuses_a_drop() {
    let full = Sending { disk_full: true, ..sending() };
    assert_eq!(
        complaints(&[event("a", What::Command, vec![sending()])], &found(&[], 0, &[("a", "disk_full")])),
        ["dropped without need, 1 in all: Command a was dropped 1 times, sent to a full disk 0"]
    );
    assert_eq!(
        complaints(&[event("a", What::Command, vec![full])], &found(&[], 0, &[("a", "torn")])),
        ["dropped for another reason, 1 in all: Command a: torn"]
    );
}

#[test]
fn what_nobody_sent_is_reported() {
    let sent = [event("a", What::Command, vec![Sending { disk_full: true, ..sending() }])];
    let stored = found(&[("a", 1), ("z", 1)], 0, &[("y", "refused")]);
    let complaints = complaints(&sent, &stored);
    assert_eq!(complaints[0], "dropped but never sent, 1 in all: hash of y: [\"refused\"]");
    assert_eq!(complaints[1], "stored but never sent, 1 in all: z");
}

#[test]
fn only_sendings_in_doubt_may_be_reported_again() {
    let doubtful = Sending { doubtful: true, ..sending() };
    let sent = [event("a", What::Command, vec![doubtful])];
    let (violations, sums) = account(&sent, &found(&[("a", 1)], 1, &[]));
    assert_eq!((violations, sums.duplicates, sums.sent_again), (vec![], 0, 1));
    assert_eq!(complaints(&sent, &found(&[("a", 1)], 2, &[])).len(), 1);
    assert_eq!(
        complaints(&[event("a", What::Command, vec![sending()])], &found(&[("a", 1)], 1, &[])).len(),
        1
    );
}

#[test]
fn a_record_that_counts_more_than_it_lists_is_reported() {
    let sent = [event("a", What::Command, vec![Sending { disk_full: true, ..sending() }])];
    let mut found = found(&[], 0, &[("a", "disk_full")]);
    found.dropped_in_all = 2;
    let complaints = complaints(&sent, &found);
    assert!(complaints.contains(&"the drop record counts 2 and lists 1".to_owned()), "{complaints:?}");
}
