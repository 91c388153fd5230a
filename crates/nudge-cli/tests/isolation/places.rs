//! One function determines the project of a directory, for every interface.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::isolation::kit::Scene;

/// A directory of every kind: its description, its path and its expected project key.
fn places(scene: &Scene) -> Vec<(&'static str, PathBuf, String)> {
    let plain = scene.dir("plain");
    let repository = scene.repository("app", None);
    let below = scene.dir("app/src/deep");
    let worktree = scene.dir("").join("app-fix");
    nudge_testkit::git::worktree(&repository, &worktree, "fix");
    let bare = scene.dir("hub/.bare");
    std::fs::create_dir_all(bare.join("objects")).expect("a directory");
    std::fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    let beside = scene.dir("hub/fix");
    let admin = bare.join("worktrees/fix");
    std::fs::create_dir_all(&admin).expect("a directory");
    std::fs::write(admin.join("HEAD"), "ref: refs/heads/fix\n").expect("a file");
    std::fs::write(admin.join("commondir"), "../..\n").expect("a file");
    std::fs::write(admin.join("gitdir"), format!("{}\n", beside.join(".git").display())).expect("a file");
    std::fs::write(beside.join(".git"), format!("gitdir: {}\n", admin.display())).expect("a file");
    let link = scene.dir("").join("link");
    std::os::unix::fs::symlink(&below, &link).expect("a link");
    let named = scene.repository("named", None);
    std::fs::write(named.join(".nudge.toml"), "project = \"till\"\n").expect("a file");
    let key = |path: &Path| path.display().to_string();
    let of_app = key(&repository.join(".git"));
    vec![
        ("plain directory", plain.clone(), key(&plain)),
        ("repository", repository, of_app.clone()),
        ("subdirectory", below, of_app.clone()),
        ("worktree", worktree, of_app.clone()),
        ("worktree of a bare repository", beside, key(&bare)),
        ("symbolic link", link, of_app),
        ("named by its own settings", named.clone(), key(&named.join(".git"))),
    ]
}

/// @project_one_function Hook, command line, stdio tool, notes, hints, search and list agree on
/// each.
#[test]
fn every_surface_has_the_same_key_for_a_directory() {
    let scene = Scene::new();
    for (number, (what, dir, expected)) in places(&scene).into_iter().enumerate() {
        let session = format!("s-{number}");
        scene.work(&session, &dir, &format!("word{number}"));
        let found = scene.run_as_user(&dir, ["search", &format!("word{number}"), "--json"]).json();
        let ids: Vec<i64> =
            found.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
        assert!(!ids.is_empty(), "{what}: nothing is found where it happened: {found}");
        for id in ids {
            let (scope, said) = scene.keys_of(id);
            assert_eq!(
                (scope.as_deref(), said.as_deref()),
                (Some(expected.as_str()), Some(expected.as_str())),
                "{what}: hook"
            );
        }
        let mark = scene.run_as_user(&dir, ["mark", "a note", "--json"]).json();
        let id = mark["id"].as_i64().expect("an id");
        assert_eq!(scene.keys_of(id).0.as_deref(), Some(expected.as_str()), "{what}: command line");
        let mut agent = scene.agent(&dir);
        let noted = agent.call("create_marker", json!({"text": "an agent's note"}));
        assert_eq!(
            scene.keys_of(noted["id"].as_i64().expect("an id")).0.as_deref(),
            Some(expected.as_str()),
            "{what}: tool"
        );
        scene.run_as_user(&dir, ["set", "c", &format!("p{number}"), "v"]).ok();
        agent.call("set_hint", json!({"component": "c", "key": format!("a{number}"), "value": "v"}));
        agent.hang_up();
        for key in [format!("p{number}"), format!("a{number}")] {
            let memory = scene.memory();
            let stated = memory.store().read(|reader| {
                let found = reader.newest("hint", 1_000)?;
                Ok::<_, nudge_core::Fault>(
                    found.into_iter().find(|entry| entry.path.to_string().contains(&format!("/{key}"))),
                )
            });
            let stated = stated.expect("read").expect("a hint");
            assert_eq!(stated.origin.project.as_deref(), Some(expected.as_str()), "{what}: hint {key}");
        }
        let all = scene.projects(&dir);
        assert_eq!(
            all.iter()
                .filter(|one| one["keys"].as_array().is_some_and(|keys| keys.contains(&json!(expected))))
                .count(),
            1,
            "{what}"
        );
    }
    // The worktree, the subdirectory and the link belong to the repository.
    assert_eq!(scene.projects(scene.home.path()).len(), 4);
    assert_eq!(scene.project(scene.home.path(), "till")["keys"].as_array().map(Vec::len), Some(1));
}

/// @project_gone_directory Events in a directory that is gone belong to the project where the
/// session began.
#[test]
fn a_directory_that_is_gone_falls_back_on_where_the_session_began() {
    let scene = Scene::new();
    let app = scene.repository("app", None);
    let worktree = scene.dir("").join("app-fix");
    nudge_testkit::git::worktree(&app, &worktree, "fix");
    scene.work("s-1", &worktree, "before");
    std::fs::remove_dir_all(&worktree).expect("removed");
    let ran = json!({"tool_name": "Bash", "tool_use_id": "later", "tool_input": {"command": "git worktree prune"}, "tool_response": {}});
    scene.event("s-1", &worktree, "PostToolUse", ran);
    assert_eq!(scene.projects(&app).len(), 1, "{:?}", scene.projects(&app));
    let found = scene.run_as_user(&app, ["search", "prune", "--json"]).json();
    let id = found[0]["id"].as_i64().expect("found where the session began");
    assert_eq!(scene.keys_of(id).0, Some(app.join(".git").display().to_string()));
    // A directory that was its own project stays one.
    let plain = scene.dir("plain");
    scene.work("s-2", &plain, "plainly");
    std::fs::remove_dir_all(&plain).expect("removed");
    scene.event("s-1", &plain, "PostToolUse", json!({"tool_name": "Bash", "tool_use_id": "p", "tool_input": {"command": "true plainly"}, "tool_response": {}}));
    assert_eq!(scene.projects(&app).len(), 2);
}
