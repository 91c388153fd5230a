//! `nudge tui` as a process: who may run it, and the state in which it leaves the terminal.

use insta::assert_snapshot;
use nudge_testkit::{Terminal, TestHome};

use crate::cli::home;

/// Switches to the alternate screen, and back.
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

/// A home in which an agent proposes to change one of the user's hints.
fn with_proposal() -> TestHome {
    let home = home();
    home.run(["set", "database", "port", "5432", "--ttl", "forever"]).ok();
    home.nudge(["set", "database", "port", "5433"]).env("CLAUDECODE", "1").run().ok();
    home
}

fn value(home: &TestHome) -> String {
    home.run(["get", "database", "port", "--json"]).json().to_string()
}

/// @tui: without a terminal it exits with the usage error code and says what to use instead.
#[test]
fn without_a_terminal_it_names_the_commands_to_use() {
    let home = home();
    let outcome = home.run(["tui"]);
    assert_snapshot!("tui_no_terminal", outcome.page());
    outcome.exits(2);
    home.run(["tui", "--json"]).exits(2);
}

/// @tui: an agent cannot accept proposals here, just as with `nudge review`.
#[test]
fn an_agent_cannot_run_it() {
    let home = with_proposal();
    let mut command = home.command();
    command.arg("tui").env("CLAUDECODE", "1");
    let mut terminal = Terminal::start(command);
    terminal.press("3a");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(4), "{shown}");
    assert!(shown.contains("`nudge tui`") && !shown.contains(ENTER), "{shown}");
    assert!(value(&home).contains("5432"));
}

/// @tui: a key accepts a proposal, and the screen is restored.
#[test]
fn a_key_accepts_and_the_terminal_is_given_back() {
    let home = with_proposal();
    let mut command = home.command();
    command.arg("tui");
    let mut terminal = Terminal::start(command);
    terminal.wait_for(ENTER);
    terminal.wait_for("(1)");
    terminal.press("3");
    terminal.wait_for("5433");
    terminal.press("a");
    terminal.wait_for("accepted");
    terminal.press("q");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.trim_end().ends_with("\u{1b}[?25h") && shown.contains(LEAVE), "{shown:?}");
    assert!(value(&home).contains("5433"));
}

/// @tui: `NO_COLOR` and `--color` control colour.
#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let home = with_proposal();
    let shown = |args: &[&str], no_color: bool| {
        let mut command = home.command();
        command.arg("tui").args(args).env("TERM", "xterm-256color");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let mut terminal = Terminal::start(command);
        terminal.wait_for("(1)");
        terminal.press("q");
        terminal.end().1
    };
    let coloured = "38;5;6";
    assert!(shown(&[], false).contains(coloured));
    assert!(!shown(&[], true).contains("38;5;"));
    assert!(!shown(&["--color", "never"], false).contains("38;5;"));
    assert!(shown(&["--color", "always"], true).contains(coloured));
}
