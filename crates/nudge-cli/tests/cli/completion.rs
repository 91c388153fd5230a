//! Shell completion: what TAB offers.

use std::process::Command;

use nudge_testkit::TestHome;

use crate::cli::home;

/// A home with two hints, two projects, and a session in the first project.
fn stocked() -> TestHome {
    let home = home();
    home.run(["set", "http-proxy", "build", "make"]).ok();
    home.run(["set", "http-proxy", "run", "make run"]).ok();
    home.run(["set", "web", "build", "npm run build"]).ok();
    for (project, session) in [("shop", "s-shop-1"), ("vault", "s-vault-1")] {
        let dir = home.dir(project);
        let event = serde_json::json!({
            "session_id": session, "cwd": dir, "hook_event_name": "UserPromptSubmit",
            "prompt": format!("work on the {project}"),
        });
        home.nudge(["hook", "claude"]).cwd(&dir).stdin(event.to_string()).run().exits(0);
    }
    // A command that writes also stores events that the hooks may have spooled.
    home.run(["bump", "web", "build"]).ok();
    home
}

/// What bash offers at the end of a line, using the script printed by `nudge completions bash`.
fn tab(home: &TestHome, line: &str, cwd: &str) -> Vec<String> {
    let script = format!(
        r#"
        PATH="{bin}:$PATH"
        source <("$0" completions bash)
        line='{line}'
        read -ra COMP_WORDS <<< "$line"
        [[ $line == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        COMP_LINE=$line; COMP_POINT=${{#line}}; COMP_TYPE=9
        _clap_complete_nudge nudge "${{COMP_WORDS[COMP_CWORD]}}" ''
        printf '%s\n' "${{COMPREPLY[@]}}"
        "#,
        bin = home.binary().parent().expect("a directory").display(),
    );
    let mut bash = bash(home);
    let output =
        bash.args(["-c", &script]).arg(home.binary()).current_dir(home.dir(cwd)).output().expect("bash");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut offered: Vec<String> =
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    offered.sort();
    offered
}

/// Bash with the environment of `nudge` in tests.
fn bash(home: &TestHome) -> Command {
    let mut bash = Command::new("bash");
    bash.env_clear();
    for (name, value) in home.command().get_envs().filter_map(|(name, value)| Some((name, value?))) {
        bash.env(name, value);
    }
    bash
}

/// @completions_and_man
#[test]
fn bash_completes_commands_options_and_values() {
    let home = stocked();
    assert_eq!(tab(&home, "nudge sea", "shop"), ["search"]);
    assert_eq!(tab(&home, "nudge hint qu", "shop"), ["query"]);
    assert_eq!(tab(&home, "nudge set --scope-cw", "shop"), ["--scope-cwd-glob"]);
    assert_eq!(tab(&home, "nudge get ht", "shop"), ["http-proxy"]);
    let keys: Vec<String> = tab(&home, "nudge hint get http-proxy ", "shop")
        .into_iter()
        .filter(|word| !word.starts_with('-'))
        .collect();
    assert_eq!(keys, ["build", "run"]);
    assert_eq!(tab(&home, "nudge sessions --project sh", "shop"), ["shop"]);
    assert_eq!(tab(&home, "nudge trace s-", "shop"), ["s-shop-1"]);
    assert_eq!(tab(&home, "nudge search x --type command_e", "shop"), ["command_error"]);
    assert_eq!(tab(&home, "nudge hook cod", "shop"), ["codex"]);
    assert_eq!(tab(&home, "nudge install cl", "shop"), ["claude", "cline"]);
}

/// @entry_command: TAB offers the entries of memory and the files whose paths begin with the word.
#[test]
fn bash_completes_paths_of_entries_and_files() {
    let home = stocked();
    let shop = home.dir("shop");
    home.file("shop/src/main.rs", "fn main() {}\n");
    for path in ["known://auth/plan", "known://auth/open", "known://tax"] {
        home.nudge(["entry", "set", path, "text"]).cwd(&shop).run().ok();
    }
    let auth = ["known://auth/open", "known://auth/plan"];
    assert_eq!(tab(&home, "nudge entry get known://a", "shop"), auth);
    assert_eq!(tab(&home, "nudge entry rm known://auth/", "shop"), auth);
    assert_eq!(tab(&home, "nudge entry set src/", "shop"), ["src/main.rs"]);
    assert_eq!(tab(&home, "nudge entry mv known://t", "shop"), ["known://tax"]);
    assert_eq!(tab(&home, "nudge entry get known://a", "vault"), Vec::<String>::new());
    assert_eq!(tab(&home, "nudge entry get known://*", "shop"), Vec::<String>::new());
}

/// @cli_run, @cli_model: TAB offers the names of runs and models.
#[test]
fn bash_completes_runs_and_models() {
    let home = stocked();
    let shop = home.dir("shop");
    home.run(["model", "add", "local", "ollama/qwen2.5-coder"]).ok();
    let set = ["entry", "set", "run://ports", "which port?", "--attr", "model=local"];
    home.nudge(set).cwd(&shop).run().ok();
    assert_eq!(tab(&home, "nudge run show po", "shop"), ["ports"]);
    assert_eq!(tab(&home, "nudge ask --run po", "shop"), ["ports"]);
    assert_eq!(tab(&home, "nudge run show po", "vault"), Vec::<String>::new());
    assert_eq!(tab(&home, "nudge ask --model lo", "shop"), ["local"]);
    assert_eq!(tab(&home, "nudge model rm lo", "shop"), ["local"]);
    assert_eq!(tab(&home, "nudge model key ope", "shop"), ["openai", "openrouter"]);
}

/// @entry_command: bash splits words at colons; what it offers continues the last part.
#[test]
fn bash_completes_paths_although_it_splits_them() {
    let home = stocked();
    let shop = home.dir("shop");
    home.nudge(["entry", "set", "known://auth/plan", "text"]).cwd(&shop).run().ok();
    let offered = |words: &str, at: usize| {
        let script = format!(
            r#"
            PATH="{bin}:$PATH"
            source <("$0" completions bash)
            [[ "$(complete -p nudge)" == *'-F _nudge_complete'* ]] || exit 1
            COMP_WORDS=({words}); COMP_CWORD={at}; COMP_TYPE=9
            _nudge_complete nudge '' ''
            printf '%s\n' "${{COMPREPLY[@]}}"
            "#,
            bin = home.binary().parent().expect("a directory").display(),
        );
        let output =
            bash(&home).args(["-c", &script]).arg(home.binary()).current_dir(&shop).output().expect("bash");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(offered("nudge entry get known : //a", 5), "//auth/plan");
    assert_eq!(offered("nudge entry get known :", 4), "//auth/plan");
    assert_eq!(offered("nudge entry cp known : //auth/plan zz", 6), "");
    assert_eq!(offered("nudge sea", 1), "search");
}

/// @completions_and_man
#[test]
fn a_private_project_is_offered_inside_it_alone() {
    let home = stocked();
    home.run(["project", "private", "vault"]).ok();
    assert_eq!(tab(&home, "nudge sessions --project va", "vault"), ["vault"]);
    assert_eq!(tab(&home, "nudge sessions --project va", "shop"), Vec::<String>::new());
    assert_eq!(tab(&home, "nudge trace s-va", "shop"), Vec::<String>::new());
}

/// @completions_and_man
#[test]
fn completion_creates_no_memory() {
    let home = home();
    assert_eq!(tab(&home, "nudge get a", "here"), Vec::<String>::new());
    assert_eq!(tab(&home, "nudge sessions --project a", "here"), Vec::<String>::new());
    assert!(!home.memory().exists());
}

/// @completions_and_man
#[test]
fn there_is_a_script_for_every_shell_that_asks_nudge() {
    let home = stocked();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.run(["completions", shell]).ok();
        assert!(script.contains("NUDGE_COMPLETE"), "{shell}: {script}");
        let words = ["--", "nudge", "get", "http-"];
        let call = home.nudge(words).env("NUDGE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "2");
        let offered = call.env("_CLAP_IFS", "\n").run().ok();
        assert!(offered.contains("http-proxy"), "{shell}: {offered}");
    }
}

/// @completions_and_man
#[test]
fn a_variable_that_is_no_request_changes_nothing() {
    let home = stocked();
    let call = home.nudge(["get", "web", "build", "--value"]).env("NUDGE_COMPLETE", "");
    assert_eq!(call.run().ok(), "npm run build\n");
    // A hook never completes, whatever is in its environment.
    home.nudge(["hook", "claude"]).env("NUDGE_COMPLETE", "bash").stdin("{}").run().exits(0);
}

/// @completions_and_man: the variable alone changes no command.
#[test]
fn a_variable_that_was_left_over_changes_nothing() {
    let home = home();
    home.nudge(["set", "api", "build", "make"]).env("NUDGE_COMPLETE", "bash").run().ok();
    assert_eq!(home.run(["get", "api", "build", "--value"]).ok(), "make\n");
}
