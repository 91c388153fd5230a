//! `nudge set`: save a hint.

mod conditions;
mod value;

use std::io::Read;

use clap::Args;
use nudge_core::text::first_chars;
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::{Hint, Meta, Sensitivity, SetAnswer, SetParams, SourceClaim};

use crate::durations;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::lists;
use crate::pages::Page;
use crate::pages::{hint, proposal};

/// The end of the help page.
const EXAMPLES: &str = "\
Examples:
  nudge set http-proxy build 'docker compose build router'
  nudge set http-proxy build 'make' --scope-branch dev,main --ttl 7d
  nudge set api run 'make run' --shell bash --tags run,dev --env STAGE=dev
  git diff | nudge set api wip -";

// The arguments. The summary is in `cli.rs`, with the others.
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
    value_args: value::ValueArgs,
    #[command(flatten)]
    conditions: conditions::ConditionArgs,
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
        let answer = invocation.call("set_hint", &params, Context::unknown())?;
        let ephemeral = invocation.is_ephemeral();
        let verbose = self.verbose;
        invocation.show::<SetAnswer>(&answer, |page, answer| render(page, answer, verbose, ephemeral))
    }
}

fn render(page: &mut Page, answer: &SetAnswer, verbose: bool, ephemeral: bool) {
    if let Some(note) = &answer.proposal {
        proposal::note(page, note);
        return;
    }
    let Some(hint) = &answer.hint else { return };
    if verbose {
        in_full(page, hint, ephemeral);
    } else {
        let kept = if ephemeral { hint::KEPT_BY_SERVER.to_owned() } else { hint::kept(hint) };
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
