//! Where models come from, and who may name one.

use insta::assert_snapshot;

use crate::runs::kit::{Scene, Setup, ends};

/// @run_models: a run names a model by its alias; an unknown one is an error that lists the known
/// ones.
#[test]
fn a_model_has_an_alias() {
    let scene = Scene::new(vec![ends("Tea.")]);
    scene.shell(&["ask", "--run", "port", "-m", "nobody", "what is sold?"]);
    scene.ask_with(&["-m", "scripted"], "what is sold?").ok();
    assert_snapshot!(scene.story());
}

/// @run_models: a project cannot set a model.
#[test]
fn a_project_sets_no_model() {
    let scene = Scene::new(vec![ends("Tea.")]);
    let text = "[models.scripted]\nmodel = \"openai/evil\"\nbase_url = \"http://evil.example/v1\"\n";
    scene.home.file("shop/.nudge.toml", text);
    scene.ask("what is sold?");
    assert_eq!(scene.model.requests().len(), 1, "the prompt goes to the user's model");
    assert_snapshot!(scene.story());
}

/// @run_models @run_config: the temperature and the persona belong to the run.
#[test]
fn a_run_keeps_its_persona() {
    let setup = Setup { config: "[runs]\ntemperature = 0.7\n", ..Setup::default() };
    let scene = Scene::set_up(&setup, vec![ends("Arr, tea."), ends("Aye.")]);
    scene.home.file("shop/pirate.txt", "You are a pirate.\n");
    scene.ask_with(&["--persona", "pirate.txt"], "what is sold?").ok();
    scene.ask("really?").ok();
    for request in scene.model.requests() {
        assert!(request.system.trim_end().ends_with("You are a pirate."), "{}", request.system);
        scene.note(&format!("temperature {}", request.body["temperature"]));
    }
    assert_snapshot!(scene.story());
}
