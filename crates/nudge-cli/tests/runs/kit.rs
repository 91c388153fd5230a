//! A project, a scripted model, and the program between them.

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nudge_testkit::scripted_model::{Say, Step};
use nudge_testkit::{Outcome, ScriptedModel, TestHome, git, until};
use serde_json::Value;

use crate::runs::tell::{Said, one_line, shown, tell};

/// How long anything may take. Generous, because the machine may be busy building.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);

/// The name of the run in most stories.
pub(crate) const RUN: &str = "port";

/// A step of the model, with the words for it in the story.
#[derive(Clone)]
pub(crate) struct Move {
    step: Step,
    words: String,
}

impl Move {
    /// A step, named in these words.
    pub(crate) fn scripted(step: impl Into<Step>, words: &str) -> Self {
        Self { step: step.into(), words: words.to_owned() }
    }

    /// An answer that is changed before it is sent.
    pub(crate) fn say(text: &str, change: impl Fn(Say) -> Say) -> Self {
        Self::scripted(change(Say::new(text)), text)
    }
}

/// The model says this.
pub(crate) fn says(text: &str) -> Move {
    Move::say(text, |say| say)
}

/// The model says this and reports no usage, so that estimates count.
pub(crate) fn says_uncounted(text: &str) -> Move {
    Move::say(text, |say| say.tokens(None))
}

/// The model goes on after these calls.
pub(crate) fn goes_on(calls: &str) -> Move {
    says(&format!("{calls}<update status=\"102\">next</update>"))
}

/// The model ends with this answer.
pub(crate) fn ends(answer: &str) -> Move {
    says(&format!("<update status=\"200\">{answer}</update>"))
}

/// The provider answers with an error.
pub(crate) fn fails(status: u16, body: &str) -> Move {
    Move::scripted(Step::fail(status, body), &format!("(HTTP {status}) {body}"))
}

/// The model says this, and then nothing more.
pub(crate) fn hangs(text: &str) -> Move {
    Move::scripted(Step::hang_after(text), &format!("{text}… (and then nothing)"))
}

/// What differs from the usual setup.
pub(crate) struct Setup<'s> {
    /// The provider whose protocol the model speaks.
    pub(crate) provider: &'s str,
    /// More lines for the model in `config.toml`.
    pub(crate) model: &'s str,
    /// More tables in `config.toml`.
    pub(crate) config: &'s str,
    /// Variables of the server.
    pub(crate) env: &'s [(&'s str, &'s str)],
    /// Whether the address of the model is configured.
    pub(crate) has_address: bool,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { provider: "openai", model: "context = 8192\n", config: "", env: &[], has_address: true }
    }
}

/// One story. Its server ends with it.
pub(crate) struct Scene {
    pub(crate) home: TestHome,
    pub(crate) dir: PathBuf,
    pub(crate) model: ScriptedModel,
    words: RefCell<Vec<String>>,
    page: RefCell<String>,
    env: Vec<(String, String)>,
    /// Takes the runs of a story that failed.
    pub(crate) report: fn(&str),
}

impl Scene {
    /// A shop with a router, and a model that makes these moves.
    pub(crate) fn new(moves: Vec<Move>) -> Self {
        Self::set_up(&Setup::default(), moves)
    }

    /// The same with another setup.
    pub(crate) fn set_up(setup: &Setup<'_>, moves: Vec<Move>) -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        let dir = home.dir("shop").canonicalize().expect("a directory");
        git::repository(&dir, None, "main");
        home.file("shop/src/router.rs", ROUTER);
        home.file("shop/README.md", "# Shop\n\nThe shop sells tea.\n");
        let model = ScriptedModel::start(Vec::new());
        let mut config =
            format!("[models.scripted]\nmodel = \"{}/scripted-1\"\n{}", setup.provider, setup.model);
        if setup.has_address {
            config.push_str(&format!("base_url = \"{}\"\n", model.base_url(setup.provider)));
        }
        config.push_str(setup.config);
        home.file(".config/nudge/config.toml", &config);
        let env = setup.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (words, page) = (RefCell::default(), RefCell::default());
        let scene = Self { home, dir, model, words, page, env, report: print };
        moves.into_iter().for_each(|step| scene.push(step));
        scene.serve();
        scene
    }

    /// Starts the server.
    pub(crate) fn serve(&self) {
        let mut call = self.home.nudge(["serve", "--daemon"]).cwd(&self.dir);
        for (name, value) in &self.env {
            call = call.env(name, value);
        }
        call.run().ok();
    }

    /// Adds a move of the model.
    pub(crate) fn push(&self, step: Move) {
        self.words.borrow_mut().push(step.words);
        self.model.push(step.step);
    }

    /// Runs a command in the project.
    pub(crate) fn run(&self, words: &[&str]) -> Outcome {
        self.home.nudge(words).cwd(&self.dir).run()
    }

