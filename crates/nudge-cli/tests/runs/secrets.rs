//! Secrets: in prompts and answers, and the key of the provider.

use std::path::Path;

use insta::assert_snapshot;

use crate::runs::kit::{Scene, Setup, ends, fails, goes_on};

/// The shape of a key that the detector knows.
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Every file below a directory that holds a text.
fn holding(dir: &Path, text: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            holding(&path, text, found);
        } else if let Ok(bytes) = std::fs::read(&path)
            && String::from_utf8_lossy(&bytes).contains(text)
        {
            found.push(path.display().to_string());
        }
    }
}

/// @run_tables @run_memory: a secret in a prompt or an answer is redacted in the store.
#[test]
fn a_secret_is_not_stored() {
    let scene = Scene::new(vec![ends(&format!("Rotate {TOKEN} now."))]);
    scene.ask(&format!("is {TOKEN} still valid?")).ok();
    let mut found = Vec::new();
    holding(&scene.home.memory(), TOKEN, &mut found);
    assert_eq!(found, Vec::<String>::new());
    let story = scene.story();
    // The first lines are what was typed and said; the rest is what is stored.
    assert_snapshot!(story.replace(TOKEN, "ghp_TOKEN"));
}

/// @run_memory: credentials in files do not reach the provider: not by the search for the prompt,
/// not when the model asks for the file.
#[test]
fn a_credential_in_a_file_stays_here() {
    let scene = Scene::new(vec![goes_on("<get path=\".env\"/>"), ends("There is one, and it is hidden.")]);
    scene.home.file("shop/.env", &format!("# the token of the robot\nROBOT_TOKEN={TOKEN}\nROBOT_NAME=Ada\n"));
    scene.ask("which token has the robot?").ok();
    for request in scene.model.requests() {
        assert!(!request.body.to_string().contains(TOKEN), "{}", request.user);
    }
    scene.packet(1, &["ROBOT_TOKEN", "ROBOT_NAME"]);
    scene.packet(2, &["ROBOT_TOKEN", "ROBOT_NAME"]);
    assert_snapshot!(scene.story());
}

/// @model_keys: the key of a provider goes out as a header, and is in no file, answer or log.
#[test]
fn the_key_of_the_provider_is_nowhere() {
    let key = "sk-proj-Zx81Qm27Lp55Tn09Vb34";
    let said = format!(r#"{{"error":{{"message":"Incorrect API key provided: {key}"}}}}"#);
    let setup = Setup { env: &[("OPENAI_API_KEY", key)], ..Setup::default() };
    let scene = Scene::set_up(&setup, vec![ends("Tea."), fails(401, &said)]);
    let first = scene.ask("what is sold?");
    let second = scene.ask("and why?");
    assert_eq!(scene.model.requests()[0].authorization.as_deref(), Some("Vb34"));
    for outcome in [&first, &second] {
        assert!(!format!("{outcome:?}").contains(key), "{outcome:?}");
    }
    let mut found = Vec::new();
    holding(scene.home.path(), key, &mut found);
    assert_eq!(found, Vec::<String>::new());
    assert_snapshot!(scene.story().replace(key, "(the key)"));
}
