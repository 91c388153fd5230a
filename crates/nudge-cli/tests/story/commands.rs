//! The commands for live sessions, as the user types them.

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::json;

/// @session_commands: a session is named, given a focus, shown and handed over; mistakes are
/// reported. The first word may name the set.
#[test]
fn the_person_looks_after_a_session() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    let shop = home.dir("shop").canonicalize().expect("a directory");
    std::fs::write(shop.join("spec.md"), "spec").expect("written");
    let event = |name: &str, own: serde_json::Value| {
        let mut payload =
            json!({"session_id": "s-1", "cwd": shop, "hook_event_name": name, "prompt_id": "p"});
        payload.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        home.nudge(["record"]).stdin(payload.to_string()).run().ok();
    };
    event("SessionStart", json!({"source": "startup"}));
    event("UserPromptSubmit", json!({"prompt": "make the cart right"}));
    event("Stop", json!({"last_assistant_message": "The cart sums before it rounds."}));
    let calls: [&[&str]; 17] = [
        &["focus", "ls"],
        &["focus", "add", "spec.md", "gone.md"],
        &["focus", "add", "8080", "--set", "ports"],
        &["focus", "add", "files", "spec.md"],
        &["focus", "add", "ports", "9090"],
        &["focus", "add", "files"],
        &["focus", "add", "x", "--set", "fles"],
        &["focus", "rm", "--set", "fles"],
        &["focus", "rm", "other.md"],
        &["session", "name", "cart", "--env-hint", "db on 5433"],
        &["session", "show"],
        &["focus", "rm", "gone.md"],
        &["focus", "ls"],
        &["hypotheses"],
        &["hypotheses", "--status", "done"],
        &["journal", "add", "the cart is right", "--next", "tell the shop"],
        &["handoff"],
    ];
    let mut injected = String::new();
    for call in calls {
        let page = home.nudge(call).cwd(&shop).env("COLUMNS", "90").run();
        injected.push_str(&format!("$ nudge {}\n{}\n", call.join(" "), page.page()));
    }
    let entry = home.nudge(["journal", "ls", "--json"]).cwd(&shop).run().json();
    assert_eq!(entry[0]["next_steps"], json!(["tell the shop"]));
    let shown = home.nudge(["session", "show", "--json"]).cwd(&shop).run().json();
    assert_eq!((&shown["state"], &shown["meta"]["name"]), (&json!("idle"), &json!("cart")));
    // Times differ between runs.
    let lines =
        injected.lines().filter(|line| !["  began", "  last "].iter().any(|time| line.starts_with(time)));
    let injected: String = lines.map(|line| format!("{line}\n")).collect();
    let injected = injected.replace(shop.to_str().expect("utf-8"), "/shop");
    assert_snapshot!(injected);
}
