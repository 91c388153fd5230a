//! Questions of a model to the user.

use insta::assert_snapshot;
use nudge_testkit::Terminal;
use serde_json::json;

use crate::runs::kit::{RUN, Scene, ends, says};
use crate::runs::socket::Socket;

fn asks() -> crate::runs::kit::Move {
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

/// @run_questions @run_update: a program that cannot pass a question on says so: the call failed,
/// and the run goes on.
#[test]
fn a_question_cannot_be_passed_on() {
    let scene = Scene::new(vec![
        says(
            "<ask_user question=\"May I guess?\"/><get path=\"README.md\"/><update status=\"200\">x</update>",
        ),
        ends("I guess: 8080."),
    ]);
    let mut socket = Socket::of_user(&scene);
    socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
    socket.call("ask", json!({"prompt": "which is it?", "model": "scripted", "run": RUN}));
    socket.listen_until(|note| note["method"] == "run/proposal");
    let wrong = socket.ask("run/resolve", json!({"run": RUN, "resolution": {"action": "later"}}));
    assert_eq!(wrong["error"]["data"]["reason"], "action", "{wrong}");
    let resolution = json!({"action": "error", "output": "the editor was closed"});
    socket.call("run/resolve", json!({"run": RUN, "resolution": resolution}));
    scene.wait_for_end(RUN);
    assert_snapshot!(scene.story());
}

/// @run_tools: without the web `search` stays, because it looks in memory and in files; it is left
/// out by its own name.
#[test]
fn search_is_no_search_of_the_web() {
    let scene = Scene::new(vec![ends("Tea."), ends("Tea.")]);
    let mut socket = Socket::open(&scene);
    for (number, flag, has_search) in [(1, "noWeb", true), (2, "noSearch", false)] {
        let run = format!("r{number}");
        socket.call(
            "ask",
            json!({"prompt": "what does the router do?", "model": "scripted", "run": run, flag: true}),
        );
        scene.wait_for_end(&run);
        let request = scene.model.requests().pop().expect("a request");
        let tools = request.system.lines().find(|line| line.starts_with("Tools:")).expect("a line of tools");
        assert_eq!(tools.contains("search"), has_search, "{flag}: {tools}");
        assert_eq!(request.user.contains("src/router.rs:"), has_search, "{flag}: {}", request.user);
    }
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

/// Starts a run that somebody can answer later.
fn begin(scene: &Scene, run: &str) {
    let path = format!("run://{run}");
    scene.run(&["entry", "set", &path, "which is it?", "--attr", "model=scripted"]).ok();
}

/// @run_fork @run_questions: a copy does not ask again what the original waits for, and has nothing
/// to go on with.
#[test]
fn a_copy_does_not_wait() {
    let scene = Scene::new(vec![asks()]);
    begin(&scene, RUN);
    scene.wait(RUN, |view| view["status"] == 202);
    scene.shell(&["run", "fork", RUN, "--name", "copy"]);
    assert_eq!(scene.view("copy")["waits_for"], serde_json::Value::Null);
    scene.shell(&["run", "resume", "copy"]);
    assert_eq!(scene.view(RUN)["status"], 202);
    assert_snapshot!(scene.page());
}

/// @run_questions: runs that wait for the user keep no other run from being answered.
#[test]
fn waiting_runs_take_no_place() {
    let mut moves: Vec<_> = (0..9).map(|_| asks()).collect();
    moves.push(ends("It is 8080."));
    let scene = Scene::new(moves);
    for number in 0..9 {
        begin(&scene, &format!("w{number}"));
    }
    for number in 0..9 {
        scene.wait(&format!("w{number}"), |view| view["status"] == 202);
    }
    scene.ask("which is it?").ok();
}
