//! `nudge set`: save a hint.

use nudge_memory::hints::SetHint;
use std::collections::BTreeMap;
use std::io::Read;

use clap::{Args, ValueEnum};
use nudge_core::hint::{HintValue, Shell, TemplateFormat};
use nudge_core::text::first_chars;
use nudge_core::{Context, Fault, Os};
use nudge_memory::hints::wire::{
    Hint, Meta, OneOrMany, Scope, Sensitivity, SetAnswer, SetParams, SourceClaim, Value,
};

use crate::context_args::{here, system, working_directory};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::{self, Page, hint};
use crate::{durations, lists};

/// The end of the help page.
const EXAMPLES: &str = "\
Examples:
  nudge set http-proxy build 'docker compose build router'
  nudge set http-proxy build 'make' --scope-branch dev,main --ttl 7d
  nudge set api run 'make run' --shell bash --tags run,dev --env STAGE=dev
  git diff | nudge set api wip -";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SetArgs {
    /// Service, module or directory, such as http-proxy
    component: String,
    /// Name of the hint, such as build
    key: String,
    /// Value of the hint; - reads standard input
    #[arg(allow_negative_numbers = true)]
    value: String,
    /// Tags to find it by
    #[arg(long, value_name = "TAG,…")]
    tags: Vec<String>,
    /// Importance, 1 to 10 [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i64>,
    /// Confidence, 0.0 to 1.0 [default: 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = finite)]
    confidence: Option<f64>,
    /// How long it lives: session, forever, or a time such as 2h or 7d
    #[arg(long)]
    ttl: Option<String>,
    /// Why this hint is useful
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// normal or secret; a secret is masked and kept from agents
    #[arg(long, value_name = "LEVEL", value_parser = sensitivity)]
    sensitivity: Option<Sensitivity>,
    /// Accept a value that looks like a credential; it is stored as secret
    #[arg(long)]
    allow_secret: bool,
    /// Origin: user, agent, tool-output or file-import
    #[arg(long, value_parser = source)]
    source: Option<SourceClaim>,
    /// Who added it, such as agent:codex
    #[arg(long, value_name = "WHO")]
    added_by: Option<String>,
    /// Only if the stored version is this; 0 means only if there is none
    #[arg(long, value_name = "VERSION", allow_negative_numbers = true)]
    if_match_version: Option<i64>,
    /// Also print the version, what the score is based on and when the hint ends
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    value_args: ValueArgs,
    #[command(flatten)]
    conditions: ConditionArgs,
}

impl SetArgs {
    /// Saves the hint and prints its lifetime.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let settings = invocation.settings()?;
        let text = if self.value == "-" { from_stdin()? } else { self.value };
        let params = SetParams {
            component: self.component,
            key: self.key,
            value: self.value_args.value(text)?,
            meta: Some(Meta {
                reason: self.reason,
                tags: (!self.tags.is_empty()).then(|| lists::items(&self.tags)),
                priority: self.priority,
                confidence: self.confidence,
                ttl: self.ttl.as_deref().map(lifetime).transpose()?,
                sensitivity: self.sensitivity.or(self.allow_secret.then_some(Sensitivity::Secret)),
                scope: self.conditions.scope(),
                source: self.source,
                added_by: self.added_by,
            }),
            if_match_version: self.if_match_version,
            allow_secret: self.allow_secret || !settings.secret_guard,
        };
        let answer = invocation.call::<SetHint>(&params, Context::unknown())?;
        let ephemeral = invocation.is_ephemeral();
        let verbose = self.verbose;
        invocation.show(&answer, |page, answer| render(page, answer, verbose, ephemeral))
    }
}

fn render(page: &mut Page, answer: &SetAnswer, verbose: bool, ephemeral: bool) {
    if let Some(note) = &answer.proposal {
        pages::proposal_note(page, note);
        return;
    }
    let Some(hint) = &answer.hint else { return };
    if verbose {
        in_full(page, hint, ephemeral);
    } else {
        let kept = if ephemeral { hint::KEPT_BY_SERVER.to_owned() } else { hint::lifetime(hint) };
        page.good("✔").text(" set ").strong(hint::name(hint));
        page.text(format!(" (version {}), {kept}", hint.version)).end();
        if hint::ends_with_session(hint) && !ephemeral {
            page.text("  ").faint("--ttl forever keeps it until you delete it").end();
        }
    }
    if hint::is_secret(&hint.meta) {
        page.text("  ").faint("secret:").text(" masked in lists, hidden from agents and exports").end();
    }
}

