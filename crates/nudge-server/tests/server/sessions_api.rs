//! `/api/sessions`: how programs see and change sessions.

use serde_json::{Value, json};

use crate::live::{Agent, ask, served};

fn items(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}-{number}")).collect()
}

/// @session_states: the newest sessions are listed with their states, and how many the user has not
/// looked at.
#[test]
fn sessions_are_listed_with_how_many_were_not_looked_at() {
    let (machine, _server) = served();
    let (first, second) = (Agent::new(&machine, "s-1"), Agent::within(&machine, "s-2", "q"));
    for agent in [&first, &second] {
        agent.start("startup");
        agent.prompt("look at the build");
    }
    let list = |path: &str| {
        let answer = ask(&machine, "GET", path, &Value::Null);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json
    };
    let states = |listed: &Value| -> Vec<(String, String, bool)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let all = listed["sessions"].as_array().expect("a list").iter();
        all.map(|one| (text(&one["id"]), text(&one["state"]), one["unobserved"] == json!(true))).collect()
    };
    let known = |id: &str, state: &str, unobserved: bool| (id.to_owned(), state.to_owned(), unobserved);
    let busy = list("/api/sessions");
    assert_eq!(states(&busy), [known("s-2", "busy", false), known("s-1", "busy", false)]);
    assert_eq!(busy["unobservedCount"], json!(0));
    first.stop();
    second.stop();
    let idle = list("/api/sessions?limit=1");
    assert_eq!(states(&idle), [known("s-2", "idle", true)]);
    assert_eq!(idle["unobservedCount"], json!(2), "all are counted");

    let observed = second.ask("POST", "/observe", &Value::Null);
    assert_eq!((observed.status, &observed.json["unobserved"]), (200, &json!(false)), "{observed:?}");
    assert!(observed.json["meta"]["lastObservedAt"].is_string(), "{observed:?}");
    let listed = list("/api/sessions");
    assert_eq!(states(&listed), [known("s-2", "idle", false), known("s-1", "idle", true)]);
    assert_eq!(listed["unobservedCount"], json!(1));
    let refused = ask(&machine, "GET", "/api/sessions?limit=many", &Value::Null);
    assert_eq!((refused.status, &refused.json["error"]["id"]), (400, &json!("E_INVALID")), "{refused:?}");
}

/// @session_api: a session is shown with its details, and a change replaces, merges, names and
/// describes.
#[test]
fn a_session_is_shown_and_changed() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("look at the build");
    let shown = agent.get();
    assert_eq!(
        (&shown["id"], &shown["agent"], &shown["state"]),
        (&json!("s-1"), &json!("claude"), &json!("busy"))
    );
    assert_eq!(shown["meta"]["name"], json!(""));
    assert_eq!(shown["meta"]["currentIntent"], json!("look at the build"));
    assert_eq!(shown["meta"]["context"], json!({}));

    agent.patch(&json!({"context": {"files": ["/w/p/a.md"], "ports": ["1"]}}));
    let replaced =
        agent.patch(&json!({"context": {"files": ["/w/p/b.md"], "endpoints": ["http://localhost:1"]}}));
    let both = json!({"endpoints": ["http://localhost:1"], "files": ["/w/p/b.md"]});
    assert_eq!(replaced["meta"]["context"], both, "what is not in the map is cleared");
    let more = json!({"setName": "files", "items": ["/w/p/b.md", "/w/p/c.md"], "mode": "merge"});
    let merged = agent.patch(&json!({"setContext": more}));
    assert_eq!(merged["meta"]["context"]["files"], json!(["/w/p/b.md", "/w/p/c.md"]));

    agent.patch(&json!({"name": "the build"}));
    agent.patch(&json!({"envHint": "venv active", "currentIntent": "make it fast"}));
    let meta = agent.get()["meta"].clone();
    assert_eq!((&meta["name"], &meta["envHint"]), (&json!("the build"), &json!("venv active")));
    assert_eq!(meta["currentIntent"], json!("make it fast"));
    assert_eq!(meta["context"], merged["meta"]["context"], "what is left out stays");
    let resume = agent.get()["resume"].as_str().expect("a text").to_owned();
    assert!(resume.starts_with("Environment: venv active"), "{resume}");
    agent.end();
    agent.set("ports", &["5432"]);
    let ended = agent.get();
    assert_eq!(
        (&ended["state"], &ended["meta"]["context"]["ports"]),
        (&json!("ended"), &json!(["5432"])),
        "a late change is taken, and opens nothing"
    );
}

