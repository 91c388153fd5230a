//! Statements as a user sees them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use insta::assert_snapshot;
use nudge_core::Timestamp;
use nudge_testkit::speech::number;
use nudge_testkit::{Outcome, Speech, Terminal, TestHome, memory};
use serde_json::json;

use crate::cli::home;

/// A home with a directory to work in.
struct Scene {
    home: TestHome,
    shop: PathBuf,
    now: Timestamp,
}

impl Scene {
    fn new() -> Self {
        let home = home();
        let shop = home.dir("shop").canonicalize().expect("there");
        std::fs::create_dir(shop.join("frontend")).expect("made");
        Self { shop, home, now: nudge_client::now() }
    }

    fn run(&self, args: &[&str]) -> Outcome {
        self.home.nudge(args).cwd(&self.shop).run()
    }

    /// States something; returns its number.
    fn stated(&self, text: &str) -> String {
        self.run(&["remember", text, "--json"]).json()["statement"]["id"].to_string()
    }

    fn as_agent(&self, args: &[&str]) -> Outcome {
        self.home.nudge(args).env("CLAUDECODE", "1").cwd(&self.shop).run()
    }

    /// The user says something to an agent, `ago` seconds ago.
    fn say(&self, ago: u64, session: &str, text: &str) -> i64 {
        let at = self.now.minus(Duration::from_secs(ago));
        let memory = memory::open(&self.home, self.now);
        number(Speech::prompt(&self.shop, session, at, text).keep(memory.store()))
    }

    fn ask_for(&self, sessions: &[&str], text: &str) -> i64 {
        let memory = memory::open(&self.home, self.now);
        number(Speech::request(&self.shop, sessions, self.now, text).keep(memory.store()))
    }
}

