//! `nudge model`: models, and the keys of their providers.

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use nudge_testkit::{Outcome, Terminal, TestHome};

use crate::cli::home;
use crate::cli::widths::{at_widths, at_widths_as};

const KEY: &str = "sk-test-0123456789abcdef";

fn key(home: &TestHome, provider: &str, text: &str) -> Outcome {
    home.nudge(["model", "key", provider]).stdin(text).run()
}

/// @cli_model
#[test]
fn models_are_added_listed_replaced_and_removed() {
    let home = home();
    home.dir("shop");
    assert_snapshot!("model_none", at_widths(&home, &["model", "ls"]));
    let add = ["model", "add", "local", "ollama/qwen2.5-coder"];
    assert_snapshot!("model_add", home.run(add).page());
    let with_url = [&add[..], &["--url", "http://127.0.0.1:11434", "--context", "32768"]].concat();
    assert_snapshot!("model_add_url", home.run(with_url).page());
    let prices = ["--input-price", "0.4", "--output-price", "1.6", "--constrained"];
    home.run([&["model", "add", "fast", "openai/gpt-4.1-mini"][..], &prices].concat()).ok();
    home.run(["model", "add", "good", "anthropic/claude-opus-4-8", "--url", "https://gateway.example"]).ok();
    assert_snapshot!("model_ls", at_widths(&home, &["model", "ls"]));
    let listed = home.run(["model", "ls", "--json"]).json();
    assert_eq!(listed["models"].as_array().map(Vec::len), Some(3));
    assert_eq!(home.run(["model", "rm", "fast"]).ok(), "✔ removed fast\n");
    assert_snapshot!("model_rm_unknown", home.run(["model", "rm", "fast"]).exits(3).page());
}

/// @cli_model: what is wrong is said before anything is stored.
#[test]
fn a_bad_model_is_refused() {
    let home = home();
    home.run(["model", "add", "a b", "openai/x"]).exits(2);
    home.run(["model", "add", "a", "acme/x"]).exits(2);
    home.run(["model", "add", "a", "openai/x", "--url", "ftp://x"]).exits(2);
    for price in ["--input-price=-1", "--output-price=NaN"] {
        home.run(["model", "add", "a", "openai/x", price]).exits(2);
    }
    let agent = ["model", "add", "a", "openai/x", "--url", "https://x.example"];
    home.nudge(agent).env("CLAUDECODE", "1").run().exits(4);
    assert!(home.run(["model", "ls"]).ok().starts_with("no models"));
}

/// @cli_model: models of the settings are listed with those that were added, without a server and
/// with one.
#[test]
fn models_of_the_settings_are_listed() {
    let home = home();
    let config = "[models.local]\nmodel = \"openai/qwen\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n";
    std::fs::create_dir_all(home.config_file().parent().expect("a directory")).expect("created");
    std::fs::write(home.config_file(), config).expect("written");
    let listed = home.run(["model", "ls"]).ok();
    assert_eq!(listed, "local  openai/qwen  http://127.0.0.1:8080/v1, from the settings\n");
    let shell = || home.nudge(["model", "ls"]).env("NUDGE_MODEL_mine", "openai/mine").run().ok();
    assert!(shell().contains("mine "), "{}", shell());
    let _server = home.daemon(&[]);
    assert_eq!(home.run(["model", "ls"]).ok(), listed);
    assert!(shell().contains("mine "), "{}", shell());
    home.run(["model", "add", "local", "openai/other"]).ok();
    let removed = home.run(["model", "rm", "local"]).ok();
    assert!(removed.contains("the settings have a model of this name"), "{removed}");
}

/// @cli_model: a key is read from standard input, is never shown, and only its owner reads the
/// file.
#[test]
fn a_key_is_saved_in_a_private_file() {
    let home = home();
    home.dir("shop");
    home.run(["model", "add", "fast", "openai/gpt-4.1-mini"]).ok();
    let saved = key(&home, "openai", &format!("{KEY}\n"));
    assert_snapshot!("model_key", saved.page());
    assert!(!saved.stdout.contains(KEY) && !saved.stderr.contains(KEY));
    let file = home.memory().join("keys.toml");
    let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    assert_eq!(std::fs::read_to_string(&file).expect("text"), format!("openai = \"{KEY}\"\n"));
    assert_snapshot!("model_ls_key", at_widths(&home, &["model", "ls"]));
    assert_eq!(home.files_holding(KEY), std::slice::from_ref(&file));
    let json = home.nudge(["model", "key", "xai", "--json"]).stdin("other-key-1234").run().json();
    assert_eq!(json["provider"], "xai");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("changed");
    assert_snapshot!("model_ls_open_file", at_widths(&home, &["model", "ls"]));
    assert_snapshot!("model_key_open_file", key(&home, "openai", KEY).exits(1).page());
}

/// @cli_model: what cannot be a key is refused and not repeated, and an agent saves none.
#[test]
fn a_bad_key_is_refused() {
    let home = home();
    let bad = key(&home, "openai", "two words-of-a-secret").exits(2);
    assert!(!bad.stderr.contains("words-of-a-secret"), "{}", bad.stderr);
    key(&home, "openai", "").exits(2);
    key(&home, "acme", KEY).exits(2);
    home.run(["model", "key", "openai", KEY]).exits(2);
    home.nudge(["model", "key", "openai"]).env("CLAUDECODE", "1").stdin(KEY).run().exits(4);
    assert!(!home.memory().join("keys.toml").exists());
}

/// @cli_model: a variable configures a provider too, and wins.
#[test]
fn variables_configure_a_provider() {
    let home = home();
    home.dir("shop");
    home.run(["model", "add", "local", "ollama/qwen2.5-coder"]).ok();
    let here = [("OLLAMA_BASE_URL", "http://127.0.0.1:11434")];
    assert_snapshot!("model_ls_variable", at_widths_as(&home, &["model", "ls"], &here));
    let saved = home.nudge(["model", "key", "openai"]).env("OPENAI_API_KEY", "x").stdin(KEY).run().ok();
    assert!(saved.contains("OPENAI_API_KEY is set here and wins"), "{saved}");
}

/// @cli_model: on a terminal the key is not shown while it is typed.
#[test]
fn a_typed_key_is_not_shown() {
    let home = home();
    let mut command = home.command();
    command.args(["model", "key", "openai"]).env("TERM", "dumb");
    let mut terminal = Terminal::start(command);
    terminal.wait_for("then Enter:");
    // The echo is off once the prompt is there; the terminal is set right after it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    terminal.press(&format!("{KEY}\n"));
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(!screen.contains(KEY), "{screen}");
    let file = std::fs::read_to_string(home.memory().join("keys.toml")).expect("a file");
    assert!(file.contains(KEY));
}

/// @run_models: an agent cannot make room for a model of its own under the user's name.
#[test]
fn an_agent_removes_no_model() {
    let home = home();
    home.run(["model", "add", "local", "ollama/qwen", "--url", "http://127.0.0.1:9"]).ok();
    let agent = |words: &[&str]| home.nudge(words).env("CLAUDECODE", "1").run();
    agent(&["model", "rm", "local"]).exits(4);
    agent(&["model", "add", "local", "openai/gpt-4o"]).exits(4);
    assert!(home.run(["model", "ls"]).ok().contains("ollama/qwen"));
}
