//! Layers on top of each other, with whole values.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nudge_core::Fault;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::home::Home;

mod models;
mod plugins;
mod runs;

fn given(
    file: &str,
    project: &str,
    vars: &[(&str, &str)],
    flags: &[(&str, &str)],
) -> Result<Resolved, Fault> {
    let env =
        |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    resolve(&Layers {
        file: Some((PathBuf::from("/c/config.toml"), file.to_owned())),
        project: Some((PathBuf::from("/p/.nudge.toml"), project.to_owned())),
        env: &env,
        env_names: vars.iter().map(|(name, _)| (*name).to_owned()).collect(),
        flags: flags.iter().map(|(key, value)| (*key, (*value).to_owned())).collect(),
    })
}

fn resolved(file: &str, project: &str, vars: &[(&str, &str)]) -> Resolved {
    given(file, project, vars, &[]).expect("no flags")
}

fn ttl(text: &str) -> Ttl {
    Ttl::parse(text).expect("valid")
}

#[test]
fn defaults_hold_when_nobody_says_anything() {
    let resolved = resolve(&Layers::none()).expect("no flags");
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(resolved.warnings, Vec::<String>::new());
    let shown: Vec<_> =
        resolved.keys.iter().map(|key| (key.key, key.value.clone(), key.source.to_string())).collect();
    let expected = [
        ("port", json!(8765)),
        ("start_server", json!(false)),
        ("default_ttl", json!("session")),
        ("secret_guard", json!(true)),
        ("secrets.sensitivity", json!("normal")),
        ("secrets.relaxed", json!([])),
        ("log_level", json!("info")),
        ("max_components", json!(500)),
        ("max_hints_per_component", json!(200)),
        ("max_hints", json!(5000)),
        ("profile", json!("auto")),
        ("mcp_secrets", json!(false)),
        ("capture", json!(true)),
        ("exclude", json!([])),
        ("project", json!(null)),
        ("private", json!(false)),
        ("retention", json!(Retention::default().rules())),
        ("inject.enabled", json!(true)),
        ("inject.headless", json!(false)),
        ("inject.start_tokens", json!(500)),
        ("inject.recovery_tokens", json!(1000)),
        ("inject.prompt_tokens", json!(800)),
        ("inject.tool_tokens", json!(200)),
        ("inject.ask_agent", json!(true)),
        ("models", json!([])),
        ("runs.ceiling", json!(0.9)),
        ("runs.max_entry_tokens", json!(512)),
        ("runs.max_turns", json!(99)),
        ("runs.max_commands", json!(99)),
        ("runs.max_strikes", json!(3)),
        ("runs.min_cycles", json!(3)),
        ("runs.max_cycle_period", json!(4)),
        ("runs.retention_days", json!(31)),
        ("runs.think", json!(false)),
        ("runs.temperature", json!(0.1)),
        ("runs.fetch_timeout_s", json!(300)),
        ("runs.answer_timeout_s", json!(3600)),
        ("runs.retry_deadline_s", json!(600)),
        ("runs.max_backoff_s", json!(30)),
        ("runs.sandbox", json!("full")),
        ("runs.command_time_s", json!(600)),
        ("runs.command_processes", json!(1024)),
        ("runs.command_memory_mb", json!(4096)),
        ("runs.command_disk_mb", json!(4096)),
        ("runs.plugin_time_s", json!(60)),
        ("runs.http_referer", json!("")),
        ("runs.x_title", json!("")),
        ("plugins", json!([])),
        ("web_search.url", json!("")),
        ("web_search.timeout_s", json!(20)),
        ("web_search.pages", json!(0)),
    ];
    assert_eq!(shown, expected.map(|(key, value)| (key, value, "default".to_owned())));
}

