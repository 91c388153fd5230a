//! Questions of a model to the user.

use insta::assert_snapshot;
use nudge_testkit::Terminal;

use crate::kit::{RUN, Scene, ends, says};

fn asks() -> crate::kit::Move {
    says(
        "<ask_user question=\"Which router is meant?\">old;new</ask_user><update status=\"102\">wait</update>",
    )
}

/// @run_questions @run_states: a question pauses the loop with 202, and the answer is passed on.
#[test]
fn the_user_answers() {
    let scene = Scene::new(vec![asks(), ends("The new one listens on 8081.")]);
    scene.note("$ nudge ask 'which is it?'  (on a terminal)");
    let mut terminal = Terminal::start(scene.command(&["ask", "--run", RUN, "which is it?"]));
    terminal.wait_for("an empty line rejects");
    let waiting = scene.view(RUN);
    scene.note(&format!(
        "the run is {} {} and waits for {}",
        waiting["state"], waiting["status"], waiting["waits_for"]["path"]
    ));
    terminal.press("the new one\n");
    assert_eq!(terminal.end().0, Some(0));
    scene.packet(2, &["The user answered"]);
    assert_snapshot!(scene.story());
}

/// @run_questions: a question that the user rejects ends the loop; the calls after it are aborted.
#[test]
fn the_user_rejects() {
    let scene = Scene::new(vec![
        says(
            "<ask_user question=\"May I guess?\"/><get path=\"README.md\"/><update status=\"200\">x</update>",
        ),
        ends("Never said."),
    ]);
    scene.note("$ nudge ask 'which is it?'  (on a terminal)");
    let mut terminal = Terminal::start(scene.command(&["ask", "--run", RUN, "which is it?"]));
    terminal.wait_for("an empty line rejects");
    terminal.press("\n");
    let code = terminal.end().0;
    scene.note(&format!("the user presses Enter; the command ends with {code:?}"));
    assert_eq!(scene.model.requests().len(), 1);
    assert_snapshot!(scene.story());
}

/// @run_questions @run_tools: with `--no-interaction` the tool is not in the prompt, and a call of
/// it is refused.
#[test]
fn nobody_can_answer() {
    let scene = Scene::new(vec![asks(), ends("I decide by myself: 8080.")]);
    scene.ask_with(&["--no-interaction"], "which is it?").ok();
    let system = &scene.model.requests()[0].system;
    let tools = system.lines().find(|line| line.starts_with("Tools:")).expect("a line of tools");
    scene.note(tools);
    assert!(!system.contains("ask_user"), "{system}");
    assert_snapshot!(scene.story());
}