    /// A command in the project, not started yet.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command();
        command.args(words).current_dir(&self.dir);
        command
    }

    /// Runs a command and adds its page to the story.
    pub(crate) fn shell(&self, words: &[&str]) {
        let page = self.run(words).page();
        self.note(&format!("$ nudge {}\n{}", shell_words(words), page.trim_end()));
    }

    /// Asks the run of the story, and waits for its end.
    pub(crate) fn ask(&self, prompt: &str) -> Outcome {
        self.ask_with(&[], prompt)
    }

    /// The same with more flags.
    pub(crate) fn ask_with(&self, flags: &[&str], prompt: &str) -> Outcome {
        let outcome = self.run(&[&["ask", "--json", "--run", RUN], flags, &[prompt]].concat());
        let code = outcome.code.filter(|code| *code != 0);
        let exit = code.map(|code| format!("  (exit code {code})")).unwrap_or_default();
        let words = shell_words(&[flags, &[one_line(prompt, 90).as_str()]].concat());
        self.note(&format!("$ nudge ask {words}{exit}"));
        outcome
    }

    /// Asks the run of the story, and does not wait.
    pub(crate) fn ask_detached(&self, prompt: &str) {
        self.run(&["ask", "--detach", "--run", RUN, prompt]).ok();
        self.note(&format!("$ nudge ask --detach '{prompt}'"));
    }

    /// Adds a line to the story.
    pub(crate) fn note(&self, line: &str) {
        let mut page = self.page.borrow_mut();
        page.push_str(&shown(line, self.home.path()));
        page.push('\n');
    }

    /// Adds the lines of a request that have one of these texts.
    pub(crate) fn packet(&self, request: usize, texts: &[&str]) {
        let requests = self.model.requests();
        let packet = &requests.get(request - 1).expect("a request").user;
        self.note(&format!("in packet {request}:"));
        for line in packet.lines().filter(|line| texts.iter().any(|text| line.contains(text))) {
            self.note(&format!("  | {}", one_line(line, 150)));
        }
    }

    /// The run as `get_run` shows it.
    pub(crate) fn view(&self, run: &str) -> Value {
        let shown = self.run(&["run", "show", run, "--json"]);
        serde_json::from_str(&shown.stdout).expect("a run")
    }

    /// Waits until the run is as wanted.
    #[track_caller]
    pub(crate) fn wait(&self, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        until(WITHIN, || Some(self.view(run)).filter(|view| wanted(view)))
    }

    /// Waits until no prompt of the run is open.
    #[track_caller]
    pub(crate) fn wait_for_end(&self, run: &str) -> Value {
        self.wait(run, |view| !matches!(view["state"].as_str(), Some("queued" | "running" | "proposed")))
    }

    /// Waits until the model got this many requests.
    #[track_caller]
    pub(crate) fn wait_for_requests(&self, count: usize) {
        assert!(self.model.wait_for_requests(count, WITHIN), "{:?}", self.model.requests().len());
    }

    /// Adds a run to the story, turn by turn. `number` is its place among the runs of the home.
    pub(crate) fn tell(&self, run: &str, number: usize) {
        let page = tell(&self.view(run), &self.said(number));
        self.note(page.trim_end());
    }

    /// What the model said in each turn of a run.
    fn said(&self, run: usize) -> Said {
        let words = self.words.borrow();
        let mut said = Said::default();
        for (index, request) in self.model.requests().iter().enumerate() {
            let key = request.idempotency_key.clone().unwrap_or_default();
            let mut parts = key.rsplit('-').map(str::parse::<usize>);
            let (turn, of) = (parts.next(), parts.next());
            let (Some(Ok(turn)), Some(Ok(of))) = (turn, of) else { panic!("the key {key}") };
            if of == run {
                let text = words.get(index).map_or("(nothing is left to say)", String::as_str);
                said.entry(turn as u64).or_default().push(text.to_owned());
            }
        }
        said
    }

    /// The story so far.
    pub(crate) fn page(&self) -> String {
        self.page.borrow().clone()
    }

    /// The whole story of the run.
    pub(crate) fn story(&self) -> String {
        self.tell(RUN, 1);
        self.page()
    }
}

#[expect(clippy::print_stderr, reason = "a test that fails says what its runs did")]
fn print(page: &str) {
    eprintln!("{page}");
}

/// Every run, turn by turn.
fn dump(scene: &Scene) -> String {
    let listed: Value = serde_json::from_str(&scene.run(&["run", "ls", "--json"]).stdout).unwrap_or_default();
    let names = listed["runs"].as_array().into_iter().flatten().filter_map(|run| run["run"].as_str());
    names.map(|run| format!("run {run}\n{}", scene.run(&["run", "show", run, "--turns"]).page())).collect()
}

impl Drop for Scene {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.report)(&dump(self));
        }
        self.home.run(["stop"]);
    }
}

/// The file that most stories are about.
const ROUTER: &str = "\
pub const PORT: u16 = 8080;

/// The router.
pub fn route(path: &str) -> &str {
    path.trim_end_matches('/')
}
";

/// Words as somebody would type them.
fn shell_words(words: &[&str]) -> String {
    let quoted = |word: &&str| match word.contains([' ', '*', '?', '<', '#']) {
        true => format!("'{word}'"),
        false => (*word).to_owned(),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
