//! The order of results, the same on a terminal and for an agent.

use serde_json::json;

use crate::recall::setup::{Scene, said};

/// A day, in minutes.
const DAY: i64 = 24 * 60;

/// @recall_cli_same_rows: both orders are the same on a terminal and for an agent: the best match
/// first, or the newest of near equals.
#[test]
fn both_orders_are_the_same_everywhere() {
    let scene = Scene::new();
    let old = scene.keep("s-1", "shop", 90 * DAY, said("rotate the signing key"));
    let new = scene.keep("s-2", "shop", 5, said("rotate the signing key of the second staging cluster"));
    let mut agent = scene.agent();
    for (order, expected) in [("relevance", [old, new]), ("blended", [new, old])] {
        let rows = scene.nudge(&["search", "rotate signing key", "--order", order, "--json"]).run().json();
        let ids: Vec<i64> =
            rows.as_array().expect("a list").iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{order}");
        let injected = agent.call("search", json!({"query": "rotate signing key", "orderBy": order}));
        assert_eq!(injected["results"], rows, "{order}");
    }
}
