//! The formula, number by number, and the wording.

use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn bare() -> Facts {
    Facts {
        use_count: 0,
        last_used_at: None,
        updated_at: NOW,
        priority: None,
        confidence: None,
        failures: 0,
        conditions: 0,
    }
}

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} is not {other}");
}

#[test]
fn a_hint_that_says_nothing_scores_its_defaults_and_its_news() {
    close(score(&bare(), NOW).value(), 0.2 * 0.5 + 0.2 * 0.5 + 0.1);
    assert_eq!(score(&bare(), NOW).rounded(), 0.3);
}

#[test]
fn use_and_news_have_a_half_life_of_seven_days() {
    close(frecency(10, Some(NOW), NOW), 1.0 - (-1.0_f64).exp());
    close(frecency(10, Some(NOW.minus(7 * DAY)), NOW), (1.0 - (-1.0_f64).exp()) / 2.0);
    close(recency(NOW.minus(7 * DAY), NOW), 0.5);
    close(recency(NOW.minus(14 * DAY), NOW), 0.25);
}

#[test]
fn what_was_never_used_has_no_frecency() {
    close(frecency(0, Some(NOW), NOW), 0.0);
    close(frecency(3, None, NOW), 0.0);
}

#[test]
fn five_conditions_are_fully_specific() {
    assert_eq!([0, 1, 4, 5, 9].map(specificity), [0.0, 0.2, 0.8, 1.0, 1.0]);
}

#[test]
fn the_best_hint_there_can_be_scores_one() {
    let best = Facts {
        use_count: 1_000,
        last_used_at: Some(NOW),
        updated_at: NOW,
        priority: Some(10),
        confidence: Some(1.0),
        failures: 0,
        conditions: 5,
    };
    assert_eq!(score(&best, NOW).rounded(), 1.0);
}