#[test]
fn every_key_can_be_set_in_the_file_and_by_its_variable() {
    let expected = Settings {
        port: 9000,
        default_ttl: Ttl::Forever,
        secret_guard: false,
        strict_secrets: true,
        relaxed_secrets: vec!["/r".to_owned()],
        log_level: LogLevel::Debug,
        start_server: true,
        max_components: 1,
        max_hints_per_component: 2,
        max_hints: 3,
        profile: Some(Profile::Full),
        mcp_secrets: true,
        capture: false,
        exclude: vec!["/a".to_owned(), "b".to_owned()],
        project: None,
        private: false,
        retention: Retention::parse(["command=7", "git_push=forever"]).expect("rules"),
        inject: false,
        inject_headless: true,
        inject_start_tokens: 100,
        inject_recovery_tokens: 2_200,
        inject_prompt_tokens: 700,
        inject_tool_tokens: 150,
        ask_agent: false,
        ..Settings::default()
    };
    let file = "port = 9000\nstart_server = true\ndefault_ttl = \"forever\"\nsecret_guard = false\nsecrets.sensitivity = \"strict\"\n\
                secrets.relaxed = [\"/r\"]\nlog_level = \"debug\"\nmax_components = 1\n\
                max_hints_per_component = 2\nmax_hints = 3\nprofile = \"full\"\nmcp_secrets = true\n\
                capture = false\nexclude = [\"/a\", \"b\"]\nretention = [\"command=7\", \"git_push=forever\"]\n\
                inject.enabled = false\ninject.headless = true\ninject.start_tokens = 100\ninject.recovery_tokens = 2200\n\
                inject.prompt_tokens = 700\n\
                inject.tool_tokens = 150\ninject.ask_agent = false\n";
    let by_file = resolved(file, "", &[]);
    assert_eq!((by_file.settings, by_file.warnings), (expected.clone(), vec![]));
    let vars = [
        ("NUDGE_PORT", "9000"),
        ("NUDGE_START_SERVER", "true"),
        ("NUDGE_DEFAULT_TTL", "forever"),
        ("NUDGE_SECRET_GUARD", "0"),
        ("NUDGE_SECRETS_SENSITIVITY", "strict"),
        ("NUDGE_SECRETS_RELAXED", "/r"),
        ("NUDGE_LOG_LEVEL", "debug"),
        ("NUDGE_MAX_COMPONENTS", "1"),
        ("NUDGE_MAX_HINTS_PER_COMPONENT", "2"),
        ("NUDGE_MAX_HINTS", "3"),
        ("NUDGE_PROFILE", "full"),
        ("NUDGE_MCP_SECRETS", "1"),
        ("NUDGE_CAPTURE", "0"),
        ("NUDGE_EXCLUDE", "/a,b"),
        ("NUDGE_RETENTION", "command=7,git_push=forever"),
        ("NUDGE_INJECT", "0"),
        ("NUDGE_INJECT_HEADLESS", "1"),
        ("NUDGE_INJECT_START_TOKENS", "100"),
        ("NUDGE_INJECT_RECOVERY_TOKENS", "2200"),
        ("NUDGE_INJECT_PROMPT_TOKENS", "700"),
        ("NUDGE_INJECT_TOOL_TOKENS", "150"),
        ("NUDGE_INJECT_ASK_AGENT", "0"),
        ("NUDGE_HOME", "/m"),
        ("HOME", "/home/me"),
    ];
    let by_variable = resolved("", "", &vars);
    assert_eq!((by_variable.settings, by_variable.warnings), (expected, vec![]));
}

#[test]
fn a_group_of_settings_is_a_table_or_dotted_names_and_a_project_may_only_narrow_it() {
    let table = resolved("[inject]\nheadless = true\nstart_tokens = 300\n", "", &[]);
    assert_eq!((table.settings.inject_headless, table.settings.inject_start_tokens), (true, 300));
    assert_eq!(table.warnings, Vec::<String>::new());
    let narrowed = resolved("", "inject.enabled = false\ninject.start_tokens = 200\n", &[]);
    assert_eq!((narrowed.settings.inject, narrowed.settings.inject_start_tokens), (false, 200));
    let widened = resolved(
        "inject.enabled = false\ninject.start_tokens = 100\n",
        "[inject]\nenabled = true\nheadless = true\nstart_tokens = 900\nrecovery_tokens = 2000\n",
        &[],
    );
    let settings = widened.settings;
    assert_eq!((settings.inject, settings.inject_headless), (false, false));
    assert_eq!((settings.inject_start_tokens, settings.inject_recovery_tokens), (100, 1_000));
    assert_eq!(widened.warnings.len(), 4, "{:?}", widened.warnings);
    let mistaken = resolved("inject = true\n[inject2]\nx = 1\n", "inject.start_token = 5\n", &[]);
    assert_eq!(mistaken.warnings.len(), 3, "{:?}", mistaken.warnings);
    assert!(
        mistaken.warnings.iter().any(|why| why.contains("inject.start_tokens")),
        "{:?}",
        mistaken.warnings
    );
}

