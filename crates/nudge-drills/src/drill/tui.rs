//! `nudge tui` in a real terminal: keys move through its four views, and the screen shows the
//! contents of the memory.
//! Shows @tui.
//!
//! Hooks and commands fill the memory at a fixed time, so that the picture is the same in every
//! run.

mod history;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use regex::Regex;

use self::history::{ACCEPTED, DROPPED, ERROR, GOAL, History};
use super::verdict::Verdict;
use crate::agents::demo::screen::{Line, parse};
use crate::agents::demo::svg;
use crate::agents::terminal::Terminal;
use crate::repository;
use crate::stage::Programs;

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;

/// The smallest terminal that the browser must survive.
const SMALL: (u16, u16) = (40, 10);

const TITLE: &str = "nudge tui: sessions, search, review and why";

/// Time for a resized program to draw again.
const REDRAW_TIME: Duration = Duration::from_millis(700);

/// Runs the drill. `--bin FILE` uses a binary that is already built; `--out FILE` sets where the
/// picture goes.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = Options::read(args)?;
    let began = Instant::now();
    let history = History::play(&options.nudge()?)?;
    let mut visit = Visit { terminal: start(&history)?, verdict: Verdict::default(), pictures: Vec::new() };
    visit.sessions()?;
    visit.search()?;
    visit.review(&history)?;
    visit.why()?;
    visit.check_small_terminal()?;
    visit.leave(&["q"], 0)?;
    visit.check_signal(&history)?;
    let picture = svg::draw(TITLE, &visit.pictures);
    if let Some(dir) = options.out.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&options.out, picture)?;
    println!("{:.0} s; the picture is {}", began.elapsed().as_secs_f64(), options.out.display());
    Ok(visit.verdict.close("nudge tui shows and decides what is in the memory, and gives the terminal back"))
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
    verdict: Verdict,
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
        self.verdict.demand(history.hint_value()? == "5433", "the accepted change is not in the memory");
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
        self.terminal.resize(SMALL.0, SMALL.1)?;
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
            self.verdict.demand(is_on, format!("{mode} is off afterwards: {screen}"));
        }
        self.verdict.demand(!screen.contains("1 Sessions"), format!("its screen is still there: {screen}"));
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
            self.verdict.demand(screen.contains(word), format!("{what}: no {word:?} in\n{screen}"));
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

#[derive(Debug, PartialEq, Eq)]
struct Options {
    binary: Option<PathBuf>,
    out: PathBuf,
}

impl Options {
    fn read(args: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self { binary: None, out: repository::root().join("target/tui.svg") };
        for pair in args.chunks(2) {
            match pair {
                ["--bin", path] => options.binary = Some(PathBuf::from(path)),
                ["--out", path] => options.out = PathBuf::from(path),
                _ => anyhow::bail!("drill tui takes --bin FILE and --out FILE, not {}", pair.join(" ")),
            }
        }
        Ok(options)
    }

    fn nudge(&self) -> anyhow::Result<PathBuf> {
        match &self.binary {
            Some(path) => existing_file(path),
            None => Programs::product(),
        }
    }
}

fn existing_file(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("no binary at {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_and_others_rejected() {
        let wanted = Options { binary: Some("x/nudge".into()), out: "docs/tui.svg".into() };
        assert_eq!(
            Options::read(&["--bin", "x/nudge", "--out", "docs/tui.svg"]).expect("known flags"),
            wanted
        );
        assert!(Options::read(&[]).expect("none").out.ends_with("target/tui.svg"));
        assert!(Options::read(&["--out"]).is_err() && Options::read(&["--fast", "1"]).is_err());
    }
}
