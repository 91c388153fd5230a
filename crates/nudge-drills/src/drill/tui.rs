//! `nudge tui` in a real terminal: keys move through its four views, and the screen shows the
//! contents of the memory.
//! Shows @tui.
//!
//! Hooks and commands fill the memory at a fixed time, so that the picture is the same in every
//! run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::Timestamp;
use regex::Regex;
use serde_json::Value;

use crate::agents::demo::screen;
use crate::agents::demo::screen::{Line, parse};
use crate::agents::terminal::{Terminal, run_in_terminal};
use crate::args::Product;
use crate::drill::desktop::{ClaudeSession, Desktop};
use crate::repository;
use crate::stage::Violations;

const COLUMNS: u16 = 100;

const ROWS: u16 = 30;

/// The smallest terminal that the browser must survive.
const SMALL_SCREEN: (u16, u16) = (40, 10);

const TITLE: &str = "nudge tui: sessions, search, review and why";

/// Time for a resized program to draw again.
const REDRAW_TIME: Duration = Duration::from_millis(700);

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    product: Product,
    /// Where the picture goes.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the drill.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let out = options.out.clone().unwrap_or_else(|| repository::root().join("target/tui.svg"));
    let began = Instant::now();
    let history = History::play(&options.product.path()?)?;
    let mut visit =
        Visit { terminal: start(&history)?, violations: Violations::default(), pictures: Vec::new() };
    visit.sessions()?;
    visit.search()?;
    visit.review(&history)?;
    visit.why()?;
    visit.check_small_terminal()?;
    visit.leave(&["q"], 0)?;
    visit.check_signal(&history)?;
    let picture = screen::draw(TITLE, &visit.pictures);
    if let Some(dir) = out.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&out, picture)?;
    println!("{:.0} s; the picture is {}", began.elapsed().as_secs_f64(), out.display());
    Ok(visit
        .violations
        .close("nudge tui shows and decides what is in the memory, and gives the terminal back"))
}

/// Starts the browser in a shell, which afterwards reports its exit code and the state of the
/// terminal.
fn start(history: &History) -> anyhow::Result<Terminal> {
    let nudge = history.desktop.nudge(&["tui"], &history.root);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("\"$0\" \"$@\"; echo \"left with $?\"; stty -a; sleep 600");
    shell.arg(nudge.get_program()).args(nudge.get_args()).current_dir(&history.root).env_clear();
    for (name, value) in nudge.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    shell.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    Terminal::start_sized(&shell, COLUMNS, ROWS)
}

/// A user's way through the views.
struct Visit {
    terminal: Terminal,
    violations: Violations,
    pictures: Vec<Vec<Line>>,
}

impl Visit {
    fn sessions(&mut self) -> anyhow::Result<()> {
        self.terminal.wait_for(GOAL)?;
        self.terminal.wait_for("Review (")?;
        self.terminal.press(&["j"])?;
        self.terminal.wait_for("commits   1")?;
        self.shows("sessions", &["1 Sessions", "claude", "enter trace", "q quit"])?;
        self.picture()?;
        self.terminal.press(&["Enter"])?;
        self.terminal.wait_for("docker compose up -d db")?;
        self.shows("the trace", &["user", "command_error", "git_commit"])?;
        self.terminal.press(&["Escape"])?;
        self.terminal.wait_for("enter trace")
    }

    fn search(&mut self) -> anyhow::Result<()> {
        self.terminal.press(&["Tab"])?;
        self.terminal.wait_for("Type to search")?;
        self.terminal.write("econnrefused")?;
        self.terminal.wait_for("command_error")?;
        self.shows("the results", &["search: econnrefused", ERROR])?;
        self.picture()?;
        self.terminal.press(&["Enter"])?;
        self.terminal.wait_for("Output")?;
        self.shows("the entry", &["pnpm test", ERROR])?;
        self.terminal.press(&["Escape", "Escape"])?;
        self.terminal.wait_for("Type to search")
    }

    fn review(&mut self, history: &History) -> anyhow::Result<()> {
        self.terminal.press(&["Tab"])?;
        self.terminal.wait_for("a accept")?;
        // Pasted text must not act as keys.
        self.terminal.paste("aaa")?;
        self.terminal.wait_for("pasted text was ignored")?;
        self.terminal.press(&["g"])?;
        self.select(ACCEPTED)?;
        self.shows("the proposal", &["now", "new"])?;
        self.picture()?;
        self.terminal.press(&["a"])?;
        self.terminal.wait_for("✔ accepted")?;
        self.terminal.press(&["g"])?;
        self.select(DROPPED)?;
        self.terminal.press(&["d"])?;
        self.terminal.wait_for("✔ dropped")?;
        self.violations.unless(history.hint_value()? == "5433", "the accepted change is not in the memory");
        Ok(())
    }