fn in_full(page: &mut Page, hint: &Hint, ephemeral: bool) {
    page.good("✔")
        .text(" upserted hint ")
        .strong(hint::name(hint))
        .text(format!(" (v{})", hint.version))
        .end();
    page.text("  ").faint("score base:").text(" ").text(hint::score_base(hint)).end();
    let ends = if ephemeral { hint::ENDS_WITH_SERVER.to_owned() } else { hint::ends(hint) };
    page.text("  ").faint("ends:").text(" ").text(ends).end();
}

/// All of standard input, without the newline that `echo` adds.
fn from_stdin() -> Result<String, Fault> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Fault::invalid("stdin", format!("cannot read standard input as text: {error}")).with("field", "value")
    })?;
    let bare = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(bare.map_or_else(|| text.clone(), str::to_owned))
}

/// The lifetime in its stored form. A bad one is reported as a bad field of the hint, as for
/// agents, and not as a usage error.
fn lifetime(text: &str) -> Result<String, Fault> {
    durations::ttl(text).map_err(|why| {
        let shown = first_chars(text, 60);
        Fault::invalid("ttl_invalid", format!("`{}` is not a value for `--ttl <TTL>`", shown.escape_debug()))
            .with("field", "meta.ttl")
            .next(why)
    })
}

/// A number that JSON can represent: `NaN` would arrive as "not given".
fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("not a number".to_owned()),
    }
}

fn sensitivity(name: &str) -> Result<Sensitivity, String> {
    match name {
        "normal" => Ok(Sensitivity::Normal),
        "secret" => Ok(Sensitivity::Secret),
        _ => Err("use normal or secret".to_owned()),
    }
}

fn source(name: &str) -> Result<SourceClaim, String> {
    match name {
        "user" => Ok(SourceClaim::User),
        "agent" => Ok(SourceClaim::Agent),
        "tool-output" => Ok(SourceClaim::ToolOutput),
        "file-import" => Ok(SourceClaim::FileImport),
        _ => Err("use user, agent, tool-output or file-import".to_owned()),
    }
}

// When the hint applies: all given conditions must be true.
// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Conditions (the hint applies where all of them are met)")]
struct ConditionArgs {
    /// Globs for the working directory; . is this one, ./** also all below it
    #[arg(long, value_name = "GLOB,…")]
    scope_cwd_glob: Vec<String>,
    /// Repositories, as git:org/repo or URL; . is this one
    #[arg(long, value_name = "REPO,…", visible_alias = "repo")]
    scope_repo: Vec<String>,
    /// Branches, or globs such as hotfix/*
    #[arg(long, value_name = "BRANCH,…")]
    scope_branch: Vec<String>,
    /// Systems: linux, darwin, windows
    #[arg(long, value_name = "OS,…", value_delimiter = ',', value_parser = system)]
    scope_os: Vec<Os>,
    /// Variables that must be set
    #[arg(long, value_name = "NAME,…")]
    scope_env: Vec<String>,
    /// A variable and its allowed values; may be repeated
    #[arg(long, value_name = "NAME=V1|V2", visible_alias = "env", value_parser = lists::pair)]
    scope_env_match: Vec<(String, String)>,
}

impl ConditionArgs {
    /// The wire form; `None` without conditions.
    pub(crate) fn scope(self) -> Option<Scope> {
        let mut env_match: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, values) in self.scope_env_match {
            env_match.entry(name).or_default().extend(values.split('|').map(str::to_owned));
        }
        let scope = Scope {
            cwd_glob: lists::items(&self.scope_cwd_glob).into_iter().map(expand_glob).collect(),
            repo: OneOrMany::from_vec(lists::items(&self.scope_repo).into_iter().map(this_repo).collect()),
            branch: lists::items(&self.scope_branch),
            os: self.scope_os.iter().map(|os| os.name().to_owned()).collect(),
            env_required: lists::items(&self.scope_env),
            env_match: env_match.into_iter().map(|(name, values)| (name, one_or_many(values))).collect(),
        };
        (scope != Scope::default()).then_some(scope)
    }
}

