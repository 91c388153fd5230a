//! The models in the user's file and in variables.

use super::*;

const LOCAL: &str = "[models.local]\nmodel = \"openai/qwen2.5-coder\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
                     context = 8192\ninput_price = 0.15\noutput_price = 1\nconstrained = true\n";

fn bare(model: &str) -> ModelSetting {
    ModelSetting {
        model: model.to_owned(),
        base_url: None,
        context: None,
        input_price: None,
        output_price: None,
        constrained: false,
    }
}

fn local() -> ModelSetting {
    ModelSetting {
        base_url: Some("http://127.0.0.1:8080/v1".to_owned()),
        context: Some(8_192),
        input_price: Some(0.15),
        output_price: Some(1.0),
        constrained: true,
        ..bare("openai/qwen2.5-coder")
    }
}

fn models(pairs: &[(&str, ModelSetting)]) -> BTreeMap<String, ModelSetting> {
    pairs.iter().map(|(name, model)| ((*name).to_owned(), model.clone())).collect()
}

/// How `nudge config` shows the models, and from where.
fn shown(resolved: &Resolved) -> (serde_json::Value, String) {
    let row = resolved.keys.iter().find(|row| row.key == "models").expect("a key");
    (row.value.clone(), row.source.to_string())
}

#[test]
fn the_file_names_models() {
    let file = format!("{LOCAL}[models.\"big-2.5_x\"]\nmodel = \"openrouter/qwen/qwen3\"\n");
    let found = resolved(&file, "", &[]);
    let expected = models(&[("local", local()), ("big-2.5_x", bare("openrouter/qwen/qwen3"))]);
    assert_eq!((&found.settings.models, &found.warnings), (&expected, &vec![]));
    assert_eq!(found.settings.models["big-2.5_x"].provider(), "openrouter");
    let lines = json!([
        "big-2.5_x=openrouter/qwen/qwen3",
        "local=openai/qwen2.5-coder base_url=http://127.0.0.1:8080/v1 context=8192 input_price=0.15 \
         output_price=1 constrained=true",
    ]);
    assert_eq!(shown(&found), (lines, "/c/config.toml".to_owned()));
    for provider in PROVIDERS {
        let found = resolved(&format!("models.a.model = \"{provider}/m\"\n"), "", &[]);
        assert_eq!(found.settings.models, models(&[("a", bare(&format!("{provider}/m")))]));
    }
}

#[test]
fn variables_add_models_and_override_them() {
    let vars =
        [("NUDGE_CONTEXT_Fast", "4096"), ("NUDGE_MODEL_Fast", "ollama/smol"), ("NUDGE_MODEL_none", "")];
    let found = resolved(LOCAL, "", &vars);
    let fast = ModelSetting { context: Some(4_096), ..bare("ollama/smol") };
    assert_eq!(found.settings.models, models(&[("local", local()), ("Fast", fast)]));
    assert_eq!(found.warnings, Vec::<String>::new());
    assert_eq!(shown(&found).1, "NUDGE_CONTEXT_<name>");

    let with = |vars: &[(&str, &str)]| resolved(LOCAL, "", vars).settings.models["local"].clone();
    assert_eq!(with(&[("NUDGE_CONTEXT_local", "100")]), ModelSetting { context: Some(100), ..local() });
    assert_eq!(with(&[("NUDGE_MODEL_local", "openai/qwen2.5-coder")]), local());
    let other = ModelSetting { base_url: local().base_url, constrained: true, ..bare("openai/another") };
    assert_eq!(with(&[("NUDGE_MODEL_local", "openai/another")]), other);
    let claude = bare("anthropic/claude");
    assert_eq!(
        with(&[("NUDGE_MODEL_local", "anthropic/claude")]),
        claude,
        "no key goes to the other address"
    );
}

#[test]
fn a_mistake_in_a_variable_leaves_the_file_in_force() {
    let vars = [
        ("NUDGE_CONTEXT_gone", "100"),
        ("NUDGE_CONTEXT_local", "many"),
        ("NUDGE_MODEL_", "openai/a"),
        ("NUDGE_MODEL_a b", "openai/a"),
        ("NUDGE_MODEL_local", "sk-very-secret"),
    ];
    let found = resolved(LOCAL, "", &vars);
    assert_eq!(found.settings.models, models(&[("local", local())]));
    let form = "use at most 64 of letters, digits, `-`, `_` and `.`";
    assert_eq!(
        found.warnings,
        [
            &format!("NUDGE_MODEL_: a model cannot be named ``: {form}"),
            &format!("NUDGE_MODEL_a b: a model cannot be named `a b`: {form}"),
            "NUDGE_MODEL_local: models.local.model takes provider/model, where the provider is openai, \
             anthropic, ollama, openrouter or xai",
            "NUDGE_CONTEXT_gone: there is no model `gone`",
            "NUDGE_CONTEXT_local: models.local.context takes a number of tokens from 1 to 4294967295",
        ]
    );
    assert_eq!(shown(&found).1, "/c/config.toml");
}