    /// Moves down to the proposal with this text.
    fn select(&self, text: &str) -> anyhow::Result<()> {
        for _ in 0..8 {
            let screen = self.terminal.screen()?;
            if screen.lines().any(|line| line.contains('▌') && line.contains(text)) {
                return Ok(());
            }
            self.terminal.press(&["Down"])?;
        }
        anyhow::bail!("no proposal says {text:?}:\n{}", self.terminal.screen()?)
    }

    fn why(&mut self) -> anyhow::Result<()> {
        self.terminal.press(&["4"])?;
        self.terminal.wait_for("entry and reason")?;
        self.shows("the injections", &["tokens", "on startup"])?;
        self.picture()?;
        self.terminal.press(&["p"])?;
        self.terminal.wait_for("all projects")?;
        self.terminal.wait_for("till")?;
        self.terminal.press(&["p"])
    }

    /// Shows every view in a terminal that is far too small, and again in the first size.
    fn check_small_terminal(&mut self) -> anyhow::Result<()> {
        self.terminal.resize(SMALL_SCREEN.0, SMALL_SCREEN.1)?;
        for key in ["1", "Enter", "Escape", "2", "Tab", "4", "Enter", "Escape", "1"] {
            self.terminal.press(&[key])?;
            std::thread::sleep(REDRAW_TIME / 3);
            self.shows("a small terminal", &["Sessions"])?;
        }
        self.terminal.resize(COLUMNS, ROWS)?;
        std::thread::sleep(REDRAW_TIME);
        self.terminal.wait_for(GOAL)
    }

    /// Leaves the browser with these keys; checks its exit code, and that the terminal is as
    /// before.
    fn leave(&mut self, keys: &[&str], code: i32) -> anyhow::Result<()> {
        self.terminal.press(keys)?;
        self.terminal.wait_for(&format!("left with {code}"))?;
        self.is_restored()
    }

    fn is_restored(&mut self) -> anyhow::Result<()> {
        let screen = self.terminal.screen()?;
        for mode in ["icanon", "echo", "isig"] {
            let is_on = Regex::new(&format!(r"(?:^|\s){mode}\b"))?.is_match(&screen);
            self.violations.unless(is_on, format!("{mode} is off afterwards: {screen}"));
        }
        self.violations
            .unless(!screen.contains("1 Sessions"), format!("its screen is still there: {screen}"));
        Ok(())
    }

    /// A signal ends the browser as `q` does.
    fn check_signal(&mut self, history: &History) -> anyhow::Result<()> {
        self.terminal = start(history)?;
        self.terminal.wait_for(GOAL)?;
        let browser = last_descendant(self.terminal.process()?)?;
        let browser = rustix::process::Pid::from_raw(browser).context("a process has a number")?;
        rustix::process::kill_process(browser, rustix::process::Signal::TERM)?;
        self.leave(&[], 0)
    }

    fn shows(&mut self, what: &str, words: &[&str]) -> anyhow::Result<()> {
        let screen = self.terminal.screen()?;
        for word in words {
            self.violations.unless(screen.contains(word), format!("{what}: no {word:?} in\n{screen}"));
        }
        Ok(())
    }

    fn picture(&mut self) -> anyhow::Result<()> {
        let screen = self.terminal.coloured_screen()?;
        println!("{}", self.terminal.screen()?);
        self.pictures.push(parse(screen.trim_end()));
        Ok(())
    }
}

/// The process at the end of a chain: between the shell and the browser there may be a program that
/// sets a fake clock.
fn last_descendant(process: u32) -> anyhow::Result<i32> {
    let mut process = i32::try_from(process)?;
    loop {
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"))?;
        match children.split_whitespace().next() {
            Some(child) => process = child.parse()?,
            None => return Ok(process),
        }
    }
}

// The contents of the memory before the browser opens: four sessions in one project, one in
// another, a hint and proposals.

/// The subject of the newest session.
const GOAL: &str = "why is the total wrong when a voucher is used";

/// Why the tests fail.
const ERROR: &str = "ECONNREFUSED 127.0.0.1:5432";

/// A change that an agent proposes, and an instruction that the user gave.
const ACCEPTED: &str = "database/port";

const DROPPED: &str = "pnpm";

/// 9 November 2026, 08:40 in UTC.
const BEGINS_AT: i64 = 1_794_213_600_000;

const TESTS: &str = "pnpm test";

const FAILED: &str = "Exit code 1\n FAIL  src/cart.test.ts\nError: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)\n 1 failed, 23 passed";

const PASSED: &str = " 24 passed";

const DATABASE: &str = "docker compose up -d db";

/// Earlier sessions: id, goal, changed file and commit.
const EARLIER: [(&str, &str, &str, &str); 4] = [
    ("01979a10-2b6c-7d11", "add a dark theme to the checkout", "src/theme.ts", "Add a dark theme"),
    ("01979e33-71f0-7a92", "make the product search faster", "src/search.ts", "Search products by prefix"),
    (
        "0197a0c8-55de-7b43",
        "send a mail when an order ships",
        "src/mail.ts",
        "Send a mail when an order ships",
    ),
    ("0197a3c1-6f1e-7c04", "let the cart hold gift cards", "src/cart.ts", "Hold gift cards"),
];

