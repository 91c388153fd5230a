//! `nudge ask`: the choice of a model, the server, and a run from the prompt to the answer.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use insta::assert_snapshot;
use nudge_testkit::scripted_model::Step;
use nudge_testkit::{Outcome, ScriptedModel, Terminal, TestHome, until};
use serde_json::Value;

use crate::cli::home;

/// Long, because the machine may be building something else.
const WITHIN: Duration = Duration::from_secs(60);

/// A home with a project, and a model that says what the test wrote down. The server that the first
/// question starts ends with this.
pub(crate) struct Asked {
    pub(crate) home: TestHome,
    pub(crate) dir: PathBuf,
    model: ScriptedModel,
}

impl Asked {
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        let home = home();
        let dir = home.dir("shop");
        home.file("shop/src/router.rs", "pub const PORT: u16 = 8080;\n");
        let model = ScriptedModel::start(steps);
        let url = model.base_url("openai");
        home.run(["model", "add", "local", "openai/scripted-1", "--url", &url, "--context", "8192"]).ok();
        Self { home, dir, model }
    }

    pub(crate) fn run(&self, words: &[&str]) -> Outcome {
        self.home.nudge(words).cwd(&self.dir).run()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command();
        command.args(words).current_dir(&self.dir);
        command
    }

    fn is_served(&self) -> bool {
        self.home.run(["status", "--json"]).json()["running"] == true
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.home.run(["stop"]);
    }
}

fn answer(text: &str) -> Step {
    Step::say(text)
}

/// A model that reads a file and then answers.
fn reader() -> Vec<Step> {
    vec![
        answer("<get path=\"src/router.rs\"/><update status=\"102\">reading</update>"),
        answer("<update status=\"200\">The router listens on 8080 (src/router.rs).</update>"),
    ]
}

/// @cli_ask: without a model, or without a choice, the error teaches what to do, and no server
/// starts.
#[test]
fn a_model_has_to_be_known() {
    let home = home();
    let dir = home.dir("shop");
    let ask = |words: &[&str]| home.nudge([&["ask"], words].concat()).cwd(&dir).run();
    assert_snapshot!("ask_no_model", ask(&["which port?"]).exits(3).page());
    home.run(["model", "add", "a", "openai/x"]).ok();
    assert_snapshot!("ask_unknown_model", ask(&["-m", "nope", "which port?"]).exits(3).page());
    home.run(["model", "add", "b", "openai/y"]).ok();
    assert_snapshot!("ask_several_models", ask(&["which port?"]).exits(2).page());
    assert_eq!(ask(&["which port?", "--json"]).fault(2)["data"]["reason"], "model");
    ask(&[]).exits(2);
    ask(&["-m", "a", " "]).exits(2);
    ask(&["-m", "a", "--fork", "which port?"]).exits(2);
    ask(&["-m", "a", "--persona", "nowhere.txt", "which port?"]).exits(3);
    assert_eq!(home.run(["status", "--json"]).json()["running"], false);
}

/// @cli_ask: the answer is on standard output; everything else is on standard error.
#[test]
fn a_question_is_answered() {
    let asked = Asked::new(reader());
    let outcome = asked.run(&["ask", "--run", "port", "which", "port", "does", "the", "router", "use?"]);
    assert_eq!(outcome.stdout, "The router listens on 8080 (src/router.rs).\n", "{}", outcome.stderr);
    assert_snapshot!("ask_answered", outcome.page());
    assert!(asked.is_served(), "a server was started");
    let request = &asked.model.requests()[0];
    assert!(format!("{request:?}").contains("which port does the router use?"));
    let shown = asked.run(&["run", "show", "port", "--json"]).json();
    assert_eq!(shown["status"], 200);
    asked.model.push(answer("<update status=\"200\">In the same file.</update>"));
    let again = asked.run(&["ask", "--run", "port", "--quiet", "and where is it tested?"]);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("In the same file.\n", ""));
}

/// @cli_ask: `-` adds standard input, and `--json` prints the whole run and nothing else.
#[test]
fn a_program_gets_the_whole_run() {
    let asked = Asked::new(vec![answer("<update status=\"200\">Nothing breaks.</update>")]);
    let words = ["ask", "--json", "what could this break?", "-"];
    let outcome = asked.home.nudge(words).cwd(&asked.dir).stdin("-a\n+b\n").run();
    assert_eq!(outcome.stderr, "");
    let run = outcome.json();
    assert_eq!((&run["status"], &run["summary"]), (&200.into(), &"Nothing breaks.".into()));
    assert_eq!(run["loops"][0]["prompt"], "what could this break?\n\n-a\n+b\n");
    assert!(run["telemetry"]["turns"] == 1, "{run}");
}

