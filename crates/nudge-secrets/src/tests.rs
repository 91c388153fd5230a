//! Tables of what the detector finds and what it leaves alone.

mod credentials;
pub(super) mod generator;
mod lookalikes;
mod properties;

use super::{Finding, REDACTED, is_name, mask, redact, scan, scan_keyed};

#[test]
fn an_assignment_to_a_credential_name_is_found() {
    let text = concat!("export DB_PASSWORD=", "tr0ub4dor-and-3");
    assert_eq!(scan(text).iter().map(|f| (f.rule, f.start)).collect::<Vec<_>>(), [("assignment", 19)]);
    assert_eq!(scan("docker compose build router"), []);
    assert!(is_name("--db-password") && is_name("X-Api-Key"));
    assert!(!is_name("build"));
}

#[test]
fn a_display_shows_both_ends_of_a_credential_and_nothing_of_a_short_one() {
    assert_eq!(mask(""), "");
    assert_eq!(mask("hunter22"), "********");
    assert_eq!(mask("hunter222"), "*********");
    assert_eq!(mask(&"ж".repeat(31)), "*".repeat(31));
    assert_eq!(mask("пароль-от-сервера-в-подвале-дома"), format!("паро{}дома", "*".repeat(24)));
    assert_eq!(mask(&"a".repeat(4000)), format!("aaaa{}aaaa", "*".repeat(32)));
}

#[test]
fn redaction_leaves_the_rest_of_the_line() {
    let text = format!("curl -H 'X-Api-Key: {}' https://api.test/v1 # retry", generator::base62(1, 32));
    assert_eq!(redact(&text), "curl -H 'X-Api-Key: [REDACTED]' https://api.test/v1 # retry");
}

#[test]
fn a_finding_tells_rule_and_range_only() {
    let secret = generator::base62(2, 36);
    let text = format!("use ghp_{secret} now");
    let findings = scan(&text);
    assert_eq!(findings, [Finding { rule: "github-token", start: 4, end: 44 }]);
    assert!(!format!("{findings:?}").contains(&secret));
}

#[test]
fn a_name_makes_a_digest_a_credential() {
    let digest = generator::hex(3, 64);
    assert_eq!(scan(&digest), []);
    assert_eq!(scan_keyed("sha256", &digest), []);
    assert_eq!(scan_keyed("deploy.api_key", &digest), [Finding { rule: "assignment", start: 0, end: 64 }]);
    assert_eq!(
        scan(&format!("the api key is {digest}")),
        [Finding { rule: "assignment", start: 15, end: 79 }]
    );
}

#[test]
fn hexadecimal_runs_of_no_digest_are_keys() {
    for length in 32..=64 {
        let digits = generator::hex(length as u64, length);
        let found = !scan(&format!("run with {digits} please")).is_empty();
        assert_eq!(found, ![32, 40, 56, 64].contains(&length), "{length} digits");
    }
    assert_eq!(scan(&generator::hex(1, 31)), []);
    assert_eq!(scan(&generator::hex(1, 128)), []);
}

#[test]
fn overlapping_findings_are_joined_under_the_most_telling_rule() {
    let token = format!("ghp_{}", generator::base62(5, 36));
    let text = format!("GITHUB_TOKEN={token}");
    assert_eq!(scan(&text), [Finding { rule: "github-token", start: 13, end: text.len() }]);
    assert_eq!(redact(&text), format!("GITHUB_TOKEN={REDACTED}"));
}