#[test]
fn each_layer_goes_over_the_one_before_and_is_named() {
    let project = "max_hints = 40\nmax_components = 30\nmax_hints_per_component = 20\n";
    let file = "max_hints = 50\nmax_components = 50\nmax_hints_per_component = 50\nport = 9000\n";
    let vars = [("NUDGE_MAX_COMPONENTS", "60"), ("NUDGE_MAX_HINTS", "60")];
    let resolved = given(file, project, &vars, &[("max_hints", "70")]).expect("valid");
    let shown: Vec<_> =
        resolved.keys.iter().map(|key| (key.key, key.value.to_string(), key.source.to_string())).collect();
    let row = |key, value: &str, source: &str| (key, value.to_owned(), source.to_owned());
    assert_eq!(
        shown,
        [
            row("port", "9000", "/c/config.toml"),
            row("start_server", "false", "default"),
            row("default_ttl", "\"session\"", "default"),
            row("secret_guard", "true", "default"),
            row("secrets.sensitivity", "\"normal\"", "default"),
            row("secrets.relaxed", "[]", "default"),
            row("log_level", "\"info\"", "default"),
            row("max_components", "60", "NUDGE_MAX_COMPONENTS"),
            row("max_hints_per_component", "20", "/p/.nudge.toml"),
            row("max_hints", "70", "flag"),
            row("profile", "\"auto\"", "default"),
            row("mcp_secrets", "false", "default"),
            row("capture", "true", "default"),
            row("exclude", "[]", "default"),
            row("project", "null", "default"),
            row("private", "false", "default"),
            row("retention", &json!(Retention::default().rules()).to_string(), "default"),
            row("inject.enabled", "true", "default"),
            row("inject.headless", "false", "default"),
            row("inject.start_tokens", "500", "default"),
            row("inject.recovery_tokens", "1000", "default"),
            row("inject.prompt_tokens", "800", "default"),
            row("inject.tool_tokens", "200", "default"),
            row("inject.ask_agent", "true", "default"),
            row("models", "[]", "default"),
            row("runs.ceiling", "0.9", "default"),
            row("runs.max_entry_tokens", "512", "default"),
            row("runs.max_turns", "99", "default"),
            row("runs.max_commands", "99", "default"),
            row("runs.max_strikes", "3", "default"),
            row("runs.min_cycles", "3", "default"),
            row("runs.max_cycle_period", "4", "default"),
            row("runs.retention_days", "31", "default"),
            row("runs.think", "false", "default"),
            row("runs.temperature", "0.1", "default"),
            row("runs.fetch_timeout_s", "300", "default"),
            row("runs.answer_timeout_s", "3600", "default"),
            row("runs.retry_deadline_s", "600", "default"),
            row("runs.max_backoff_s", "30", "default"),
            row("runs.sandbox", "\"full\"", "default"),
            row("runs.command_time_s", "600", "default"),
            row("runs.command_processes", "1024", "default"),
            row("runs.command_memory_mb", "4096", "default"),
            row("runs.command_disk_mb", "4096", "default"),
            row("runs.plugin_time_s", "60", "default"),
            row("runs.http_referer", "\"\"", "default"),
            row("runs.x_title", "\"\"", "default"),
            row("plugins", "[]", "default"),
            row("web_search.url", "\"\"", "default"),
            row("web_search.timeout_s", "20", "default"),
            row("web_search.pages", "0", "default"),
        ]
    );
}

