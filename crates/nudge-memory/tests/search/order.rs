//! The order of results.

use serde_json::{Value, json};

use crate::search::setup::{Search, command, fresh, prompt};

/// A day in seconds, the unit of time between events here.
const DAY: i64 = 86_400;

/// @recall_search_order Of an old, slightly better result and one of today, `relevance` puts the
/// better first and `blended` the newer, whether or not they are indexed.
#[test]
fn blended_puts_the_newer_before_the_somewhat_better() {
    let bench = fresh();
    let keep = |at: i64, what| {
        bench.next.set(at);
        bench.keep("api", what)
    };
    let old = keep(-90 * DAY, prompt("rotate the signing key"));
    let new = keep(-2, prompt("rotate the signing key of the second staging cluster"));
    for number in 0..30 {
        keep(number - 40, command(&format!("echo {number}")));
    }
    let asked = |order: Value| bench.ids("api", json!({"query": "rotate signing key", "orderBy": order}));
    for indexed in [false, true] {
        if indexed {
            bench.index();
        }
        assert_eq!(asked(json!(null)), [old, new], "indexed: {indexed}");
        assert_eq!(asked(json!("relevance")), [old, new], "indexed: {indexed}");
        assert_eq!(asked(json!("blended")), [new, old], "indexed: {indexed}");
    }
}