/// @context_limits: a request over a limit is rejected with this text, and nothing of it is saved.
#[test]
fn what_is_over_a_limit_is_refused_whole() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.set("ports", &["1"]);
    let before = agent.get();
    let refuse = |body: &Value, why: &str| {
        let answer = agent.ask("PATCH", "", body);
        assert_eq!((answer.status, &answer.json["error"]["message"]), (400, &json!(why)), "{answer:?}");
        assert_eq!(agent.get(), before);
    };
    let set = "Set too large (12 items, max 10). Remove some items first.";
    let all = "Context too large (54 items, max 50). Remove some items first.";
    refuse(&json!({"setContext": {"setName": "files", "items": items("/w", 12)}}), set);
    refuse(&json!({"name": "new", "envHint": "x", "context": {"files": items("/w", 12)}}), set);
    let many = json!({"a": items("a", 9), "b": items("b", 9), "c": items("c", 9), "d": items("d", 9),
        "e": items("e", 9), "f": items("f", 9)});
    refuse(&json!({"name": "new", "context": many}), all);
    let full = json!({"a": items("a", 10), "b": items("b", 10), "c": items("c", 10), "d": items("d", 10),
        "e": items("e", 10)});
    agent.patch(&json!({"context": full}));
    let over = agent.ask("PATCH", "", &json!({"setContext": {"setName": "f", "items": items("f", 4)}}));
    assert_eq!((over.status, &over.json["error"]["message"]), (400, &json!(all)), "{over:?}");
    assert_eq!(agent.get()["meta"]["context"], full);
    let swapped = json!({"a": items("a", 10), "b": items("b", 10), "c": items("c", 10), "d": items("d", 10),
        "z": items("z", 10)});
    agent.patch(&json!({"context": swapped}));
    assert_eq!(agent.get()["meta"]["context"], swapped);
}

/// @session_api: without the token nothing is answered; a session that does not exist, or is in a
/// private project, is not found.
#[test]
fn strangers_and_private_sessions_get_nothing() {
    let (machine, _server) = served();
    let (open, closed) = (Agent::new(&machine, "s-open"), Agent::within(&machine, "s-closed", "closed"));
    open.start("startup");
    closed.start("startup");
    closed.stop();
    for (method, path) in [
        ("GET", "/api/sessions"),
        ("GET", "/api/sessions/s-open"),
        ("PATCH", "/api/sessions/s-open"),
        ("POST", "/api/sessions/s-open/observe"),
    ] {
        assert_eq!(machine.request(method, path, &[], "{\"name\": \"x\"}").status, 401, "{method} {path}");
    }
    machine.call("set_private", json!({"project": closed.key()}));
    let name = json!({"name": "x"});
    for id in ["s-closed", "s-none", "s-op"] {
        let path = format!("/api/sessions/{id}");
        for (method, path, body) in [
            ("GET", path.clone(), &Value::Null),
            ("PATCH", path.clone(), &name),
            ("POST", format!("{path}/observe"), &Value::Null),
        ] {
            let answer = ask(&machine, method, &path, body);
            assert_eq!(
                (answer.status, &answer.json["error"]["id"]),
                (404, &json!("E_NOT_FOUND")),
                "{method} {path}"
            );
        }
    }
    let listed = ask(&machine, "GET", "/api/sessions", &Value::Null).json;
    let ids: Vec<&Value> =
        listed["sessions"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!("s-open")]);
    let session = json!({"session": "s-closed", "name": "x"});
    assert_eq!(open.patch(&session)["id"], json!("s-open"), "the path says which session");
    for body in [json!([]), json!({"nothing": 1}), json!({"context": {"files": "x"}})] {
        assert_eq!(open.ask("PATCH", "", &body).status, 400, "{body}");
    }
}