#[test]
fn a_project_may_only_narrow() {
    let wide = "port = 1\nstart_server = true\ndefault_ttl = \"forever\"\nsecret_guard = false\nlog_level = \"debug\"\nmax_components = 501\n\
                max_hints_per_component = 201\nmax_hints = 5001\nprofile = \"full\"\nmcp_secrets = true\n";
    let refused = resolved("", wide, &[]);
    assert_eq!(refused.settings, Settings::default());
    let stays = |name: &str, may: &str| format!("/p/.nudge.toml: {name} stays as it is: a project {may}");
    let mut expected = vec![
        stays("port", "cannot set it"),
        stays("start_server", "cannot set it"),
        stays("default_ttl", "may only shorten it"),
        stays("secret_guard", "may only turn it on"),
        stays("log_level", "may only make it quieter"),
        stays("max_components", "may only lower it"),
        stays("max_hints_per_component", "may only lower it"),
        stays("max_hints", "may only lower it"),
        stays("profile", "may only shorten the list"),
        stays("mcp_secrets", "may only turn it off"),
    ];
    expected.sort();
    let mut warnings = refused.warnings;
    warnings.sort();
    assert_eq!(warnings, expected);

    let narrow = "default_ttl = \"PT2H\"\nsecret_guard = true\nlog_level = \"error\"\nmax_components = 5\n\
                  max_hints_per_component = 2\nmax_hints = 5\nprofile = \"default\"\nmcp_secrets = false\n";
    let file = "default_ttl = \"P1D\"\nsecret_guard = false\nlog_level = \"debug\"\nprofile = \"full\"\nmcp_secrets = true\n";
    let taken = resolved(file, narrow, &[]);
    let expected = Settings {
        default_ttl: ttl("PT2H"),
        log_level: LogLevel::Error,
        max_components: 5,
        max_hints_per_component: 2,
        max_hints: 5,
        profile: Some(Profile::Default),
        ..Settings::default()
    };
    assert_eq!((taken.settings, taken.warnings), (expected, vec![]));
}

#[test]
fn a_bad_value_is_a_warning_and_the_layer_below_stays() {
    let file =
        "port = 9000\nmax_hints = [1]\ndefault_ttl = \"2h\"\nlog_level = \"loud\"\nmax_components = 0\n";
    let resolved =
        resolved(file, "", &[("NUDGE_PORT", "many"), ("NUDGE_SECRET_GUARD", "maybe"), ("NUDGE_PROFILE", "")]);
    assert_eq!(resolved.settings, Settings { port: 9000, ..Settings::default() });
    assert_eq!(
        resolved.warnings,
        [
            "/c/config.toml: default_ttl takes session, forever or a duration such as PT2H, not `2h`",
            "/c/config.toml: log_level takes error, warn, info or debug, not `loud`",
            "/c/config.toml: max_components takes a number from 1, not `0`",
            "/c/config.toml: max_hints takes a number from 1, not a value of this kind",
            "NUDGE_PORT: port takes a port from 0 to 65535, not `many`",
            "NUDGE_SECRET_GUARD: secret_guard takes true or false, not `maybe`",
        ]
    );
}

#[test]
fn a_wrong_retention_is_reported_with_the_right_form() {
    let wrong =
        resolved("retention = [\"command=9\", \"commands=10\"]\n", "", &[("NUDGE_RETENTION", "command=0")]);
    assert_eq!(wrong.settings, Settings::default());
    let [file, variable] = &wrong.warnings[..] else { panic!("{:?}", wrong.warnings) };
    for warning in [file, variable] {
        assert!(
            warning.contains(
                "such as command=180 (in a file [\"command=180\"]), where the kinds are file_read, "
            ),
            "{warning}"
        );
        assert!(warning.contains("tool_other, conclusion, user_prompt, not `"), "{warning}");
    }
    assert!(file.ends_with("not `command=9, commands=10`"), "{file}");
    assert!(variable.ends_with("not `command=0`"), "{variable}");
}

