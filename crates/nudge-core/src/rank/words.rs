//! The wording of an explanation.

use super::Facts;
use crate::time::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A hint's own priority and confidence are mentioned from these values on.
const HIGH_PRIORITY: i64 = 8;
const HIGH_CONFIDENCE: f64 = 0.8;

pub(super) fn reasons(facts: &Facts, now: Timestamp) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(at) = facts.last_used_at {
        reasons.push(used(now.since(at).as_secs()));
    }
    match facts.use_count {
        ..=0 => {}
        1 => reasons.push("used 1 time".to_owned()),
        many => reasons.push(format!("used {many} times")),
    }
    match facts.failures {
        ..=0 => {}
        1 => reasons.push("failed 1 time since".to_owned()),
        many => reasons.push(format!("failed {many} times since")),
    }
    if let Some(priority) = facts.priority.filter(|priority| *priority >= HIGH_PRIORITY) {
        reasons.push(format!("high priority ({priority}/10)"));
    }
    if let Some(confidence) =
        facts.confidence.filter(|_| facts.failures <= 0).filter(|stated| *stated >= HIGH_CONFIDENCE)
    {
        reasons.push(format!("high confidence ({confidence})"));
    }
    reasons
}

fn used(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / MINUTE, seconds / HOUR, seconds / DAY);
    match (days, hours, minutes) {
        (0, 0, 0..=5) => format!("recently used ({minutes}m ago)"),
        (0, 0, _) => format!("used {minutes} minutes ago"),
        (0, 1, _) => "used 1 hour ago".to_owned(),
        (0, _, _) => format!("used {hours} hours ago"),
        (1, _, _) => "used yesterday".to_owned(),
        _ => format!("used {days} days ago"),
    }
}