/// Expands `~` to the home directory and `.` to the working directory.
fn expand_glob(glob: String) -> String {
    let below = |dir: std::path::PathBuf, rest: &str| {
        let dir = dir.to_string_lossy().into_owned();
        if rest.is_empty() { dir } else { format!("{}/{rest}", dir.trim_end_matches('/')) }
    };
    match glob.split_once('/').unwrap_or((&glob, "")) {
        ("~", rest) => std::env::home_dir().map_or_else(|| glob.clone(), |home| below(home, rest)),
        (".", rest) => below(working_directory(), rest),
        _ => glob,
    }
}

/// Expands `.` to the repository of the working directory.
fn this_repo(repo: String) -> String {
    if repo != "." {
        return repo;
    }
    here().repo.unwrap_or(repo)
}

fn one_or_many(values: Vec<String>) -> OneOrMany {
    OneOrMany::from_vec(values).unwrap_or(OneOrMany::Many(Vec::new()))
}

nudge_core::named_enum! {
    /// The types a value can have. A command is never run, a template never rendered.
    #[derive(ValueEnum)]
    enum Kind {
        Text => "text",
        Command => "command",
        Path => "path",
        Template => "template",
        Json => "json",
    }
}

// Flags for the kind of value. A flag of one type implies that type.
// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Value")]
struct ValueArgs {
    /// Type of the value [default: text, or implied by the flags below]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<Kind>,
    /// Shell that runs the command: bash, sh, powershell or cmd
    #[arg(long, value_parser = shell)]
    shell: Option<Shell>,
    /// Systems that the path is for
    #[arg(long, value_name = "OS,…", value_delimiter = ',', value_parser = system)]
    path_os: Vec<Os>,
    /// Template language: mustache, handlebars, jinja or interpolate
    #[arg(long, value_parser = format)]
    format: Option<TemplateFormat>,
    /// Default for a template variable; may be repeated
    #[arg(long = "default", value_name = "NAME=VALUE", value_parser = lists::pair)]
    defaults: Vec<(String, String)>,
}

impl ValueArgs {
    /// Builds the value.
    pub(crate) fn value(self, text: String) -> Result<Value, Failure> {
        let value = match self.kind()? {
            Kind::Text => HintValue::Text(text),
            Kind::Command => HintValue::Command { shell: self.shell, cmd: text },
            Kind::Path => HintValue::Path { os: self.path_os, abs: text },
            Kind::Template => HintValue::Template {
                format: self.format.ok_or_else(|| Failure::Usage("a template needs --format".to_owned()))?,
                body: text,
                defaults: self.defaults.into_iter().collect(),
            },
            Kind::Json => HintValue::Json(serde_json::from_str(&text).map_err(|error| {
                Fault::invalid("not_json", format!("the value is not valid JSON: {error}"))
                    .with("field", "value")
                    .next("check the quotes, or remove `--type json`")
            })?),
        };
        Ok(Value(value))
    }

    /// The named or implied type; an error if the flags belong to two types.
    fn kind(&self) -> Result<Kind, Failure> {
        let implied = [
            (self.shell.is_some(), Kind::Command, "--shell"),
            (!self.path_os.is_empty(), Kind::Path, "--path-os"),
            (self.format.is_some(), Kind::Template, "--format"),
            (!self.defaults.is_empty(), Kind::Template, "--default"),
        ];
        let mut kind = self.kind;
        for (_, implies, flag) in implied.into_iter().filter(|(given, ..)| *given) {
            match kind {
                Some(known) if known != implies => {
                    return Err(Failure::Usage(format!(
                        "{flag} is for a {} value; this is a {} value",
                        implies.name(),
                        known.name()
                    )));
                }
                _ => kind = Some(implies),
            }
        }
        Ok(kind.unwrap_or(Kind::Text))
    }
}

fn shell(name: &str) -> Result<Shell, String> {
    match name {
        "bash" => Ok(Shell::Bash),
        "sh" => Ok(Shell::Sh),
        "powershell" | "pwsh" => Ok(Shell::Powershell),
        "cmd" => Ok(Shell::Cmd),
        _ => Err("use bash, sh, powershell or cmd".to_owned()),
    }
}

fn format(name: &str) -> Result<TemplateFormat, String> {
    match name {
        "mustache" => Ok(TemplateFormat::Mustache),
        "handlebars" => Ok(TemplateFormat::Handlebars),
        "jinja" => Ok(TemplateFormat::Jinja),
        "interpolate" => Ok(TemplateFormat::Interpolate),
        _ => Err("use mustache, handlebars, jinja or interpolate".to_owned()),
    }
}