#[test]
fn retention_can_be_a_table() {
    let table = resolved("[retention]\ncommand = 10\ngit_push = \"forever\"\n", "", &[]);
    let expected = Retention::parse(["command=10", "git_push=forever"]).expect("rules");
    assert_eq!((table.settings.retention, table.warnings), (expected, vec![]));
    for wrong in ["[retention]\ncommand = 1.5\n", "[retention]\ncommands = 10\n", "[exclude]\na = 1\n"] {
        let resolved = resolved(wrong, "", &[]);
        assert_eq!((resolved.settings, resolved.warnings.len()), (Settings::default(), 1), "{wrong}");
    }
}

#[test]
fn unknown_names_warn_with_the_nearest() {
    let vars = [("NUDGE_MAX_HINT", "1"), ("NUDGE_SECRETGUARD", "0"), ("NUDGE_HOMES", "/x"), ("OTHER", "1")];
    let resolved = resolved("prt = 1\nzzz = 2\n", "[secret_gaurd]\nx = 1\n", &vars);
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(
        resolved.warnings,
        [
            "/c/config.toml: there is no setting `prt`; did you mean `port`?",
            "/c/config.toml: there is no setting `zzz`",
            "/p/.nudge.toml: there is no setting `secret_gaurd`; did you mean `secret_guard`?",
            "there is no variable `NUDGE_HOMES`; did you mean `NUDGE_HOME`?",
            "there is no variable `NUDGE_MAX_HINT`; did you mean `NUDGE_MAX_HINTS`?",
            "there is no variable `NUDGE_SECRETGUARD`; did you mean `NUDGE_SECRET_GUARD`?",
        ]
    );
}

#[test]
fn a_file_that_is_not_toml_is_passed_over() {
    let resolved = resolved("port = 9000\nport = = 1\n", "", &[]);
    assert_eq!(resolved.settings, Settings::default());
    assert_eq!(resolved.warnings.len(), 1);
    assert!(resolved.warnings[0].starts_with("/c/config.toml: line 2: "), "{}", resolved.warnings[0]);
}

#[test]
fn what_may_have_been_meant_to_keep_something_out_is_distinguished() {
    let unsure =
        |file: &str, project: &str, vars: &[(&str, &str)]| resolved(file, project, vars).unsure.len();
    for broken in [
        "capture = = false",
        "capture = \"no\"",
        "capture = [false]",
        "exclude = [1]",
        "exclude = true",
        "exclude = 7",
        "captur = false",
        "Capture = false",
        "exlude = [\"/a\"]",
        "[exclude]\npaths = [\"/a\"]",
        "secrets.sensitivity = \"stric\"",
    ] {
        assert_eq!((unsure(broken, "", &[]), unsure("", broken, &[])), (1, 1), "{broken}");
    }
    assert_eq!(unsure("", "", &[("NUDGE_CAPTURE", "no")]), 1);
    for harmless in ["prt = 1", "port = \"many\"", "zzz = 1", "capture = true", "exclude = \"/a\""] {
        assert_eq!((unsure(harmless, "", &[]), unsure("", harmless, &[])), (0, 0), "{harmless}");
    }
    assert_eq!(unsure("capture = false", "capture = true", &[]), 0, "it stays off");
}

#[test]
fn a_bad_flag_is_an_error() {
    let bad = given("", "", &[], &[("port", "many")]).expect_err("bad");
    assert_eq!(
        (bad.kind.id(), bad.message.as_str()),
        ("E_INVALID", "port takes a port from 0 to 65535, not `many`")
    );
    let unknown = given("", "", &[], &[("prt", "1")]).expect_err("unknown");
    assert_eq!(unknown.message, "there is no setting `prt`; did you mean `port`?");
}

