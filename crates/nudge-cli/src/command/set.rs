//! `nudge set`: leave a hint.

mod conditions;
mod value;

use std::io::Read;

use clap::Args;
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::{Meta, Sensitivity, SetAnswer, SetParams, SourceClaim};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::lists;
use crate::pages::Page;
use crate::pages::{hint, proposal};

/// The end of the help page.
const EXAMPLES: &str = "\
Examples:
  nudge set http-proxy build 'docker compose build router'
  nudge set http-proxy build 'make' --scope-branch dev,main --ttl forever
  nudge set api run 'make run' --shell bash --tags run,dev --env STAGE=dev
  git diff | nudge set api wip -";

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SetArgs {
    /// Service, module or folder, such as http-proxy
    component: String,
    /// Name of the fact, such as build
    key: String,
    /// The fact; `-` reads it from standard input
    #[arg(allow_negative_numbers = true)]
    value: String,
    /// Words to find it by
    #[arg(long, value_name = "TAG,…")]
    tags: Vec<String>,
    /// How much it matters, 1 to 10 [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i64>,
    /// How sure you are, 0.0 to 1.0 [default: 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = finite)]
    confidence: Option<f64>,
    /// How long it lives: session, forever or an ISO-8601 duration such as PT2H
    #[arg(long)]
    ttl: Option<String>,
    /// Why it is worth knowing
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Whether the value may be shown: normal or secret
    #[arg(long, value_name = "LEVEL", value_parser = sensitivity)]
    sensitivity: Option<Sensitivity>,
    /// Take it although it looks like a credential; it is then kept as secret
    #[arg(long)]
    allow_secret: bool,
    /// Where it came from: user, agent, tool-output or file-import
    #[arg(long, value_parser = source)]
    source: Option<SourceClaim>,
    /// Who added it, such as agent:codex
    #[arg(long, value_name = "WHO")]
    added_by: Option<String>,
    /// Only if the stored version is this; 0 means only if there is none
    #[arg(long, value_name = "VERSION", allow_negative_numbers = true)]
    if_match_version: Option<i64>,
    #[command(flatten)]
    value_args: value::ValueArgs,
    #[command(flatten)]
    conditions: conditions::ConditionArgs,
}

impl SetArgs {
    /// Leaves the hint and says when it ends.
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
                ttl: self.ttl,
                sensitivity: self.sensitivity,
                scope: self.conditions.scope(),
                source: self.source,
                added_by: self.added_by,
            }),
            if_match_version: self.if_match_version,
            allow_secret: self.allow_secret || !settings.secret_guard,
        };
        let answer = invocation.call("set_hint", &params, Context::unknown())?;
        let ephemeral = invocation.is_ephemeral();
        invocation.show::<SetAnswer>(&answer, |page, answer| render(page, answer, ephemeral))
    }
}

fn render(page: &mut Page, answer: &SetAnswer, ephemeral: bool) {
    if let Some(note) = &answer.proposal {
        proposal::note(page, note);
        return;
    }
    let Some(hint) = &answer.hint else { return };
    page.good("✔")
        .text(" upserted hint ")
        .strong(hint::name(hint))
        .text(format!(" (v{})", hint.version))
        .end();
    page.text("  ").faint("score base:").text(" ").text(hint::score_base(hint)).end();
    let ends = if ephemeral {
        "with the server, which keeps everything in memory (--ephemeral)".to_owned()
    } else {
        hint::ends(hint)
    };
    page.text("  ").faint("ends:").text(" ").text(ends).end();
    if hint::is_secret(&hint.meta) {
        page.text("  ").faint("secret:").text(" masked here, kept from agents and exports").end();
    }
}

/// All of standard input without the newline that `echo` adds.
fn from_stdin() -> Result<String, Fault> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Fault::invalid("stdin", format!("standard input is not readable text: {error}"))
            .with("field", "value")
    })?;
    let bare = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(bare.map_or_else(|| text.clone(), str::to_owned))
}

/// A number that JSON can carry: `NaN` would arrive as "not given".
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