#[test]
fn a_project_cannot_name_models() {
    for project in [LOCAL, "models.local.model = \"openai/theirs\"\n", "models = 1\n"] {
        let found = resolved("models.local.model = \"openai/mine\"\n", project, &[]);
        assert_eq!(found.settings.models, models(&[("local", bare("openai/mine"))]), "{project}");
        assert_eq!(found.warnings, ["/p/.nudge.toml: models stays as it is: a project cannot set it"]);
        assert_eq!(shown(&found).1, "/c/config.toml");
    }
}

#[test]
fn a_model_with_a_mistake_is_left_out() {
    let good = "[models.good]\nmodel = \"xai/grok\"\n";
    for (lines, key) in [
        ("model = \"opnai/x\"", "models.bad.model takes provider/model"),
        ("model = \"openai\"", "models.bad.model takes provider/model"),
        ("model = \"openai/\"", "models.bad.model takes provider/model"),
        ("model = \"openai/a b\"", "models.bad.model takes provider/model"),
        ("model = 1", "models.bad.model takes provider/model"),
        ("context = 100", "models.bad has no model"),
        ("model = \"openai/x\"\ncontext = 0", "models.bad.context takes a number"),
        ("model = \"openai/x\"\ncontext = 4294967296", "models.bad.context takes a number"),
        ("model = \"openai/x\"\ninput_price = -1", "models.bad.input_price takes a price"),
        ("model = \"openai/x\"\noutput_price = nan", "models.bad.output_price takes a price"),
        ("model = \"openai/x\"\nconstrained = \"yes\"", "models.bad.constrained takes true or false"),
        ("model = \"openai/x\"\nbase_url = \"127.0.0.1:80\"", "models.bad.base_url takes an address"),
        ("model = \"openai/x\"\nbase_url = \"http://\"", "models.bad.base_url takes an address"),
        ("model = \"openai/x\"\nbase_url = \"https://me:pw@a.b\"", "models.bad.base_url takes an address"),
        (
            "model = \"openai/x\"\nbase_url = \"https://a.b/v1?key=pw\"",
            "models.bad.base_url takes an address",
        ),
    ] {
        let found = resolved(&format!("{good}[models.bad]\n{lines}\n"), "", &[]);
        assert_eq!(found.settings.models, models(&[("good", bare("xai/grok"))]), "{lines}");
        let [why] = &found.warnings[..] else { panic!("{lines}: {:?}", found.warnings) };
        assert!(why.starts_with(&format!("/c/config.toml: {key}")), "{why}");
        assert!(!why.contains("pw"), "{why}");
        assert_eq!(found.unsure, Vec::<String>::new(), "{lines}");
    }
}

#[test]
fn a_name_must_fit_and_a_dot_needs_quotes() {
    let long = "a".repeat(65);
    for name in ["", "a b", "a/b", "ä", &long] {
        let found = resolved(&format!("[models.\"{name}\"]\nmodel = \"xai/grok\"\n"), "", &[]);
        assert_eq!(found.settings, Settings::default(), "{name}");
        let [why] = &found.warnings[..] else { panic!("{name}: {:?}", found.warnings) };
        assert!(why.starts_with("/c/config.toml: a model cannot be named `"), "{why}");
    }
    let longest = &long[..64];
    let found = resolved(&format!("models.{longest}.model = \"xai/grok\"\n"), "", &[]);
    assert_eq!(found.settings.models, models(&[(longest, bare("xai/grok"))]));
    let dotted = resolved("[models.qwen2.5]\nmodel = \"openai/qwen\"\n", "", &[]);
    assert_eq!(
        dotted.warnings,
        [
            "/c/config.toml: models.qwen2.5 is a table in a table; quote a name with dots: [models.\"qwen2.5\"]"
        ]
    );
    for (file, why) in [
        ("models = 1\n", "models takes a table for each model, in config.toml, not a value of this kind"),
        ("models.a = \"openai/x\"\n", "models.a takes a table with model = \"provider/model\""),
    ] {
        assert_eq!(resolved(file, "", &[]).warnings, [format!("/c/config.toml: {why}")]);
    }
}

#[test]
fn an_unknown_field_is_a_warning_and_a_key_is_never_repeated() {
    let found = resolved("[models.a]\nmodel = \"xai/grok\"\ncontxt = 5\nzzz = 1\n", "", &[]);
    assert_eq!(found.settings.models, models(&[("a", bare("xai/grok"))]));
    assert_eq!(
        found.warnings,
        [
            "/c/config.toml: models.a: there is no field `contxt`; did you mean `context`?",
            "/c/config.toml: models.a: there is no field `zzz`",
        ]
    );
    for field in ["api_key", "key", "token", "API-KEY", "apikey", "auth_token", "client_secret", "password"] {
        let file = format!("[models.a]\nmodel = \"xai/grok\"\n{field} = \"hunter2\"\n");
        let found = resolved(&file, "", &[]);
        assert_eq!(found.settings.models, models(&[("a", bare("xai/grok"))]), "{field}");
        let why = format!(
            "/c/config.toml: models.a.{field} is not read: keys belong in the environment or in the keys \
             file, keys.toml"
        );
        assert_eq!(found.warnings, [why]);
        assert!(!format!("{found:?}").contains("hunter2"), "{field}");
    }
}

#[test]
fn there_is_no_flag_for_models() {
    let fault = given("", "", &[], &[("models", "a=openai/x")]).expect_err("no flag");
    assert_eq!(fault.kind.id(), "E_INVALID");
}