#[test]
fn a_report_is_what_config_prints() {
    let resolved = resolved("port = 9000", "", &[]);
    let expected = json!({
        "key": "port",
        "value": 9000,
        "default": 8765,
        "source": "/c/config.toml",
        "type": "0 to 65535",
        "env": "NUDGE_PORT",
        "doc": "TCP port of the server on the loopback address; 0 picks a free port",
        "project": "cannot set it",
    });
    assert_eq!(serde_json::to_value(&resolved.keys[0]).expect("plain"), expected);
}

#[test]
fn a_project_file_is_looked_for_up_to_the_top_of_the_repository() {
    let dir = TempDir::new().expect("temporary directory");
    let at = |path: &str| dir.path().join(path);
    fs::create_dir_all(at("outer/repo/.git")).expect("created");
    fs::create_dir_all(at("outer/repo/src/deep")).expect("created");
    fs::write(at("outer/.nudge.toml"), "").expect("written");
    assert_eq!(find_project_file(&at("outer/repo/src/deep")), None);
    fs::write(at("outer/repo/.nudge.toml"), "").expect("written");
    assert_eq!(find_project_file(&at("outer/repo/src/deep")), Some(at("outer/repo/.nudge.toml")));
    fs::write(at("outer/repo/src/.nudge.toml"), "").expect("written");
    assert_eq!(find_project_file(&at("outer/repo/src/deep")), Some(at("outer/repo/src/.nudge.toml")));
    fs::create_dir_all(at("outer/plain/deep")).expect("created");
    let outer = Some(at("outer/.nudge.toml"));
    for inside in ["outer", "outer/plain", "outer/plain/deep", "outer/gone"] {
        assert_eq!(find_project_file(&at(inside)), outer, "{inside}");
    }
    let mode =
        |path: &str, mode| fs::set_permissions(at(path), fs::Permissions::from_mode(mode)).expect("ours");
    mode("outer/plain/deep", 0o777);
    assert_eq!(find_project_file(&at("outer/plain/deep")), outer);
    mode("outer", 0o1777);
    assert_eq!(find_project_file(&at("outer/plain/deep")), None, "anybody may have put it there");
    assert_eq!(find_project_file(&at("outer/gone")), None);
    assert_eq!(find_project_file(&at("outer")), outer);
}

#[test]
fn files_are_read_where_they_lie() {
    let dir = TempDir::new().expect("temporary directory");
    let home = Home::locate(Some(dir.path()), &|_| None).expect("absolute");
    fs::write(home.config_file(), "max_hints = 7\n").expect("written");
    let resolved = load(&home, Path::new("/"), vec![("max_components", "3".to_owned())]).expect("valid");
    assert_eq!((resolved.settings.max_hints, resolved.settings.max_components), (7, 3));
    fs::remove_file(home.config_file()).expect("removed");
    fs::create_dir(home.config_file()).expect("created");
    let resolved = load(&home, Path::new("/"), vec![]).expect("valid");
    assert_eq!(resolved.settings.max_hints, 5_000);
    assert!(resolved.warnings[0].contains("not read"), "{:?}", resolved.warnings);
    assert_eq!(resolved.unsure, resolved.warnings);
    let project = TempDir::new().expect("temporary directory");
    std::os::unix::fs::symlink("nowhere", project.path().join(PROJECT_FILE)).expect("linked");
    let home = Home::locate(Some(project.path()), &|_| None).expect("absolute");
    assert_eq!(load(&home, project.path(), vec![]).expect("valid").unsure.len(), 1);
}

#[test]
fn a_project_adds_to_what_is_excluded_and_names_itself() {
    let file = "exclude = [\"/a/{b,c}\"]\nproject = \"mine\"\n";
    let found = resolved(file, "exclude = [\"/d\"]\ncapture = false\nproject = \"theirs\"\n", &[]);
    assert_eq!(found.settings.exclude, ["/a/{b,c}", "/d"]);
    assert_eq!((found.settings.capture, found.settings.project.as_deref()), (false, Some("theirs")));
    assert_eq!(found.warnings, ["/c/config.toml: project is for a project's own .nudge.toml"]);
    let found = resolved("capture = false\n", "capture = true\nexclude = [1]\n", &[]);
    assert!(!found.settings.capture);
    assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
}
