//! Errors in hooks are logged where they disturb nobody, without any of the user's content.

use std::os::unix::fs::PermissionsExt;

use crate::capture::kit::{files_with, fire, home_with_deadlines, is_spooled, log, prompt, quiet, stored};

/// @hook_log
#[test]
fn troubles_are_logged_without_content_and_doctor_counts_them() {
    let home = home_with_deadlines();
    quiet(home.nudge(["hook", "claude"]).stdin("{ garbage with a canary-word").run());
    quiet(home.nudge(["hook", "clippy"]).stdin("canary-word").run());
    stored(&home).while_locked(|| fire(&home, &prompt("a prompt with a canary-word")));
    let lines = log(&home);
    let words: Vec<&str> =
        lines.lines().map(|line| line.split_once("] ").expect("time and process come first").1).collect();
    assert_eq!(words[..2], ["claude none lost:unreadable_input:parse", "clippy none unknown_harness"]);
    assert!(words[2].starts_with("claude prompt spooled:"), "{lines}");
    assert_eq!(words.len(), 3);
    let mode = |name: &str| home.memory().join(name).metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("logs"), mode("logs/hooks.log"), mode("logs/hooks.json")), (0o700, 0o600, 0o600));
    assert!(is_spooled(&home));
    let doctor = home.run(["doctor", "--json"]).json();
    let check = |name: &str| {
        let checks = doctor["checks"].as_array().expect("a list");
        checks.iter().find(|check| check["name"] == name).cloned().expect("it was looked at")
    };
    let said = check("hooks")["message"].as_str().expect("a text").to_owned();
    assert!(said.contains("unknown_harness 1×") && said.contains("wait in the spool"), "{said}");
    assert_eq!(check("hooks")["verdict"], "warn");
    assert!(check("drops")["message"].as_str().expect("a text").contains("unreadable_input 1×"), "{doctor}");
    let advice = check("drops")["way_out"].as_str().expect("a text").to_owned();
    assert!(advice.contains("no event") && !advice.contains("disk"), "{advice}");
    assert_eq!(files_with(&home.memory().join("logs"), "canary-word"), [""; 0]);
}