/// @cli_ask: no answer, a failure and an answer each have an exit code.
#[test]
fn a_run_without_an_answer_fails() {
    let steps = vec![
        answer("<update status=\"422\">Nothing here says it.</update>"),
        Step::fail(401, r#"{"error":{"message":"bad key"}}"#),
    ];
    let asked = Asked::new(steps);
    assert_snapshot!("ask_no_answer", asked.run(&["ask", "--run", "a", "who?"]).exits(3).page());
    assert_snapshot!("ask_failed", asked.run(&["ask", "--run", "b", "who?"]).exits(1).page());
    asked.model.push(answer("<update status=\"200\">Me.</update>"));
    let resumed = asked.run(&["run", "resume", "b"]);
    assert_eq!(resumed.stdout, "Me.\n", "{}", resumed.stderr);
    asked.run(&["run", "resume", "b"]).exits(6);
}

/// @cli_ask: `--detach` prints the name and returns; `nudge run resume` watches the run.
#[test]
fn a_detached_run_goes_on() {
    let asked = Asked::new(vec![answer("<update status=\"200\">8080.</update>")]);
    let name = asked.run(&["ask", "--detach", "which port is it?"]).ok();
    assert_eq!(name, "which-port-is-it\n");
    let ended = until(WITHIN, || {
        let run = asked.run(&["run", "show", "which-port-is-it", "--json"]).json();
        (run["state"] == "completed").then_some(run)
    });
    assert_eq!(ended["summary"], "8080.");
    asked.model.push(answer("<update status=\"200\">Or 8081.</update>"));
    let forked = asked.run(&["run", "fork", "which-port-is-it", "--name", "other", "and", "now?"]);
    assert_eq!(forked.stdout, "Or 8081.\n", "{}", forked.stderr);
    let asked_again = asked.run(&["run", "show", "which-port-is-it", "--json"]).json();
    assert_eq!(asked_again["loops"].as_array().map(Vec::len), Some(1), "the original stays");
}

/// @cli_ask: Ctrl-C aborts the run.
#[test]
fn ctrl_c_aborts_the_run() {
    let asked = Asked::new(vec![Step::hang_after("The router")]);
    let mut command = asked.command(&["ask", "--run", "port", "which port?"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary under test starts");
    until(WITHIN, || partial(&asked).contains("The router").then_some(()));
    let outcome = interrupted(child);
    assert_eq!(outcome.0, Some(130), "{}", outcome.1);
    assert!(outcome.1.contains("aborted; `nudge run resume port` goes on"), "{}", outcome.1);
    assert_eq!(asked.run(&["run", "show", "port", "--json"]).json()["state"], "aborted");
}

fn partial(asked: &Asked) -> String {
    let run: Value =
        serde_json::from_str(&asked.run(&["run", "show", "port", "--json"]).stdout).expect("JSON");
    run["partial"].as_str().unwrap_or_default().to_owned()
}

/// The exit code and standard error of a command that gets Ctrl-C.
fn interrupted(child: Child) -> (Option<i32>, String) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// @cli_ask: on a terminal, a question of the model is put to the user, and one line changes.
#[test]
fn the_user_answers_a_question() {
    let steps = vec![
        answer("<ask_user question=\"Which router is meant?\">old;new</ask_user>"),
        answer("<update status=\"200\">The new one uses 8081.</update>"),
    ];
    let asked = Asked::new(steps);
    let mut command = asked.command(&["ask", "--run", "port", "which port?"]);
    command.env("TERM", "xterm");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("Which router is meant?");
    terminal.wait_for("an empty line rejects");
    terminal.press("the new one\n");
    terminal.wait_for("The new one uses 8081.");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\u{1b}[2K"), "{screen}");
    let sent = format!("{:?}", asked.model.requests().last());
    assert!(sent.contains("The user answered: the new one"), "{sent}");
}

/// @cli_ask: an empty line rejects the question, which ends the run; without a terminal the model
/// cannot ask.
#[test]
fn a_question_can_be_rejected() {
    let asked = Asked::new(vec![answer("<ask_user question=\"Which router is meant?\"/>")]);
    let mut terminal = Terminal::start(asked.command(&["ask", "--run", "port", "which port?"]));
    terminal.wait_for("an empty line rejects");
    terminal.press("\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(4), "{screen}");
    assert!(screen.contains("the question was rejected"), "{screen}");
    asked.model.push(answer("<update status=\"200\">8080.</update>"));
    asked.run(&["ask", "--run", "other", "which port?"]).ok();
    let sent = format!("{:?}", asked.model.requests().last());
    assert!(!sent.contains("ask_user"), "{sent}");
}

/// @cli_ask: the persona comes from a file, and the flags reach the run.
#[test]
fn a_run_has_a_persona_and_limits() {
    let asked = Asked::new(vec![answer("<update status=\"200\">Arr.</update>")]);
    asked.home.file("shop/pirate.txt", "You are a pirate.\n");
    let words =
        ["ask", "--persona", "pirate.txt", "--temperature", "0.5", "--no-repo", "--no-search", "who?"];
    assert_eq!(asked.run(&words).ok(), "Arr.\n");
    let sent = format!("{:?}", asked.model.requests());
    assert!(sent.contains("You are a pirate.") && !sent.contains("<search"), "{sent}");
    asked.run(&["ask", "--temperature", "3", "who?"]).exits(2);
}
