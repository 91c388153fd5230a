//! The plugins in the user's file and in variables.

use super::*;

const ISSUES: &str = "[plugins.issues]\ncommand = [\"npx\", \"-y\", \"issue-server\"]\nenv = [\"ISSUES_TOKEN\"]\n\
                      read_only = [\"find\", \"show\"]\n";

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn issues() -> PluginSetting {
    PluginSetting {
        command: texts(&["npx", "-y", "issue-server"]),
        env: texts(&["ISSUES_TOKEN"]),
        read_only: texts(&["find", "show"]),
    }
}

fn plugins(found: &Resolved) -> Vec<(&str, &PluginSetting)> {
    found.settings.plugins.iter().map(|(name, plugin)| (name.as_str(), plugin)).collect()
}

#[test]
fn the_file_names_plugins() {
    let found = resolved(ISSUES, "", &[]);
    assert_eq!((plugins(&found), &found.warnings), (vec![("issues", &issues())], &vec![]));
    let row = found.keys.iter().find(|row| row.key == "plugins").expect("a key");
    let line = "issues=npx -y issue-server env=ISSUES_TOKEN read_only=find,show";
    assert_eq!((&row.value, row.source.to_string().as_str()), (&json!([line]), "/c/config.toml"));
}

#[test]
fn a_variable_names_a_plugin_and_trusts_another_program_less() {
    let found = resolved(ISSUES, "", &[("NUDGE_PLUGIN_files", "/opt/files --all")]);
    let files = PluginSetting { command: texts(&["/opt/files", "--all"]), ..PluginSetting::default() };
    assert_eq!(plugins(&found), [("files", &files), ("issues", &issues())]);
    let same = resolved(ISSUES, "", &[("NUDGE_PLUGIN_issues", "npx -y issue-server")]);
    assert_eq!(plugins(&same), [("issues", &issues())]);
    let other = resolved(ISSUES, "", &[("NUDGE_PLUGIN_issues", "evil")]);
    let evil = PluginSetting { command: texts(&["evil"]), ..PluginSetting::default() };
    assert_eq!(plugins(&other), [("issues", &evil)]);
    let wrong = resolved("", "", &[("NUDGE_PLUGIN_a.b", "x")]);
    assert_eq!((wrong.settings.plugins.len(), wrong.warnings.len()), (0, 1), "{:?}", wrong.warnings);
}

#[test]
fn a_project_cannot_name_plugins_or_a_server_to_search() {
    for project in [ISSUES, "plugins = 1\n", "plugins.issues.command = \"x\"\n"] {
        let found = resolved("", project, &[]);
        assert_eq!(found.settings, Settings::default(), "{project}");
        assert_eq!(found.warnings, ["/p/.nudge.toml: plugins stays as it is: a project cannot set it"]);
    }
    let found = resolved("", "[web_search]\nurl = \"http://theirs.example\"\npages = 5\n", &[]);
    assert_eq!((found.settings, found.warnings.len()), (Settings::default(), 2));
}

#[test]
fn a_plugin_with_a_mistake_is_left_out_and_its_values_are_not_repeated() {
    for (wrong, why) in [
        ("command = []", "command takes a program with its arguments"),
        ("command = 1", "command takes a program with its arguments"),
        ("read_only = [\"a\"]", "plugins.bad has no command"),
        ("command = [\"x\"]\nenv = [\"TOKEN=hunter2\"]", "env takes a list of names of variables"),
        ("command = [\"x\"]\nread_only = \"all\"", "read_only takes a list of names of tools"),
        ("command = [\"x\"]\nreadonly = []", "there is no field `readonly`; did you mean `read_only`?"),
        ("command = [\"x\"]\ntoken = \"hunter2\"", "there is no field `token`"),
    ] {
        let found = resolved(&format!("{ISSUES}[plugins.bad]\n{wrong}\n"), "", &[]);
        assert_eq!(plugins(&found), [("issues", &issues())], "{wrong}");
        let warning = found.warnings.concat();
        assert!(warning.contains(why) && warning.ends_with("the plugin is left out"), "{wrong}: {warning}");
        assert!(!warning.contains("hunter2"), "{warning}");
    }
}

#[test]
fn the_web_search_has_an_address_without_credentials() {
    let found =
        resolved("[web_search]\nurl = \"http://127.0.0.1:8888\"\ntimeout_s = 5\npages = 2\n", "", &[]);
    let expected = WebSearchSettings { url: "http://127.0.0.1:8888".to_owned(), timeout_s: 5, pages: 2 };
    assert_eq!((found.settings.web_search, found.warnings), (expected, vec![]));
    for wrong in ["127.0.0.1", "ftp://a.example", "http://u:hunter2@a.example"] {
        let found = resolved(&format!("web_search.url = \"{wrong}\"\n"), "", &[]);
        assert_eq!((found.settings.web_search.url.as_str(), found.warnings.len()), ("", 1), "{wrong}");
    }
}
