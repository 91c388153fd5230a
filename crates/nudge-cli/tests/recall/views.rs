//! `nudge show`, `timeline`, `trace`, `history` and `recent`.

use insta::assert_snapshot;
use nudge_core::ObservationKind;
use nudge_memory::capture::EventBody;
use serde_json::json;

use crate::recall::setup::{Scene, ran, said, touched};

fn page(scene: &Scene, args: &[&str]) -> String {
    scene.nudge(args).env("COLUMNS", "90").run().page()
}

/// @recall_cli_views: an entry is shown, marked, among the entries around it, and a long text is
/// shown whole.
#[test]
fn a_timeline_is_shown() {
    let scene = Scene::new();
    let kept = scene.worked();
    let long = scene.keep("s-shop-1", "shop", 160, ran("for f in *.rs\ndo\n\trustfmt $f\ndone"));
    scene.nudge(&["pin", &kept[2].to_string()]).run().ok();
    let pages = [
        page(&scene, &["timeline", &kept[3].to_string(), "--after", "1"]),
        page(&scene, &["timeline", &format!("obs://{long}"), "--before", "1"]),
        page(&scene, &["timeline", "99999"]),
        page(&scene, &["timeline", "seven"]),
    ];
    assert_snapshot!("timeline", pages.join("\n"));
    let json = scene.nudge(&["timeline", &kept[4].to_string(), "--json"]).run().json();
    assert_eq!(
        (&json["anchor"]["content"], json["before"].as_array().map(Vec::len)),
        (&json!("cargo test cart"), Some(4))
    );
}

/// @recall_cli_views: an entry is shown in full: its text, its outcome, and everything else that is
/// known.
#[test]
fn the_whole_of_something_is_shown() {
    let scene = Scene::new();
    let kept = scene.worked();
    let ids: Vec<String> = kept.iter().map(|id| format!("#{id}")).collect();
    let mut args = vec!["show"];
    args.extend(ids.iter().map(String::as_str));
    let pages = [page(&scene, &args), page(&scene, &["show", "99999"]), page(&scene, &["show", "seven"])];
    assert_snapshot!("show", pages.join("\n"));
    let json = scene.nudge(&["show", &ids[3], "--json"]).run().json();
    assert_eq!(json[0]["id"], kept[3]);
    let some = scene.nudge(&["show", &ids[3], "99999", "--json"]).run();
    assert_eq!((some.code, some.stderr.as_str()), (Some(3), "not found: 99999\n"));
    assert_eq!(some.stdout.matches("\"id\":").count(), 1);
}

/// @recall_sessions @recall_cli_views: sessions are listed; without a name, the newest one here is
/// shown; a summary is text.
#[test]
fn sessions_are_listed() {
    let scene = Scene::new();
    scene.worked();
    scene.keep("s-shop-1", "shop", 90, EventBody::End { reason: Some("exit".into()) });
    // A session that was silent since before the machine started has broken off.
    scene.keep("s-till-1", "till", 0, ran("cargo test till --all"));
    scene.nudge(&["maintain"]).run().ok();
    let pages = [
        page(&scene, &["sessions"]),
        page(&scene, &["sessions", "--all", "--limit", "2"]),
        page(&scene, &["sessions", "--project", "nowhere"]),
        page(&scene, &["trace"]),
    ];
    assert_snapshot!("sessions", pages.join("\n"));
    let json = scene.nudge(&["sessions", "--json"]).run().json();
    assert_eq!(json[0]["session_id"], "s-shop-1");
    let found = scene.nudge(&["search", "cart", "--type", "session_summary", "--ids"]).run().stdout;
    let summary = page(&scene, &["show", found.trim()]);
    assert!(summary.contains("prompts: 1, observations:") && !summary.contains('{'), "{summary}");
}

/// @recall_cli_views: a session is shown from start to end; the beginning of its id is enough.
#[test]
fn a_session_is_shown() {
    let scene = Scene::new();
    scene.worked();
    scene.keep("s-shop-1", "shop", 100, said("and now\nmake it fast"));
    scene.keep("s-shop-1", "shop", 90, EventBody::End { reason: Some("exit".into()) });
    scene.nudge(&["maintain"]).run().ok();
    let pages = [
        page(&scene, &["trace", "s-sh"]),
        page(&scene, &["trace", "s-shop-1", "--before", "3h"]),
        page(&scene, &["trace", "s-shop-1", "--after", "1m"]),
        page(&scene, &["trace", "nobody"]),
    ];
    assert_snapshot!("trace", pages.join("\n"));
    let json = scene.nudge(&["trace", "s-till-1", "--json"]).run().json();
    assert_eq!((&json["project"], &json["prompts"][0]["prompt_id"]), (&json!("till"), &json!(null)));
}

/// @recall_cli_views: the history of a file is found by a path relative to the user's directory.
#[test]
fn the_history_of_a_file_is_shown() {
    let scene = Scene::new();
    scene.worked();
    let cart = scene.file("shop", "src/cart.rs");
    scene.keep("s-shop-2", "shop", 30, said("Document the cart"));
    scene.keep("s-shop-2", "shop", 29, touched(ObservationKind::FileRead, &cart));
    scene.keep("s-shop-2", "shop", 28, touched(ObservationKind::FileEdit, &cart));
    std::fs::create_dir_all(scene.dir("shop").join("src")).expect("made");
    let shown = page(&scene, &["history", "src/cart.rs"]);
    let below = scene.home.nudge(["history", "./cart.rs", "--json"]).cwd(scene.dir("shop").join("src")).run();
    assert_eq!(below.json(), scene.nudge(&["history", "src/cart.rs", "--json"]).run().json());
    let pages = [shown, page(&scene, &["history", "src/none.rs"])];
    assert_snapshot!("history", pages.join("\n"));
    let json = scene.nudge(&["history", &cart, "--json", "--limit", "1"]).run().json();
    assert_eq!(json["sessions"][0]["touches"][0]["prompt_content"], "Document the cart");
}

/// @recall_cli_views: recent entries are those of the current project, unless all are requested.
#[test]
fn what_is_recent_is_shown() {
    let scene = Scene::new();
    scene.worked();
    let elsewhere = scene.home.dir("elsewhere");
    let pages = [
        page(&scene, &["recent"]),
        page(&scene, &["recent", "--all", "--limit", "3"]),
        page(&scene, &["recent", "--project", "till"]),
        scene.home.nudge(["recent"]).cwd(elsewhere).run().page(),
    ];
    assert_snapshot!("recent", pages.join("\n"));
    let rows = scene.nudge(&["recent", "--json", "--limit", "2"]).run().json();
    assert!(rows[0]["score"].as_f64() >= rows[1]["score"].as_f64(), "{rows}");
}
