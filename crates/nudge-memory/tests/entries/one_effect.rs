//! The same verbs have the same effect, whoever says them and how.

use nudge_core::{Fault, Scope};
use nudge_memory::Surface;
use serde_json::{Value, json};

use super::setup::{Scene, scene};

/// Verbs that every surface can say, with parameters that a tag can carry.
fn story() -> Vec<(&'static str, Value)> {
    let mut story = Vec::new();
    for number in 0..12 {
        story.push((
            "set",
            json!({"path": format!("known://plan/{number}"), "body": format!("step {number}\nnext\n")}),
        ));
    }
    story.extend([
        ("set", json!({"path": "known://plan/1", "body": "<<SEARCH\nnext\nSEARCH\n<<REPLACE\nlast\nREPLACE"})),
        ("set", json!({"path": "known://plan/*", "body": "s/step/stage/", "visibility": "summarized"})),
        ("set", json!({"path": "known://plan/2", "summary": "the second", "state": "failed", "outcome": "conflict"})),
        ("get", json!({"path": "known://plan/3"})),
        ("get", json!({"path": "known://plan/*", "body": "last", "run": "night"})),
        ("cp", json!({"path": "known://plan/1*", "to": "unknown://ask/*"})),
        ("mv", json!({"path": "known://plan/4", "to": "known://done/4"})),
        ("rm", json!({"path": "known://plan/5"})),
        ("update", json!({"body": "half way", "status": 102})),
        ("set", json!({"path": "log://note", "body": "in the run", "run": "night"})),
        ("set", json!({"path": "log://note", "body": "<<APPEND\nmore\nAPPEND", "run": "night"})),
        ("rm", json!({"path": "log://note", "run": "night"})),
        ("update", json!({"body": "all done", "status": 200, "run": "night"})),
    ]);
    story
}

/// A verb as a model would write it.
fn tag(verb: &str, params: &Value) -> String {
    let mut open = format!("<{verb}");
    let mut body = String::new();
    for (name, value) in params.as_object().expect("an object") {
        match name.as_str() {
            "run" => {}
            "body" => value.as_str().expect("text").clone_into(&mut body),
            _ => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                open.push_str(&format!(" {name}=\"{text}\""));
            }
        }
    }
    if params.get("body").is_none() {
        return format!("{open}/>");
    }
    format!("{open}>\n{body}\n</{verb}>")
}

/// All that was stored, without who did it and when.
fn dump(scene: &Scene) -> String {
    let key = scene.bench.caller.project.clone().expect("a project");
    let viewers = [Scope::Project(key.clone()), Scope::Run(format!("{key}#night"))];
    let dumped = scene.bench.memory.store().read(|reader| {
        let mut lines = Vec::new();
        for scheme in ["known", "unknown", "log", "update"] {
            for entry in reader.newest(scheme, 999)? {
                let mut line = format!(
                    "{} {} v{} {:?} {:?}",
                    entry.path,
                    entry.scope.kind(),
                    entry.version,
                    entry.body,
                    entry.attributes
                );
                for viewer in &viewers {
                    if let Some(row) = reader.view(viewer, entry.id)? {
                        line.push_str(&format!(
                            "\n  {} {} {} {:?} {:?} {}",
                            viewer.kind(),
                            row.visibility.name(),
                            row.state.name(),
                            row.outcome,
                            row.summary,
                            row.write_count
                        ));
                    }
                }
                lines.push(line);
            }
        }
        lines.sort();
        Ok::<_, Fault>(lines.join("\n"))
    });
    dumped.expect("read")
}

/// @verbs_one_effect
#[test]
fn surfaces_and_tags_store_the_same() {
    let mut dumps = Vec::new();
    for surface in [Surface::AgentCli, Surface::Mcp, Surface::Rpc] {
        let mut scene = scene();
        scene.bench.caller.surface = surface;
        for (verb, params) in story() {
            scene.bench.ok(verb, params);
        }
        dumps.push((surface.name(), dump(&scene)));
    }
    let mut scene = scene();
    scene.agent();
    for (verb, params) in story() {
        let answer = scene.bench.ok("apply_tags", json!({"text": tag(verb, &params), "run": params["run"]}));
        assert_eq!(answer["calls"].as_array().map(Vec::len), Some(1), "{verb} {params}: {answer}");
    }
    dumps.push(("tags", dump(&scene)));
    let (_, first) = &dumps[0];
    assert!(first.lines().count() > 20, "{first}");
    for (name, dumped) in &dumps {
        assert_eq!(dumped, first, "{name}");
    }
}