/// @statements_remember, @statements_contradictions: a statement, and the statements it
/// contradicts.
#[test]
fn a_person_states_and_is_reported_of_contradictions() {
    let scene = Scene::new();
    assert_snapshot!(scene.run(&["remember", "run the e2e tests before a push"]).stdout, @"✔ remembered #2 in shop: run the e2e tests before a push");
    assert_snapshot!(scene.run(&["remember", "Run the e2e tests before a push."]).stdout, @"✔ already known as #2 in shop: Run the e2e tests before a push.");
    let vue = ["remember", "vue only", "--directory", "frontend", "--category", "decision"];
    assert_snapshot!(scene.run(&vue).stdout, @r"
    ✔ remembered #4 in shop: vue only
      for: frontend/
    ");
    assert_snapshot!(scene.run(&["remember", "no emoji", "--everywhere"]).stdout, @"✔ remembered #5 in every project: no emoji");
    assert_snapshot!(scene.run(&["remember", "never run the e2e tests before a push"]).stdout, @r"
    ✔ remembered #6 in shop: never run the e2e tests before a push
      it contradicts #2: Run the e2e tests before a push. (you, in shop)
      both apply; `nudge forget 2` removes the older one
    ");
    assert_snapshot!(scene.as_agent(&["remember", "the tests need redis"]).stdout, @"✔ remembered #7 in shop: the tests need redis");
    assert_eq!(scene.run(&["remember", "x", "--category", "rumour"]).code, Some(2));
    assert_eq!(scene.as_agent(&["remember", "x", "--everywhere"]).code, Some(4));
}

/// @statements_correct, @statements_forget, @statements_authority
#[test]
fn a_person_corrects_and_forgets_and_an_agent_proposes() {
    let scene = Scene::new();
    scene.run(&["remember", "deploy with make"]).ok();
    assert_snapshot!(scene.as_agent(&["correct", "2", "deploy with just"]).stdout, @r"
    proposed as 3: the user stated this, and only the user can change it
      nothing changed; the user decides with `nudge review`. Continue with what is stored
    ");
    assert_snapshot!(scene.as_agent(&["forget", "2"]).stdout, @r"
    proposed as 4: the user stated this, and only the user can change it
      nothing changed; the user decides with `nudge review`. Continue with what is stored
    ");
    assert_snapshot!("change_review", scene.run(&["review"]).page());
    assert_snapshot!(scene.run(&["correct", "#2", "deploy with just"]).stdout, @r"
    ✔ corrected; now #5: deploy with just
      #2 is no longer injected: deploy with make
    ");
    assert_snapshot!(scene.run(&["correct", "2", "deploy by hand"]).page(), @r"
    --- stderr
    error: statement 2 is already corrected
    hint: it was replaced by 5
    --- exit 6
    ");
    assert_snapshot!(scene.run(&["forget", "5"]).stdout, @"✔ forgot #5: deploy with just");
    assert_snapshot!(scene.run(&["forget", "5"]).page(), @r"
    --- stderr
    error: statement 5 is already forgotten
    hint: state it again with `nudge remember`
    --- exit 6
    ");
    assert_snapshot!(scene.run(&["knows"]).stdout, @"no statements here; add one with `nudge remember TEXT`");
    assert_eq!(scene.run(&["forget", "99"]).code, Some(3));
}

/// @statements_knows
#[test]
fn what_is_known_is_listed_by_source() {
    let scene = Scene::new();
    scene.run(&["remember", "we use pnpm, never npm"]).ok();
    scene.run(&["remember", "vue only", "--directory", "frontend"]).ok();
    scene.run(&["remember", "no emoji", "--everywhere"]).ok();
    scene.as_agent(&["remember", "the tests need redis"]).ok();
    scene.say(7_300, "s1", "don't amend commits");
    scene.say(3_700, "s2", "don't amend commits");
    scene.say(200_000, "s1", "ask me before you push");
    let old = scene.stated("old ways");
    scene.run(&["correct", &old, "new ways"]).ok();
    let nonsense = scene.stated("nonsense");
    scene.run(&["forget", &nonsense]).ok();
    assert_snapshot!("knows", scene.run(&["knows"]).page());
    assert_snapshot!("knows_all", scene.run(&["knows", "--all"]).page());
    let other = scene.home.nudge(["knows", "--json"]).cwd(scene.home.dir("other")).run().json();
    assert_eq!(other["statements"].as_array().map(Vec::len), Some(1), "{other}");
}

/// @statements_markdown
#[test]
fn what_the_person_stated_is_printed_for_an_agents_file() {
    let scene = Scene::new();
    assert_eq!(scene.run(&["knows", "--markdown"]).stdout, "");
    scene.run(&["remember", "we use pnpm,\nnever npm"]).ok();
    scene.run(&["remember", "vue only", "--directory", "frontend"]).ok();
    scene.run(&["remember", "no emoji", "--everywhere"]).ok();
    scene.as_agent(&["remember", "the tests need redis"]).ok();
    scene.say(60, "s1", "don't amend commits");
    scene.say(50, "s2", "don't amend commits");
    scene.say(40, "s2", "use tabs");
    assert_snapshot!(scene.run(&["knows", "--markdown"]).stdout, @r"
    ## In this project

    - we use pnpm, never npm
    - don't amend commits

    ## In `frontend/`

    - vue only

    ## In every project

    - no emoji
    ");
    assert!(!Path::new(&scene.shop).join("AGENTS.md").exists());
}

/// @statements_review: from a list, and by number.
#[test]
fn proposals_are_listed_and_decided_by_number() {
    let scene = Scene::new();
    scene.run(&["remember", "run the e2e tests"]).ok();
    let against = scene.say(90, "s1", "never run the e2e tests").to_string();
    let twice = scene.say(80, "s1", "don't amend commits").to_string();
    scene.say(70, "s2", "Don't amend commits");
    let routine = scene.ask_for(&["s1", "s2", "s3"], "commit and update the changelog").to_string();
    let short = scene.say(60, "s1", "no npm pls").to_string();
    assert_snapshot!("review", scene.run(&["review"]).page());
    let reworded = scene.run(&["review", "accept", &short, "--text", "use pnpm, not npm"]);
    assert_snapshot!(reworded.stdout, @"✔ accepted: #8 use pnpm, not npm");
    assert_snapshot!(scene.run(&["review", "accept", &against, &routine, "99"]).page(), @r"
    ✔ accepted: #10 never run the e2e tests
      it takes the place of #2: run the e2e tests
    ✔ accepted: #15 commit and update the changelog
    error: 99: there is no proposal 99
    --- exit 3
    ");
    assert_snapshot!(scene.run(&["review", "drop", &twice]).stdout, @"✔ dropped 4: don't amend commits");
    assert_snapshot!(scene.run(&["review"]).stdout, @"nothing to review");
    assert_snapshot!("review_decided", scene.run(&["review", "--all"]).page());
    assert_eq!(scene.run(&["review", "accept", "3", "5", "--text", "x"]).code, Some(2));
    assert_eq!(scene.as_agent(&["review"]).code, Some(4));
}

/// @statements_review: in a terminal, one key per proposal.
#[test]
fn in_a_terminal_one_key_decides() {
    let scene = Scene::new();
    scene.run(&["remember", "use tabs", "--everywhere"]).ok();
    let said = ["rule one", "rule two", "rule three", "rule four", "rule five"];
    for (place, text) in said.iter().enumerate() {
        scene.say(100 - place as u64, "s1", &format!("always follow {text}, number {place}"));
    }
    let mut command = scene.home.command();
    command.arg("review").current_dir(&scene.shop);
    let mut terminal = Terminal::start(command);
    terminal.wait_for("(1 of 5)");
    terminal.press("xa");
    terminal.wait_for("accepted: ");
    terminal.wait_for("(2 of 5)");
    terminal.press("d");
    terminal.wait_for("dropped ");
    terminal.wait_for("(3 of 5)");
    terminal.press("e");
    terminal.wait_for("in your words: ");
    terminal.press("follow rule three\n");
    terminal.wait_for("accepted: ");
    terminal.wait_for("(4 of 5)");
    terminal.press("s");
    terminal.wait_for("(5 of 5)");
    terminal.press("q");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let waiting = scene.run(&["review", "--json"]).json();
    assert_eq!(waiting["proposals"].as_array().map(Vec::len), Some(2));
    let known = scene.run(&["knows", "--json"]).json();
    let texts: Vec<_> =
        known["statements"].as_array().into_iter().flatten().map(|one| &one["text"]).collect();
    assert_eq!(
        texts,
        [&json!("follow rule three"), &json!("always follow rule five, number 4"), &json!("use tabs")]
    );
}

/// @statements_silence
#[test]
fn a_person_stops_and_starts_showing_an_entry() {
    let scene = Scene::new();
    scene.run(&["remember", "use tabs"]).ok();
    assert_snapshot!(scene.run(&["stop-showing", "2"]).stdout, @r"
    ✔ #2 is no longer injected in shop: use tabs
      `nudge stop-showing 2 --again` shows it again
    ");
    assert_snapshot!(scene.run(&["stop-showing", "#2"]).stdout, @r"
    ✔ #2 was already hidden in shop: use tabs
      `nudge stop-showing 2 --again` shows it again
    ");
    assert_snapshot!(scene.run(&["knows"]).stdout, @"no statements here; add one with `nudge remember TEXT`");
    assert_snapshot!(scene.run(&["stop-showing", "2", "--again"]).stdout, @"✔ #2 may be injected in shop again: use tabs");
    assert_snapshot!(scene.run(&["stop-showing", "2", "--everywhere"]).stdout, @r"
    ✔ #2 is no longer injected in every project: use tabs
      `nudge stop-showing 2 --again` shows it again
    ");
    assert_eq!(scene.as_agent(&["stop-showing", "2"]).code, Some(4));
    assert_eq!(scene.run(&["stop-showing", "99"]).code, Some(3));
    assert_eq!(scene.run(&["stop-showing", "x"]).code, Some(2));
}

/// @statements_show: a statement and a proposal are shown as readable pages.
#[test]
fn a_statement_and_a_proposal_are_shown() {
    let scene = Scene::new();
    let old = scene.stated("deploy with make");
    scene.run(&["correct", &old, "deploy with just"]).ok();
    scene.say(60, "s1", "never amend commits");
    let said = scene.say(30, "s2", "never amend commits").to_string();
    let shown = scene.run(&["show", &old, &said]).page();
    assert_snapshot!(shown, @r#"
    2  statement (fact)  [TIME]
      deploy with make
    state: corrected; replaced by #3
    for: shop
    stated by: you, in shop
    said: 1 time; last [TIME] (remember)

        5  statement "never amend commits"
           said 2 times in 2 sessions, injected; last [TIME]
           in   shop
    "#);
    assert_eq!(scene.run(&["show", "999"]).code, Some(3));
    let json = scene.run(&["show", &said, "--json"]).json();
    assert_eq!((&json[0]["kind"], &json[0]["text"]), (&json!("statement"), &json!("never amend commits")));
    assert!(scene.as_agent(&["show", &said]).code != Some(0), "what waits is the person's to read");
}