#[test]
fn an_explanation_names_conditions_then_use_then_claims() {
    let facts = Facts {
        use_count: 4,
        last_used_at: Some(NOW.minus(Duration::from_secs(200))),
        priority: Some(8),
        confidence: Some(0.85),
        failures: 0,
        conditions: 2,
        ..bare()
    };
    let explanation =
        explain(&facts, vec!["cwd matched **/http-proxy*".into(), "branch=dev allowed".into()], NOW);
    let expected = Explanation {
        matched: true,
        score: 0.61,
        reasons: [
            "cwd matched **/http-proxy*",
            "branch=dev allowed",
            "recently used (3m ago)",
            "used 4 times",
            "high priority (8/10)",
            "high confidence (0.85)",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    assert_eq!(explanation, expected);
}

#[test]
fn the_age_of_the_last_use_is_said_in_words() {
    let table = [
        (0, "recently used (0m ago)"),
        (299, "recently used (4m ago)"),
        (359, "recently used (5m ago)"),
        (360, "used 6 minutes ago"),
        (3_599, "used 59 minutes ago"),
        (3_600, "used 1 hour ago"),
        (7_200, "used 2 hours ago"),
        (86_399, "used 23 hours ago"),
        (86_400, "used yesterday"),
        (172_799, "used yesterday"),
        (172_800, "used 2 days ago"),
        (864_000, "used 10 days ago"),
    ];
    for (seconds, words) in table {
        let facts =
            Facts { use_count: 1, last_used_at: Some(NOW.minus(Duration::from_secs(seconds))), ..bare() };
        assert_eq!(explain(&facts, vec![], NOW).reasons, [words, "used 1 time"]);
    }
}

#[test]
fn a_hint_that_says_nothing_is_explained_by_its_conditions_alone() {
    let explanation = explain(&bare(), vec!["no scope restrictions".into()], NOW);
    assert_eq!(explanation.reasons, ["no scope restrictions"]);
}

#[test]
fn ties_go_to_the_newer_then_to_the_smaller_id() {
    let mut ranks = [rank(0.5, 1, 1), rank(0.5, 2, 4), rank(0.9, 0, 9), rank(0.5, 2, 3)];
    ranks.sort_by(|one, other| compare(*one, *other));
    assert_eq!(ranks.map(|rank| rank.id.0), [9, 3, 4, 1]);
}

fn rank(score: f64, updated: i64, id: i64) -> Rank {
    let updated_at = Timestamp::from_millis(updated);
    Rank { score: Score(score), names_open_file: false, updated_at, id: EntryId(id) }
}

#[test]
fn an_open_file_comes_first_among_those_that_show_the_same_score() {
    let open = |rank| Rank { names_open_file: true, ..rank };
    let mut ranks = [rank(0.5049, 9, 1), open(rank(0.496, 1, 2)), rank(0.496, 2, 3), open(rank(0.49, 9, 4))];
    ranks.sort_by(|one, other| compare(*one, *other));
    assert_eq!(ranks.map(|rank| rank.id.0), [2, 1, 3, 4]);
}

proptest! {
    #[test]
    fn a_score_lies_between_zero_and_one(
        use_count in any::<i64>(),
        last_used in proptest::option::of(any::<i64>()),
        updated in any::<i64>(),
        now in any::<i64>(),
        priority in proptest::option::of(any::<i64>()),
        confidence in proptest::option::of(any::<f64>()),
        conditions in any::<usize>(),
    ) {
        let facts = Facts {
            use_count,
            last_used_at: last_used.map(Timestamp::from_millis),
            updated_at: Timestamp::from_millis(updated),
            priority,
            confidence,
            failures: 0,
            conditions,
        };
        let now = Timestamp::from_millis(now);
        let value = score(&facts, now).value();
        prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{}", value);
        let _ = explain(&facts, vec![], now);
    }

    #[test]
    fn more_use_never_scores_less(uses in 0_i64..1_000, age in 0_u64..10_000_000) {
        let at = Some(NOW.minus(Duration::from_secs(age)));
        prop_assert!(frecency(uses + 1, at, NOW) >= frecency(uses, at, NOW));
    }
}

#[test]
fn failures_take_from_the_confidence_down_to_a_floor_and_are_reported() {
    let after = |failures| Facts { failures, confidence: Some(0.9), ..bare() };
    let scores: Vec<f64> = [0, 1, 2, 50].map(|n| confidence(Some(0.9), n)).to_vec();
    assert!(scores.windows(2).all(|pair| pair[0] > pair[1]));
    assert_eq!(confidence(Some(0.9), i64::MAX), 0.1);
    assert_eq!(confidence(Some(0.05), 3), 0.05);
    let now = Timestamp::from_millis(1);
    assert!(score(&after(0), now) > score(&after(1), now));
    assert!(explain(&after(2), Vec::new(), now).reasons.contains(&"failed 2 times since".to_owned()));
    assert!(!explain(&after(2), Vec::new(), now).reasons.iter().any(|reason| reason.contains("confidence")));
}

#[test]
fn a_file_is_named_by_its_path_or_its_base_name_as_a_word() {
    let open = ["/w/shop/src/lexer.rs".to_owned(), "C:\\shop\\Makefile".to_owned()];
    for text in
        ["lexer.rs", "see src/lexer.rs.", "/w/shop/src/lexer.rs:12", "(lexer.rs)", "edit `lexer.rs`, then"]
    {
        assert_eq!(named_in(&open, &[text]), Some("lexer.rs"), "{text}");
    }
    assert_eq!(named_in(&open, &["x", "the Makefile has it"]), Some("Makefile"));
    for text in ["sublexer.rs", "lexer.rs.bak", "lexer.rst", "lexer", ".lexer.rs", "my-lexer.rs", ""] {
        assert_eq!(named_in(&open, &[text]), None, "{text}");
    }
    assert_eq!(named_in(&["/".to_owned(), "..".to_owned(), "a".to_owned()], &["a / .."]), None);
}