/// The machine, and the project in which the browser opens.
struct History {
    desktop: Desktop,
    root: PathBuf,
}

impl History {
    /// Fills a memory.
    fn play(nudge: &Path) -> anyhow::Result<Self> {
        let desktop = Desktop::with_false_clock(nudge, Timestamp::from_millis(BEGINS_AT))?;
        let files = [
            ("src/cart.ts", "export const total = 0;\n"),
            ("src/tax.ts", "export const rate = 0.2;\n"),
            ("CHANGELOG.md", "# Changes\n"),
        ];
        let root = desktop.repository("shop", &files)?;
        let till = desktop.repository("till", &[("main.go", "package main\n")])?;
        let history = Self { desktop, root };
        history.run_as_user(&["set", "database", "port", "5432", "--ttl", "forever"])?;
        for (id, goal, file, message) in EARLIER {
            history.add_fixed_session(id, goal, file, message)?;
            history.advance_hours(24);
        }
        history.add_other_project(&till)?;
        history.advance_hours(21);
        history.add_proposals()?;
        history.advance_hours(23);
        history.add_fixed_session(
            "0197b3f5-9a52-7e11",
            "round the tax of the cart per line",
            "src/tax.ts",
            "Round tax per line",
        )?;
        history.advance_hours(25);
        history.add_open_session()?;
        Ok(history)
    }

    /// The value of the hint that an agent proposed to change.
    fn hint_value(&self) -> anyhow::Result<String> {
        let hint = self.run_as_user(&["get", "database", "port"])?;
        hint.pointer("/hint/value").or_else(|| hint.get("value")).map(text).context("the hint has no value")
    }

    /// The tests fail until the database runs; then a file is changed and committed.
    fn add_fixed_session(&self, id: &str, goal: &str, file: &str, message: &str) -> anyhow::Result<()> {
        let mut session = self.session(id)?;
        session.prompt(goal)?;
        self.advance_minutes(1);
        session.run(TESTS, Err(FAILED))?;
        session.run(DATABASE, Ok(" Container shop-db-1  Started"))?;
        self.advance_minutes(1);
        session.run(TESTS, Ok(PASSED))?;
        session.edit(file, "// changed")?;
        session.edit("CHANGELOG.md", &format!("- {message}"))?;
        self.advance_minutes(2);
        session.run(TESTS, Ok(PASSED))?;
        session.commit(message)?;
        session.stop("Done: the tests pass, and the change is committed.")?;
        session.end()
    }

    /// The user states how things are done here, and an agent proposes to change a hint.
    fn add_proposals(&self) -> anyhow::Result<()> {
        let mut session = self.session("0197ae8d-1c7b-7f30")?;
        session.prompt("show the shipping costs in the cart")?;
        session.read("src/cart.ts")?;
        self.advance_minutes(3);
        session.prompt("we always use pnpm here, never npm")?;
        session.edit("src/cart.ts", "export const shipping = 490;")?;
        session.commit("Show shipping costs")?;
        let change =
            ["set", "database", "port", "5433", "--reason", "docker-compose.yml maps the database to 5433"];
        self.desktop.agent(&self.root, &change)?;
        session.prompt("from now on, add every change to CHANGELOG.md")?;
        session.stop("The cart shows shipping costs.")?;
        session.end()
    }

    /// A session in another project.
    fn add_other_project(&self, root: &Path) -> anyhow::Result<()> {
        let mut session = ClaudeSession::new(&self.desktop, "0197a91e-52aa-7d02", root)?;
        session.start()?;
        session.prompt("print the VAT id on the receipt")?;
        session.edit("main.go", "// VAT id")?;
        session.end()?;
        self.advance_hours(1);
        let mut next = ClaudeSession::new(&self.desktop, "0197a955-03bd-7a6e", root)?;
        next.start()?;
        next.prompt("and the date below it")?;
        next.end()
    }

    /// A session that is still open.
    fn add_open_session(&self) -> anyhow::Result<()> {
        let mut session = self.session("0197b97a-e0d4-7b58")?;
        session.prompt(GOAL)?;
        self.advance_minutes(1);
        session.read("src/cart.ts")?;
        session.run(TESTS, Err(FAILED))?;
        self.advance_minutes(4);
        Ok(())
    }

    fn session(&self, id: &str) -> anyhow::Result<ClaudeSession<'_>> {
        let mut session = ClaudeSession::new(&self.desktop, id, &self.root)?;
        session.start()?;
        Ok(session)
    }

    fn advance_hours(&self, hours: u64) {
        self.advance_minutes(hours * 60);
    }

    fn advance_minutes(&self, minutes: u64) {
        self.desktop.pass(Duration::from_secs(minutes * 60));
    }

    /// Runs a command as the user, in a separate terminal: if an agent runs this drill, a child
    /// process would count as the agent's.
    fn run_as_user(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut args = args.to_vec();
        args.push("--json");
        Ok(serde_json::from_str(&run_in_terminal(&self.desktop.nudge(&args, &self.root))?)?)
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
